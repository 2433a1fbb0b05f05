import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { formatPath } from '../../base/json/json-path.js';
import {
  blockForServers,
  changeMainFile,
  type EditableConfig,
  openEditableConfig,
} from '../../config/edit/edit-config.js';
import { ConfigError, type ConfigProblem } from '../../config/load/diagnostics.js';
import { type LoadOptions, loadConfig } from '../../config/load/load-config.js';
import { maskArguments } from '../../config/load/secrets.js';
import { toSlug } from '../../config/load/server-definition.js';
import { publicUrlOf } from '../../config/public-url.js';
import { type Machine, MCP_CLIENTS } from '../clients/client-table.js';
import { isOwnGateway } from '../clients/own-gateway.js';
import { type FoundFile, type FoundServer, findClientServers, readServersOf } from '../clients/read-servers.js';
import type { CommonFlags } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { warnOfReaders } from '../shared/readers.js';
import { describeFollower, followReload, listRunning } from '../shared/running.js';
import { oneLine, printJson, printLine, printTable, printWarning, type Terminal } from '../shared/terminal.js';
import { loadOptionsOf, readable } from './servers.js';

interface ImportFlags extends CommonFlags {
  readonly from?: string;
  readonly dryRun?: boolean;
}

/** What becomes of one server that was found. */
interface ImportedServer {
  readonly name: string;
  readonly client: string;
  readonly file: string;
  readonly what: string;
  readonly outcome: 'added' | 'refused' | 'present' | 'conflict' | 'gateway';
  readonly dropped: readonly string[];
  readonly variables: readonly string[];
  /** Those of them that are written out, which may be secrets. */
  readonly literals: readonly string[];
}

export function registerImport(program: Command, terminal: Terminal): void {
  program
    .command('import')
    .description("add the servers that MCP clients on this machine have: Claude, Cursor, VS Code and others'")
    .option('--from <client-or-file>', `one of ${[...MCP_CLIENTS.keys()].join(', ')}, or a file`)
    .option('--dry-run', 'show what would be added, and write nothing')
    .action(async (_own: unknown, command: Command) => {
      await runImport(command.optsWithGlobals<ImportFlags>(), terminal);
    });
}

/** This machine; tests give a home of their own. */
export function thisMachine(): Machine {
  const { env, platform } = process;
  return { platform, env, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir(), cwd: process.cwd() };
}

async function runImport(flags: ImportFlags, terminal: Terminal): Promise<void> {
  const found = await findFiles(flags.from);
  const config = await readable(() => openEditableConfig(loadOptionsOf(flags)));
  const known = new Map(config.servers.map(({ slug, entry }) => [slug, entry]));
  const taken: FoundServer[] = [];
  const addresses = await ownAddresses(loadOptionsOf(flags));
  const servers = found
    .flatMap((file) => file.servers)
    .map((server): ImportedServer => {
      const outcome = judge(server, known, addresses);
      if (outcome === 'added') {
        known.set(toSlug(server.name), server.entry);
        taken.push(server);
      }
      return describe(server, outcome);
    });
  const isDryRun = flags.dryRun === true;
  const { added, disabled, refused } = await write(config, taken, { ...loadOptionsOf(flags), isDryRun });
  const isWritten = !isDryRun && added > 0;
  if (isWritten) await warnOfReaders(config.file, terminal);
  const running = isWritten ? await followReload({ ...loadOptionsOf(flags), file: config.file }) : [];
  const judged = servers.map((server) =>
    server.outcome === 'added' && refused.has(server.name) ? { ...server, outcome: 'refused' as const } : server,
  );
  const report = {
    file: config.file,
    written: isWritten,
    servers: judged,
    disabled: Object.fromEntries(disabled),
    refused: Object.fromEntries(refused),
    running,
  };
  if (flags.json === true) printJson(terminal, { ...report, files: found.map(describeFile) });
  else {
    printReport(found, report, isDryRun, terminal);
    for (const follower of running) printLine(terminal, describeFollower(follower));
  }
}

