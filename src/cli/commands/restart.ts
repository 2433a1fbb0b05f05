import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { UpstreamSummary } from '../../gateway/gateway.js';
import { AdminApi, type AdminFlags, TOKEN_OPTION, URL_OPTION } from '../shared/admin-api.js';
import { askForRestart, type RestartAnswer, type RestartedNames } from '../shared/asked-restarts.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { listRunning, type RunningGateway, runningFolder } from '../shared/running.js';
import { printJson, printLine, printTable, type Terminal } from '../shared/terminal.js';

interface RestartFlags extends CommonFlags, AdminFlags {
  readonly all?: boolean;
}

/** What came of the request in one gateway. */
interface Restarted {
  readonly address: string;
  readonly pid?: number;
  /** Absent where the gateway did not answer in time. */
  readonly upstreams?: readonly Pick<UpstreamSummary, 'name' | 'state' | 'problem'>[];
}

/** A gateway looks for requests every two seconds, and a server has some more to connect. */
const PATIENCE_MS = 15_000;
const POLL_MS = 200;

export function registerRestart(program: Command, terminal: Terminal): void {
  program
    .command('restart')
    .argument('[names...]', 'servers of the gateways that run')
    .description('start servers anew in the gateways that run, also those that have failed')
    .option('--all', 'every server that is enabled')
    .option(...URL_OPTION)
    .option(...TOKEN_OPTION)
    .action(async (given: readonly string[], _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<RestartFlags>();
      const names = readNames(given, flags);
      const gateways =
        flags.url === undefined
          ? await restartHere(names, flags, terminal)
          : [await restartOverHttp(names, new AdminApi(flags.url, flags.token))];
      if (flags.json === true) printJson(terminal, gateways);
      else for (const gateway of gateways) printRestarted(gateway, terminal);
      process.exitCode = codeOf(gateways);
    });
}

function readNames(given: readonly string[], { all = false }: RestartFlags): RestartedNames {
  if (all !== given.length > 0) return all ? 'all' : given;
  throw new CliError(EXIT_CODE.usage, 'Name the servers to restart, or give --all; see: mcp-aql-gateway status');
}

async function restartHere(
  names: RestartedNames,
  flags: RestartFlags,
  terminal: Terminal,
): Promise<readonly Restarted[]> {
  const { dataDir } = await loadCliConfig(flags, terminal);
  const running = await listRunning(dataDir);
  if (running.length === 0) throw new CliError(EXIT_CODE.unreachable, 'No gateway runs with this data directory');
  const found = await Promise.all(running.map((gateway) => restartIn(gateway, names, dataDir)));
  const answers = found.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  // Gateways of one data directory may have different configurations.
  const unknown =
    names === 'all'
      ? []
      : names.filter((name) => answers.length > 0 && answers.every((each) => each.unknown.includes(name)));
  if (unknown.length > 0) {
    const known = [...new Set(found.flatMap(({ entry }) => entry.status?.upstreams.map(({ name }) => name) ?? []))];
    const listed = unknown.map((name) => `'${name}'`).join(', ');
    throw new CliError(
      EXIT_CODE.refused,
      `No server that is enabled is called ${listed}; there are: ${known.join(', ')}`,
    );
  }
  return found.map(({ entry, answer }) => ({
    address: entry.address,
    pid: entry.pid,
    ...(answer === undefined ? {} : { upstreams: stateOf(entry, answer.restarted) }),
  }));
}

interface AskedGateway {
  readonly entry: RunningGateway;
  readonly answer: RestartAnswer | undefined;
}

/** Asks one gateway, and waits until the servers have started or cannot. */
async function restartIn(entry: RunningGateway, names: RestartedNames, dataDir: string): Promise<AskedGateway> {
  const { pid, started } = entry;
  const id = randomUUID();
  const withdraw = await askForRestart(runningFolder(dataDir), { pid, id, started, by: userInfo().username, names });
  const since = Date.now();
  let asked: AskedGateway = { entry, answer: undefined };
  while (!isDone(asked) && Date.now() - since < PATIENCE_MS) {
    await delay(POLL_MS);
    const now = (await listRunning(dataDir)).find((each) => each.pid === pid && each.started === started);
    if (now === undefined) break;
    asked = { entry: now, answer: now.restarts?.find((answer) => answer.id === id) };
  }
  await withdraw();
  return asked;
}

function isDone({ entry, answer }: AskedGateway): boolean {
  return answer !== undefined && stateOf(entry, answer.restarted).every(({ state }) => !UNDER_WAY.has(state));
}

function stateOf({ status }: Pick<RunningGateway, 'status'>, names: readonly string[]): readonly UpstreamSummary[] {
  return (status?.upstreams ?? []).filter(({ name, slug }) => names.includes(name) || names.includes(slug));
}

async function restartOverHttp(names: RestartedNames, api: AdminApi): Promise<Restarted> {
  const { upstreams } = await api.status();
  const wanted =
    names === 'all' ? upstreams.filter(({ state }) => state !== 'disabled').map(({ name }) => name) : names;
  for (const name of wanted) await api.restart(name);
  const since = Date.now();
  let status = await api.status();
  const isStarting = (): boolean => stateOf({ status }, wanted).some(({ state }) => UNDER_WAY.has(state));
  while (isStarting() && Date.now() - since < PATIENCE_MS) {
    await delay(POLL_MS);
    status = await api.status();
  }
  return { address: api.origin, upstreams: stateOf({ status }, wanted) };
}

const SERVING: ReadonlySet<string> = new Set(['ready', 'dormant']);

/** One that is started anew soon after the last time waits a moment before. */
const UNDER_WAY: ReadonlySet<string> = new Set(['starting', 'waiting']);

/** 4 where a gateway did not answer, or a server that was started anew does not serve. */
function codeOf(gateways: readonly Restarted[]): number {
  const serves = ({ upstreams }: Restarted): boolean => upstreams?.every(({ state }) => SERVING.has(state)) ?? false;
  return gateways.every(serves) ? EXIT_CODE.ok : EXIT_CODE.unreachable;
}

function printRestarted({ address, pid, upstreams }: Restarted, terminal: Terminal): void {
  const where = pid === undefined ? address : `${address} (process ${pid})`;
  if (upstreams === undefined) {
    printLine(terminal, `${where}: no answer; an older version, or a gateway that is busy`);
    return;
  }
  printLine(terminal, `${where}: started anew`);
  printTable(
    terminal,
    ['UPSTREAM', 'STATE', 'PROBLEM'],
    upstreams.map(({ name, state, problem = '' }) => [name, state, problem]),
  );
}
