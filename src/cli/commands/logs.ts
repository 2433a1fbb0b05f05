import { type Command, InvalidArgumentError } from 'commander';
import { escapeInvisible } from '../../base/lib/text.js';
import type { GatewayConfig, UpstreamConfig } from '../../config/gateway-config.js';
import { followServerLog, serverLogDirectory, tailServerLog } from '../../gateway/log-review.js';
import { printWithBackpressure } from '../shared/audit-line.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { printJson, type Terminal, writeJson } from '../shared/terminal.js';

interface LogsFlags extends CommonFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

export function registerLogs(program: Command, terminal: Terminal): void {
  program
    .command('logs')
    .description('print what a stdio server has written to standard error')
    .argument('<name>', "the server's name")
    .option('-n, --lines <count>', 'how many lines', readCount, 50)
    .option('-f, --follow', 'go on with new lines until stopped')
    .action(async (name: string, _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<LogsFlags>();
      const config = await loadCliConfig(flags, terminal);
      await printLogs(serverLogDirectory(config), findServer(config, name), flags, terminal);
    });
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 on.');
  return Number(text);
}

function findServer({ upstreams }: GatewayConfig, name: string): UpstreamConfig {
  const found = upstreams.find((upstream) => upstream.name === name || upstream.slug === name);
  if (found === undefined) {
    const names = upstreams.map((upstream) => upstream.name).join(', ');
    throw new CliError(EXIT_CODE.usage, `There is no server '${name}'. Configured: ${names || 'none'}`);
  }
  if (found.endpoint.type === 'stdio') return found;
  throw new CliError(
    EXIT_CODE.failure,
    `The server '${name}' is reached over HTTP: the gateway does not start it and does not see what it prints`,
  );
}

async function printLogs(
  directory: string,
  { name, slug }: UpstreamConfig,
  { lines, follow, json }: LogsFlags,
  terminal: Terminal,
): Promise<void> {
  const tail = await tailServerLog(directory, slug, lines);
  if (tail === undefined) terminal.err.write(`The server '${name}' has printed nothing to standard error yet.\n`);
  if (json === true && follow !== true) {
    printJson(terminal, tail?.lines ?? []);
    return;
  }
  const print = (line: string): Promise<void> =>
    printWithBackpressure(terminal, writeLine(line, json === true, terminal));
  for (const line of tail?.lines ?? []) await print(line);
  if (follow !== true) return;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const start = tail?.position ?? { inode: 0, offset: 0 };
  for await (const line of followServerLog(directory, slug, start, stop.signal)) await print(line);
}

/** Servers colour their lines, and worse: what a terminal would obey is escaped. */
function writeLine(line: string, json: boolean, { out }: Terminal): string {
  if (json) return writeJson(line);
  return out.isTTY === true ? escapeInvisible(line) : line;
}
