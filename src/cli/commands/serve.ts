import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Observation, Observer } from '../../base/observe/observation.js';
import { digestConfigFiles } from '../../config/config-files.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { addMadeToken, needsToken } from '../../config/load/made-token.js';
import type { Gateway } from '../../gateway/gateway.js';
import { type CommonFlags, loadCliConfig, readCliConfig, readPackageInfo, startGateway } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { releaseMemorySoon } from '../shared/release-memory.js';
import { announceRunning, listRunning } from '../shared/running.js';
import { describeStart, printAddress, printOnceSettled, printServers, printTotals } from '../shared/start-report.js';
import { closeInSteps, type StopStep, untilAskedToStop } from '../shared/stopping.js';
import { oneLine, paintFor, printJson, type Terminal } from '../shared/terminal.js';
import { tryListen } from '../shared/try-listen.js';

/** The start report waits for every upstream, at most this long. */
const REPORT_PATIENCE_MS = 10_000;

export function registerServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('serve every upstream over Streamable HTTP')
    .option('--host <address>', 'the address to listen on')
    .option('--port <number>', 'the port to listen on; 0 takes a free one')
    .action(async (_own: unknown, command: Command) => {
      await serve(command.optsWithGlobals<CommonFlags>(), terminal);
    });
}

/** Runs until the process is asked to stop, then closes the server before the upstreams, so that open calls are answered. */
async function serve(flags: CommonFlags, terminal: Terminal): Promise<void> {
  const { config, tokenFile } = withToken(await loadCliConfig(flags, terminal), terminal);
  await assertMayListen(config);
  const digest = await digestConfigFiles(config);
  let reload = (_by: string): void => undefined;
  const stop = untilAskedToStop(config.server, () => reload('SIGHUP'));
  const progress = showProgress(config, terminal);
  // On a terminal the progress line and the report show how the upstreams start; log lines would break the progress line.
  let starting = terminal.err.isTTY === true;
  const isLogged = ({ kind }: Observation): boolean => !starting || kind !== 'upstream-state';
  const started = await startGateway(config, 'serve', {
    servesClients: true,
    load: async () => withMadeToken((await readCliConfig(flags)).config),
    ...(starting ? { isLogged, observers: [progress.observe] } : {}),
  });
  const { gateway, log, observe, monitoring } = started;
  const say = (message: string): void => observe({ kind: 'notice', level: 'info', message });
  const open: StopStep[] = [
    ['the gateway', () => gateway.close().then(() => say('stopped'))],
    ['monitoring', () => monitoring.close()],
  ];
  try {
    // The server's libraries are loaded while the upstreams start.
    const { openHttpServer } = await import('../../server/http/http-server.js');
    const { mountPages } = await import('../../console/mount.js');
    await Promise.race([gateway.warmedUp, stop.asked]);
    const server = await openHttpServer(gateway, {
      observe,
      serverInfo: readPackageInfo(),
      monitor: monitoring.monitor,
      mount: mountPages,
    }).catch(async (cause: unknown) => {
      throw await explainTakenPort(config, cause);
    });
    open.unshift(['the server', () => server.close()]);
    const running = announceRunning(gateway, { address: server.url, digest });
    open.unshift(['what says that it runs', running.end]);
    reload = running.reload;
    await monitoring.follow(gateway, server);
    const isSettled = await Promise.race([
      gateway.settled.then(() => true),
      Promise.race([stop.asked, delay(REPORT_PATIENCE_MS, undefined, { ref: false })]).then(() => false),
    ]);
    progress.end();
    starting = false;
    const report = await describeStart(gateway, server.url, isSettled);
    if (flags.json === true) printJson(terminal, report);
    else {
      printServers(report, terminal);
      await printTotals(gateway, report, terminal, stop.asked);
      printAddress(config, report, tokenFile, terminal);
      if (!isSettled) void printOnceSettled(gateway, server.url, terminal, stop.asked);
    }
    releaseMemorySoon();
    await stop.asked;
    say(describeStop(gateway));
  } finally {
    progress.end();
    await closeInSteps(open, config.server, observe);
    log.flush();
  }
  // Whatever is left open, nobody is served any more.
  process.exit();
}

/** Adds a client with a token of its own where the gateway listens beyond this machine and has no clients. */
function withToken(config: GatewayConfig, terminal: Terminal): { config: GatewayConfig; tokenFile?: string } {
  if (!needsToken(config)) return { config };
  const { config: extended, file, made } = addMadeToken(config);
  const { err } = terminal;
  // Logs are kept and read by others; the file is for its owner alone.
  if (made !== undefined && err.isTTY === true) err.write(`Clients must send: Authorization: Bearer ${made}\n`);
  err.write(`Clients must send the token in ${oneLine(file)}, because no clients are configured.\n`);
  return { config: extended, tokenFile: file };
}

/** The same without a word, as the token is known. */
function withMadeToken(config: GatewayConfig): GatewayConfig {
  return needsToken(config) ? addMadeToken(config).config : config;
}

/** Shows on a terminal how many upstreams are connected while they start; silent elsewhere. */
function showProgress({ upstreams }: GatewayConfig, terminal: Terminal): { readonly observe: Observer; end(): void } {
  const { err } = terminal;
  if (err.isTTY !== true) return { observe: () => undefined, end: () => undefined };
  const paint = paintFor(err);
  const started = upstreams.filter(({ disabled }) => !disabled);
  const waiting = new Map(started.map(({ slug, name }) => [slug, name]));
  let ended = false;
  const draw = (): void => {
    const names = [...waiting.values()].slice(0, 4).join(', ');
    err.write(`\r\u001B[K${paint.dim(`connecting ${started.length - waiting.size}/${started.length} ${names}`)}`);
  };
  draw();
  return {
    observe(observation) {
      if (ended || observation.kind !== 'upstream-state') return;
      if (observation.state === 'ready') waiting.delete(observation.upstream);
      draw();
    },
    end() {
      if (!ended) err.write('\r\u001B[K');
      ended = true;
    },
  };
}

/** What a stop waits for. */
function describeStop(gateway: Gateway): string {
  const { lameDuckMs, drainMs } = gateway.config.server;
  const calls = gateway
    .status()
    .upstreams.reduce((sum, { calls: { inFlight, waiting } }) => sum + inFlight + waiting, 0);
  const more = lameDuckMs === 0 ? '' : `, after ${lameDuckMs / 1_000} s for those who have not noticed`;
  return `stopping: ${calls} ${calls === 1 ? 'call' : 'calls'} in flight, at most ${drainMs / 1_000} s${more}`;
}

/** Refuses before any server is started: they may be many, and a second one of some spoils the files of the first. */
async function assertMayListen(config: GatewayConfig): Promise<void> {
  const { host, port } = config.server;
  const cause = port === 0 ? undefined : await tryListen(host, port);
  if (cause === undefined) return;
  const { explainListenFailure } = await import('../../server/http/http-server.js');
  throw await explainTakenPort(config, explainListenFailure(cause, host, port));
}

/** Names the gateway of the same data directory that has the port; the fault as it is where it is another program. */
async function explainTakenPort({ dataDir, server: { port } }: GatewayConfig, cause: unknown): Promise<unknown> {
  const other = (await listRunning(dataDir)).find(
    ({ address }) => URL.canParse(address) && new URL(address).port === String(port),
  );
  if (other === undefined) return cause;
  const message = `A gateway with this data directory serves ${other.address} already (process ${other.pid}): see mcp-aql-gateway status. For a second one choose another --port.`;
  return new CliError(EXIT_CODE.failure, message, { cause });
}
