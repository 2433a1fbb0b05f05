import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { addMadeToken, needsToken } from '../../config/made-token.js';
import type { Gateway, GatewayStatus } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import {
  type CommonFlags,
  loadCliConfig,
  RELOAD_IGNORED,
  readPackageInfo,
  startGateway,
  untilAskedToStop,
} from '../context.js';
import { releaseMemorySoon } from '../release-memory.js';
import { announceRunning } from '../running.js';
import { oneLine, paintFor, printJson, printLine, type Terminal } from '../terminal.js';

/** The start report waits for every upstream, at most this long. */
const REPORT_PATIENCE_MS = 10_000;

export function registerServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('serve every upstream over Streamable HTTP')
    .option('--host <address>', 'the address to listen on')
    .option('--port <number>', 'the port to listen on; 0 takes a free one')
    .option('--strict', 'refuse a configuration in which one server is misconfigured')
    .action(async (_own: unknown, command: Command) => {
      await serve(command.optsWithGlobals<CommonFlags>(), terminal);
    });
}

/** Runs until the process is asked to stop, then closes the server before the upstreams, so that open calls are answered. */
async function serve(flags: CommonFlags, terminal: Terminal): Promise<void> {
  const config = withToken(await loadCliConfig(flags, terminal, { tolerant: true }), terminal);
  let observe: Observer = () => undefined;
  const stop = untilAskedToStop(config.server, () => observe(RELOAD_IGNORED));
  // On a terminal the progress line and the report show how the upstreams start; log lines would break the progress line.
  let starting = terminal.err.isTTY === true;
  const { gateway, log } = await startGateway(config, 'serve', ({ kind }) => !starting || kind !== 'upstream-state');
  observe = log.observe;
  const watching = watchUpstreams(gateway, terminal);
  try {
    // The server's libraries are loaded while the upstreams start.
    const { openHttpServer } = await import('../../server/http-server.js');
    await Promise.race([gateway.warmedUp, stop.asked]);
    const server = await openHttpServer(gateway, { observe: log.observe, serverInfo: readPackageInfo() });
    const running = await announceRunning(config, server.url, log.observe);
    try {
      await Promise.race([gateway.settled, stop.asked, delay(REPORT_PATIENCE_MS, undefined, { ref: false })]);
      watching.end();
      starting = false;
      const report = describeStart(gateway, server.url);
      if (flags.json === true) printJson(terminal, report);
      else printStartReport(report, terminal);
      releaseMemorySoon();
      await stop.asked;
    } finally {
      running.end();
      await server.close();
    }
  } finally {
    watching.end();
    await gateway.close();
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

const REFRESH_MS = 120;

/** Shows on a terminal how many upstreams are connected while they start; silent elsewhere. */
function watchUpstreams(gateway: Gateway, terminal: Terminal): { end(): void } {
  const { err } = terminal;
  if (err.isTTY !== true) return { end: () => undefined };
  const paint = paintFor(err);
  const draw = (): void => {
    const upstreams = gateway
      .status()
      .upstreams.filter(({ state }) => state !== 'disabled' && state !== 'misconfigured');
    const waiting = upstreams.filter(({ state }) => state !== 'ready').map(({ name }) => name);
    const done = upstreams.length - waiting.length;
    err.write(`\r\u001B[K${paint.dim(`connecting ${done}/${upstreams.length} ${waiting.slice(0, 4).join(', ')}`)}`);
  };
  const timer = setInterval(draw, REFRESH_MS);
  timer.unref();
  draw();
  let ended = false;
  return {
    end() {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      err.write('\r\u001B[K');
    },
  };
}

/**
 * Characters of tool-list JSON per o200k_base token: 4.2 to 4.5 in real catalogues, as `tokens` counts. The start report
 * shows rounded figures; exact ones need a tokenizer of tens of megabytes, which only `tokens` loads.
 */
const CHARACTERS_PER_TOKEN = 4.3;

/** What `serve` prints once it is ready; the shape of `serve --json`. */
interface StartReport {
  readonly url: string;
  readonly mode: string;
  readonly profile: string;
  readonly status: GatewayStatus;
  /** About how many tokens a client's context holds without and with the gateway. */
  readonly tokens: { readonly upstreams: number; readonly gateway: number };
}

function describeStart(gateway: Gateway, url: string): StartReport {
  const { mode, profile } = gateway.config.endpoint;
  const listed = gateway.toolSets().flatMap(({ tools }) => tools);
  return {
    url,
    mode,
    profile: profile.name,
    status: gateway.status(),
    tokens: {
      upstreams: estimateTokens(listed.length === 0 ? '' : JSON.stringify(listed)),
      gateway: estimateTokens(gateway.toolList().toolsJson),
    },
  };
}

function estimateTokens(json: string): number {
  const tokens = json.length / CHARACTERS_PER_TOKEN;
  return tokens < 1_000 ? Math.round(tokens / 10) * 10 : Math.round(tokens / 100) * 100;
}

function printStartReport(report: StartReport, terminal: Terminal): void {
  const paint = paintFor(terminal.out);
  const { status, tokens } = report;
  for (const upstream of status.upstreams) {
    const good = upstream.state === 'ready';
    const mark = good ? paint.green('ready') : paint.yellow(upstream.state);
    const about = good ? `${upstream.tools} tools, ${upstream.transport}` : oneLine(upstream.problem ?? '');
    printLine(terminal, `  ${upstream.name}: ${mark}${about === '' ? '' : ` (${about})`}`);
  }
  const families = status.families.map(({ name, operations }) => `${name} ${operations}`).join(', ');
  printLine(terminal, `${status.operations} operations in mode ${report.mode}, profile ${report.profile}: ${families}`);
  const share = tokens.upstreams === 0 ? 0 : 100 - (tokens.gateway / tokens.upstreams) * 100;
  printLine(
    terminal,
    `A client's context holds about ${tokens.gateway} tokens instead of about ${tokens.upstreams}` +
      `${share > 0 ? ` (${share.toFixed(0)} % less)` : ''}.`,
  );
  printLine(terminal, `${paint.bold('Ready')} at ${paint.cyan(report.url)}`);
  printLine(terminal, `Connect a client:  claude mcp add --transport http aql ${report.url}`);
  printLine(terminal, `or in its mcpServers:  {"aql": {"type": "http", "url": "${report.url}"}}`);
}
