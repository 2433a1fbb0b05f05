import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { measureJson } from '../../base/json/measure.js';
import type { Observation, Observer } from '../../base/observe/observation.js';
import { inTime, runInSlices, type Sliced } from '../../base/turns/turns.js';
import { digestConfigFiles } from '../../config/config-files.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { addMadeToken, needsToken } from '../../config/load/made-token.js';
import type { Gateway, GatewayStatus } from '../../gateway/gateway.js';
import {
  type CommonFlags,
  loadCliConfig,
  readCliConfig,
  readPackageInfo,
  startGateway,
  untilAskedToStop,
} from '../shared/context.js';
import { releaseMemorySoon } from '../shared/release-memory.js';
import { announceRunning } from '../shared/running.js';
import { oneLine, paintFor, printJson, printLine, type Terminal } from '../shared/terminal.js';
import { countInProcess } from '../shared/token-count.js';

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
  const config = withToken(await loadCliConfig(flags, terminal), terminal);
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
    });
    const running = announceRunning(gateway, { address: server.url, digest });
    reload = running.reload;
    try {
      await monitoring.follow(gateway, server);
      await Promise.race([gateway.settled, stop.asked, delay(REPORT_PATIENCE_MS, undefined, { ref: false })]);
      progress.end();
      starting = false;
      const report = describeStart(gateway, server.url);
      if (flags.json === true) printJson(terminal, report);
      else
        printStartReport(
          report,
          await Promise.race([countTokens(gateway), stop.asked.then(() => undefined)]),
          terminal,
        );
      releaseMemorySoon();
      await stop.asked;
    } finally {
      running.end();
      await server.close();
    }
  } finally {
    progress.end();
    await gateway.close();
    await monitoring.close();
    log.flush();
  }
}

/** Adds a client with a token of its own where the gateway listens beyond this machine and has no clients. */
function withToken(config: GatewayConfig, terminal: Terminal): GatewayConfig {
  if (!needsToken(config)) return config;
  const { config: extended, file, made } = addMadeToken(config);
  const { err } = terminal;
  // Logs are kept and read by others; the file is for its owner alone.
  if (made !== undefined && err.isTTY === true) err.write(`Clients must send: Authorization: Bearer ${made}\n`);
  err.write(`Clients must send the token in ${oneLine(file)}, because no clients are configured.\n`);
  return extended;
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

/** What `serve` prints once it is ready; the shape of `serve --json`. */
interface StartReport {
  readonly url: string;
  readonly mode: string;
  readonly profile: string;
  readonly status: GatewayStatus;
}

/** How many tokens a client's context holds without and with the gateway. */
interface ContextTokens {
  readonly upstreams: number;
  readonly gateway: number;
}

function describeStart(gateway: Gateway, url: string): StartReport {
  const { mode, profile } = gateway.config.endpoint;
  return { url, mode, profile: profile.name, status: gateway.status() };
}

/** Lists of more characters fit no context, so their tokens are not counted. */
const LONGEST_COUNTED = 8_000_000;

/** The figures of the command `tokens`, counted while the gateway serves. */
async function countTokens(gateway: Gateway): Promise<ContextTokens | undefined> {
  const tools = await runInSlices(inTime(writeTools(gateway)));
  if (tools === undefined) return undefined;
  const { toolsJson } = await gateway.toolList();
  const counts = await countInProcess([toolsJson, ...tools]);
  const [own, ...others] = counts ?? [];
  return own === undefined ? undefined : { gateway: own, upstreams: others.reduce((sum, count) => sum + count, 0) };
}

/** The JSON of each tool; undefined where there is too much of it. */
function* writeTools(gateway: Gateway): Sliced<readonly string[] | undefined> {
  const texts: string[] = [];
  let length = 0;
  for (const tool of gateway.toolSets().flatMap((set) => set.tools)) {
    length += measureJson(tool, LONGEST_COUNTED);
    if (length >= LONGEST_COUNTED) return undefined;
    texts.push(JSON.stringify(tool));
    yield;
  }
  return texts;
}

function printStartReport(report: StartReport, tokens: ContextTokens | undefined, terminal: Terminal): void {
  const paint = paintFor(terminal.out);
  const { status } = report;
  for (const upstream of status.upstreams) {
    const good = upstream.state === 'ready';
    const mark = good ? paint.green('ready') : paint.yellow(upstream.state);
    const about = good ? `${upstream.tools} tools, ${upstream.transport}` : oneLine(upstream.problem ?? '');
    printLine(terminal, `  ${upstream.name}: ${mark}${about === '' ? '' : ` (${about})`}`);
  }
  const families = status.families.map(({ name, operations }) => `${name} ${operations}`).join(', ');
  printLine(terminal, `${status.operations} operations in mode ${report.mode}, profile ${report.profile}: ${families}`);
  if (tokens !== undefined) printLine(terminal, describeTokens(tokens));
  printLine(terminal, `${paint.bold('Ready')} at ${paint.cyan(report.url)}`);
  printLine(terminal, `Connect a client:  claude mcp add --transport http aql ${report.url}`);
  printLine(terminal, `or in its mcpServers:  {"aql": {"type": "http", "url": "${report.url}"}}`);
}

function describeTokens({ gateway, upstreams }: ContextTokens): string {
  const less = gateway < upstreams ? ` (${(100 - (gateway / upstreams) * 100).toFixed(1)} % less)` : '';
  return `A client's context holds ${gateway} tokens instead of ${upstreams}${less}.`;
}