/** What became of the servers that were to be added; of those that were not added as they are, why, by name. */
interface Written {
  readonly added: number;
  readonly disabled: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Adds the servers. One that cannot be started here (a variable that is not set, a question to an editor's user) is added disabled, and one
 * that is no server even so (a member of another type) is left out, so that neither keeps the others out.
 */
async function write(
  config: EditableConfig,
  servers: readonly FoundServer[],
  options: Parameters<typeof changeMainFile>[2],
): Promise<Written> {
  const block = blockForServers(config);
  const disabled = new Map<string, string>();
  const refused = new Map<string, string>();
  for (;;) {
    const left = servers.filter(({ name }) => !refused.has(name));
    const edits = left.map(({ name, entry }) => ({
      path: [...block, name],
      value: disabled.has(name) ? { ...entry, disabled: true } : entry,
    }));
    try {
      if (edits.length > 0) await changeMainFile(config, edits, options);
      return { added: edits.length, disabled, refused };
    } catch (error) {
      const faults = findFaults(left, block, error);
      if (faults.size === 0) return readable(() => Promise.reject(error));
      for (const [name, why] of faults) {
        if (disabled.delete(name)) refused.set(name, why);
        else disabled.set(name, why);
      }
    }
  }
}

/** What is wrong with each server, as the configuration would have it. */
function findFaults(
  servers: readonly FoundServer[],
  block: readonly string[],
  error: unknown,
): ReadonlyMap<string, string> {
  const problems = error instanceof ConfigError ? error.problems : [];
  const faults = servers.flatMap(({ name }) => {
    const place = formatPath([...block, name]);
    const own = problems.filter(
      ({ path }) => path === place || (/^[.[]/.test(path.slice(place.length)) && path.startsWith(place)),
    );
    return own.length === 0 ? [] : [[name, own.map((problem) => describeProblem(problem, place)).join('; ')] as const];
  });
  return new Map(faults);
}

/** With the member that it is about. */
function describeProblem({ path, message }: ConfigProblem, place: string): string {
  const member = path.slice(place.length).replace(/^\./, '');
  return member === '' || message.includes(member) ? message : `'${member}': ${message}`;
}

async function findFiles(from: string | undefined): Promise<readonly FoundFile[]> {
  const machine = thisMachine();
  if (from === undefined) return findClientServers(machine);
  const client = MCP_CLIENTS.get(from);
  if (client !== undefined) return findClientServers(machine, [client]);
  const file = resolve(from);
  if (existsSync(file)) return [await readNamed(file, machine)];
  throw new CliError(
    EXIT_CODE.usage,
    `--from: '${from}' is neither a file nor one of ${[...MCP_CLIENTS.keys()].join(', ')}`,
  );
}

async function readNamed(file: string, machine: Machine): Promise<FoundFile> {
  try {
    return await readServersOf(file, machine);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT_CODE.usage, `--from: ${file}: ${why}`, { cause });
  }
}

/** The first of a name is taken: a later one that is another server is left to the operator. */
function judge(
  { name, entry }: FoundServer,
  known: ReadonlyMap<string, JsonObject>,
  addresses: readonly string[],
): ImportedServer['outcome'] {
  if (isOwnGateway(entry, addresses)) return 'gateway';
  const other = known.get(toSlug(name));
  if (other === undefined) return 'added';
  return isSameServer(entry, other) ? 'present' : 'conflict';
}

/** Where this gateway is reached by its configuration, and where those are that run over its data. */
async function ownAddresses(options: LoadOptions): Promise<readonly string[]> {
  const loaded = await loadConfig({ ...options, tolerant: true }).catch(() => undefined);
  if (loaded === undefined) return [];
  const { server, dataDir } = loaded.config;
  const { publicUrl: _public, ...bound } = server;
  const running = await listRunning(dataDir);
  return [publicUrlOf(server), publicUrlOf(bound), ...running.map(({ address }) => address)];
}

function isSameServer(a: JsonObject, b: JsonObject): boolean {
  const keys = ['command', 'args', 'url', 'env', 'headers'];
  return keys.every((key) => isDeepStrictEqual(a[key] ?? null, b[key] ?? null));
}

function describe(server: FoundServer, outcome: ImportedServer['outcome']): ImportedServer {
  const { name, client, file, entry, dropped } = server;
  const { command, args, url, env, headers } = entry;
  const words = url === undefined ? [command, ...(Array.isArray(args) ? args : [])] : [url];
  const what = maskArguments(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word)))).join(' ');
  const named = [env, headers].filter(isJsonObject).flatMap((values) => Object.entries(values));
  const literals = named.filter(([, value]) => !REFERENCE.test(String(value)));
  const namesOf = (entries: typeof named): readonly string[] => entries.map(([key]) => key);
  return { name, client, file, what, outcome, dropped, variables: namesOf(named), literals: namesOf(literals) };
}

/** What is read from elsewhere: `${TOKEN}`, `Bearer ${TOKEN}`. */
const REFERENCE = /\$\{[^}]+\}/;

function describeFile({ client, file, servers, unusable, problem }: FoundFile) {
  return { client, file, servers: servers.length, unusable, ...(problem === undefined ? {} : { problem }) };
}

interface ImportReport {
  readonly file: string;
  readonly written: boolean;
  readonly servers: readonly ImportedServer[];
  /** Those that were added disabled, and why. */
  readonly disabled: Readonly<Record<string, string>>;
  /** Those that were left out, and why. */
  readonly refused: Readonly<Record<string, string>>;
}

const OUTCOMES: Readonly<Record<ImportedServer['outcome'], string>> = {
  added: 'added',
  refused: 'left out: it is no server that can be configured',
  present: 'is there already',
  conflict: 'left out: another server has this name',
  gateway: 'left out: it is this gateway',
};

function printReport(
  found: readonly FoundFile[],
  { file, written, servers, disabled, refused }: ImportReport,
  isDryRun: boolean,
  terminal: Terminal,
): void {
  for (const { file: source, unusable, problem } of found) {
    if (problem !== undefined) printWarning(terminal, `${source} cannot be read: ${problem}`);
    for (const name of unusable)
      printWarning(terminal, `'${name}' in ${source} has neither a command nor a URL that is a text`);
  }
  if (servers.length === 0) {
    const looked =
      found.length === 0 ? 'No file of an MCP client was found' : 'The files of the clients name no server';
    printLine(terminal, `${looked}; name one with --from FILE.`);
    return;
  }
  const rows = servers.map(({ name, client, what, outcome, variables, dropped }) => [
    name,
    client,
    oneLine(what).slice(0, 80),
    OUTCOMES[outcome],
    [...variables, ...dropped.map((key) => `without ${key}`)].join(', '),
  ]);
  printTable(terminal, ['SERVER', 'FROM', 'WHAT', 'OUTCOME', 'VARIABLES'], rows);
  for (const [name, why] of Object.entries(disabled)) printWarning(terminal, `'${name}' is disabled: ${why}`);
  for (const [name, why] of Object.entries(refused)) printWarning(terminal, `'${name}' is left out: ${why}`);
  const added = servers.filter(({ outcome }) => outcome === 'added');
  const count = added.length;
  const secrets = added.some(({ literals }) => literals.length > 0)
    ? ' Secrets among their variables are in it now.'
    : '';
  if (isDryRun) printLine(terminal, `Not written: ${count} would be added to ${file}.`);
  else if (written) printLine(terminal, `Added ${count} to ${file}.${secrets}`);
}
