import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { PACKAGE_DIRECTORY } from '../../base/asset.js';
import { isJsonObject, parseJson } from '../../base/json/json.js';
import { GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import type { CompareDeps } from '../../compare/compare-server.js';
import type { Difference, PlannedCall, ServerComparison } from '../../compare/comparison.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import {
  type CommonFlags,
  chooseServers,
  loadCliConfig,
  NAMES_OF_COMMAND,
  readPackageInfo,
  startGateway,
} from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { oneLine, printJson, printLine, type Terminal } from '../shared/terminal.js';

interface CompareFlags extends CommonFlags {
  readonly calls?: string;
}

export function registerCompare(program: Command, terminal: Terminal): void {
  program
    .command('compare')
    .description('ask servers the same things directly and through the gateway, and name every difference')
    .argument('[servers...]', 'the servers to compare; all unless given')
    .option('--calls <file>', 'further calls, as JSON: {"SERVER": [{"tool": "NAME", "arguments": {}}]}')
    .action(async (names: readonly string[], _own: unknown, command: Command) => {
      await compare(names, command.optsWithGlobals<CompareFlags>(), terminal);
    });
}

/** Prints each server when it has been compared. The exit code is 0 where each difference is a decision. */
async function compare(names: readonly string[], flags: CompareFlags, terminal: Terminal): Promise<void> {
  const config = await loadCliConfig({ ...flags, logLevel: flags.logLevel ?? 'silent' }, terminal);
  const further = await readCalls(flags.calls);
  const chosen = chooseServers(config, names);
  const { compareServer, listBinDirectories } = await import('../../compare/compare-server.js');
  const serve = serveFaces(config);
  const binDirectories = listBinDirectories([config.directory, PACKAGE_DIRECTORY]);
  const results: ServerComparison[] = [];
  for (const upstream of chosen) {
    const calls = further.get(upstream.name) ?? [];
    const result = await compareServer(upstream, { serve, binDirectories, calls });
    results.push(result);
    if (flags.json !== true) printServer(result, terminal);
  }
  if (flags.json === true) printJson(terminal, { servers: results });
  const open = results.flatMap(({ differences }) => differences).filter(isOpen);
  if (open.length > 0) process.exitCode = EXIT_CODE.failure;
}

/** Starts a gateway with a folder of its own for what it keeps. */
function serveFaces(config: GatewayConfig): CompareDeps['serve'] {
  return async (upstream, face) => {
    const { configFor } = await import('../../compare/compare-server.js');
    const folder = await mkdtemp(join(tmpdir(), 'mcp-aql-compare-'));
    const { gateway, observe } = await startGateway(configFor(config, upstream, face, folder), 'compare', {
      names: NAMES_OF_COMMAND,
      servesClients: true,
    });
    await gateway.settled;
    const { openHttpServer } = await import('../../server/http/http-server.js');
    const { mountPages } = await import('../../console/mount.js');
    const server = await openHttpServer(gateway, { observe, serverInfo: readPackageInfo(), mount: mountPages });
    return {
      url: server.url,
      operations: gateway.operations().filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE),
      async close() {
        await server.close();
        await gateway.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
}

type Calls = ReadonlyMap<string, readonly PlannedCall[]>;

const EXPECTED = '{"SERVER": [{"tool": "NAME", "arguments": {}}]}';

async function readCalls(file: string | undefined): Promise<Calls> {
  if (file === undefined) return new Map();
  const fail = (reason: string): never => {
    throw new CliError(EXIT_CODE.usage, `--calls ${file}: ${reason}. Expected: ${EXPECTED}`);
  };
  const text = await readFile(file, 'utf8').catch((cause: Error) => fail(cause.message));
  const value = parseJson(text) ?? fail('it is no JSON');
  if (!isJsonObject(value)) return fail('it is no object');
  return new Map(
    Object.entries(value).map(([server, calls]) => {
      if (!Array.isArray(calls)) return fail(`'${server}' is no list`);
      return [server, calls.map((call: unknown) => readCall(call) ?? fail(`'${server}' holds what is no call`))];
    }),
  );
}

function readCall(value: unknown): PlannedCall | undefined {
  if (!isJsonObject(value) || typeof value['tool'] !== 'string') return undefined;
  const args = value['arguments'] ?? {};
  return isJsonObject(args) ? { tool: value['tool'], arguments: args } : undefined;
}

const isOpen = ({ decision, kind }: Difference): boolean => decision === undefined && kind !== 'slower';

function printServer({ server, problem, compared, varying, differences }: ServerComparison, terminal: Terminal): void {
  if (problem !== undefined) {
    printLine(terminal, oneLine(`${server}: not compared: ${problem}`));
    return;
  }
  const meant = differences.filter(({ decision }) => decision !== undefined);
  const timed = varying === 0 ? '' : `; the answers of ${varying} calls vary by themselves`;
  printLine(terminal, `${server}: ${compared.listed} listed and ${compared.calls} asked${timed}`);
  for (const { kind, face, era, subject, message, decision } of differences)
    if (decision === undefined) printLine(terminal, oneLine(`  ${kind} in ${face}, ${era}: ${subject}: ${message}`));
  for (const page of new Set(meant.map(({ decision }) => decision))) {
    const count = meant.filter(({ decision }) => decision === page).length;
    printLine(terminal, `  ${count} ${count === 1 ? 'difference' : 'differences'} by decision: ${page}`);
  }
  if (differences.length === 0) printLine(terminal, '  no difference');
}
