import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { type CommonFlags, loadCliConfig } from '../context.js';
import { CliError, EXIT_CODE } from '../exit-code.js';
import { listRunning, type RunningGateway } from '../running.js';
import { oneLine, printJson, printLine, printTable, type Terminal } from '../terminal.js';

interface StatusFlags extends CommonFlags {
  readonly url?: string;
  readonly token?: string;
}

type GatewayState = Pick<RunningGateway, 'address' | 'status'> & Partial<Pick<RunningGateway, 'pid' | 'started'>>;

export function registerStatus(program: Command, terminal: Terminal): void {
  program
    .command('status')
    .description('how the gateways that run do: their servers, and how they took the configuration last')
    .option('--url <url>', 'ask a gateway over its admin API, such as http://127.0.0.1:3333')
    .option('--token <token>', "an operator's token; MCP_AQL_OPERATOR_TOKEN unless given")
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<StatusFlags>();
      const gateways = await findGateways(flags, terminal);
      if (flags.json === true) printJson(terminal, gateways);
      else for (const gateway of gateways) printGateway(gateway, terminal);
      if (gateways.length === 0 && flags.json !== true)
        printLine(terminal, 'No gateway runs with this data directory.');
      process.exitCode = codeOf(gateways);
    });
}

async function findGateways(flags: StatusFlags, terminal: Terminal): Promise<readonly GatewayState[]> {
  if (flags.url !== undefined) return [await askOverHttp(flags.url, flags.token)];
  const config = await loadCliConfig(flags, terminal);
  return listRunning(config.dataDir);
}

/** 4 where none runs, or one is not ready; 3 where one has refused the configuration. */
function codeOf(gateways: readonly GatewayState[]): number {
  if (gateways.length === 0 || gateways.some(({ status }) => status?.ready !== true)) return EXIT_CODE.unreachable;
  return gateways.some(({ status }) => status?.reload?.outcome === 'refused') ? EXIT_CODE.config : EXIT_CODE.ok;
}

async function askOverHttp(url: string, given: string | undefined): Promise<GatewayState> {
  const token = given ?? process.env['MCP_AQL_OPERATOR_TOKEN'];
  const address = new URL('/admin/status', url);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers }).catch((cause: unknown) => {
    throw new CliError(EXIT_CODE.unreachable, `${address.origin} cannot be reached`, { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isStatus(body)) {
    throw new CliError(EXIT_CODE.refused, `${address.href}: ${explain(response.status, body)}`);
  }
  return { address: address.origin, status: body };
}

function explain(status: number, body: unknown): string {
  const error = isJsonObject(body) ? body['error'] : undefined;
  const words = isJsonObject(error) ? error['message'] : error;
  const hint = status === 404 ? '; the admin API needs policy.approvals.operators' : '';
  return `HTTP ${status}${typeof words === 'string' ? `: ${words}` : ''}${hint}`;
}

function isStatus(body: unknown): body is NonNullable<RunningGateway['status']> & JsonObject {
  return isJsonObject(body) && typeof body['ready'] === 'boolean' && Array.isArray(body['upstreams']);
}

function printGateway({ address, pid, started, status }: GatewayState, terminal: Terminal): void {
  const where = pid === undefined ? address : `${address} (process ${pid}, since ${started ?? '?'})`;
  printLine(terminal, `${where}: ${status === undefined ? 'unknown' : status.ready ? 'ready' : 'not ready'}`);
  if (status === undefined) return;
  const { upstreams, operations, reload, state } = status;
  printTable(
    terminal,
    ['UPSTREAM', 'STATE', 'TOOLS', 'CALLS', 'WAITING', 'RESTARTS', 'PROBLEM'],
    upstreams.map(({ name, state, until, tools, calls, restarts, problem = '' }) => [
      name,
      until === undefined ? state : `${state} until ${until.slice(11, 19)}`,
      ...[tools, calls.inFlight, calls.waiting, restarts].map(String),
      problem,
    ]),
  );
  for (const { name, stderr = [] } of upstreams) {
    for (const line of stderr) printLine(terminal, `${name} printed: ${oneLine(line)}`);
  }
  printLine(terminal, `${operations} operations; store ${state.store.state}, audit journal ${state.audit.state}`);
  if (reload === undefined) return;
  const { outcome, at, changes, problem, needs_restart: later = [] } = reload;
  printLine(terminal, `configuration ${outcome} at ${at}${oneLine(` ${problem ?? changes ?? ''}`).trimEnd()}`);
  if (later.length > 0) printLine(terminal, `restart to apply: ${later.join(', ')}`);
}
