import type { Command } from 'commander';
import { describeFact } from '../../base/protocol/account-fact.js';
import { describeReplicas } from '../../base/protocol/other-replicas.js';
import { findDataDir } from '../../config/load/load-config.js';
import { AdminApi, type AdminFlags, TOKEN_OPTION, URL_OPTION } from '../shared/admin-api.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { listRunning, type RunningGateway } from '../shared/running.js';
import { oneLine, printJson, printLine, printTable, printWarning, type Terminal } from '../shared/terminal.js';
import { loadOptionsOf } from './servers.js';

interface StatusFlags extends CommonFlags, AdminFlags {}

type GatewayState = Pick<RunningGateway, 'address' | 'status'> & Partial<Pick<RunningGateway, 'pid' | 'started'>>;

export function registerStatus(program: Command, terminal: Terminal): void {
  program
    .command('status')
    .description('how the gateways that run do: their servers, and how they took the configuration last')
    .option(...URL_OPTION)
    .option(...TOKEN_OPTION)
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
  if (flags.url !== undefined) {
    const api = new AdminApi(flags.url, flags.token);
    return [{ address: api.origin, status: await api.status() }];
  }
  return listRunning(await dataDirOf(flags, terminal));
}

/** A configuration that a gateway has refused is why its operator asks how it does. */
async function dataDirOf(flags: StatusFlags, terminal: Terminal): Promise<string> {
  try {
    return (await loadCliConfig(flags, terminal)).dataDir;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT_CODE.config) throw error;
    printWarning(terminal, error.message);
    return findDataDir(loadOptionsOf(flags));
  }
}

/** 4 where none runs, or one is not ready; 3 where one has refused the configuration. */
function codeOf(gateways: readonly GatewayState[]): number {
  if (gateways.length === 0 || gateways.some(({ status }) => status?.ready !== true)) return EXIT_CODE.unreachable;
  return gateways.some(({ status }) => status?.reload?.outcome === 'refused') ? EXIT_CODE.config : EXIT_CODE.ok;
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
  for (const { name, account = [] } of upstreams)
    for (const fact of account) printLine(terminal, oneLine(`${name}'s account: ${describeFact(fact)}`));
  printLine(terminal, `${operations} operations; store ${state.store.state}, audit journal ${state.audit.state}`);
  if (state.replicas !== undefined) printLine(terminal, describeReplicas(state.replicas));
  if (state.replicas?.problem !== undefined) printLine(terminal, oneLine(state.replicas.problem));
  if (reload === undefined) return;
  const { outcome, at, changes, problem, needs_restart: later = [] } = reload;
  printLine(terminal, `configuration ${outcome} at ${at}${oneLine(` ${problem ?? changes ?? ''}`).trimEnd()}`);
  if (later.length > 0) printLine(terminal, `restart to apply: ${later.join(', ')}`);
}
