import { readFile, rename } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError } from '../../config/diagnostics.js';
import {
  blockForServers,
  changeMainFile,
  openEditableConfig,
  placesOf,
  type ServerPlace,
} from '../../config/edit-config.js';
import { editJsonc, type JsoncEdit } from '../../config/edit-jsonc.js';
import type { LoadOptions } from '../../config/load-config.js';
import { JsoncSyntaxError } from '../../config/parse-jsonc.js';
import { suggestName } from '../../lib/names.js';
import { replaceFile } from '../../lib/replace-file.js';
import type { JsonObject } from '../../protocol/json.js';
import type { CommonFlags } from '../context.js';
import { CliError, EXIT_CODE } from '../exit-code.js';
import { describeFollower, followReload } from '../follow-reload.js';
import { printJson, printLine, type Terminal } from '../terminal.js';

interface EditFlags extends CommonFlags {
  readonly dryRun?: boolean;
}

interface AddFlags extends EditFlags {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly transport?: string;
  readonly trust?: string;
  readonly description?: string;
  readonly force?: boolean;
}

/** Registers the commands that change which servers there are. */
export function registerServers(program: Command, terminal: Terminal): void {
  program
    .command('add')
    .description('add a server to the configuration: its command after --, or its URL')
    .argument('<name>')
    .argument('<target...>', 'the URL, or after -- the command and its arguments')
    .option('--env <K=V>', 'a variable of the command; may be repeated', collect)
    .option('--header <K=V>', 'a header of requests to the URL; may be repeated', collect)
    .option('--cwd <folder>', 'where the command runs')
    .option('--transport <type>', 'http or sse, for a URL')
    .option('--trust <level>', 'untested, validated or certified (default: validated, as adding it vouches for it)')
    .option('--description <text>', 'what it is for, as models read it')
    .option('--force', 'replace a server of this name')
    .option('--dry-run', 'show the file as it would be, and write nothing')
    .action(async (name: string, target: readonly string[], _own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<AddFlags>();
      await add(name, readEntry(target, flags), flags, terminal);
    });
  const one = (name: string, description: string, run: (server: string, flags: EditFlags) => Promise<void>): void => {
    program
      .command(name)
      .description(description)
      .argument('<name>')
      .option('--dry-run', 'show the file as it would be, and write nothing')
      .action(async (server: string, _own: unknown, command: Command) =>
        run(server, command.optsWithGlobals<EditFlags>()),
      );
  };
  one('remove', 'remove a server from the configuration', (server, flags) => remove(server, flags, terminal));
  one('enable', 'start a server that is disabled', (server, flags) => setDisabled(server, false, flags, terminal));
  one('disable', 'keep a server in the configuration, and do not start it', (server, flags) =>
    setDisabled(server, true, flags, terminal),
  );
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Where the configuration is looked for, as every command does. */
export function loadOptionsOf(flags: CommonFlags): LoadOptions {
  return { env: process.env, cwd: process.cwd(), ...(flags.config === undefined ? {} : { file: flags.config }) };
}

function readEntry(target: readonly string[], flags: AddFlags): JsonObject {
  const { cwd, description, trust, transport } = flags;
  const [first = '', ...args] = target;
  const isUrl = /^https?:\/\//i.test(first);
  if (isUrl && (args.length > 0 || flags.env !== undefined || cwd !== undefined)) {
    throw new CliError(EXIT_CODE.usage, 'a URL takes --header and --transport; a command stands after --');
  }
  if (!isUrl && (flags.header !== undefined || transport !== undefined)) {
    throw new CliError(EXIT_CODE.usage, `--header and --transport are for a URL, and '${first}' is none`);
  }
  const more = {
    ...(description === undefined ? {} : { description }),
    ...(trust === undefined ? {} : { trust }),
  };
  if (isUrl)
    return { type: transport ?? 'http', url: first, ...readPairs('headers', '--header', flags.header), ...more };
  return {
    command: first,
    ...(args.length === 0 ? {} : { args }),
    ...readPairs('env', '--env', flags.env),
    ...(cwd === undefined ? {} : { cwd }),
    ...more,
  };
}

function readPairs(key: string, option: string, pairs: readonly string[] | undefined): JsonObject {
  if (pairs === undefined) return {};
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new CliError(EXIT_CODE.usage, `${option}: expected NAME=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { [key]: Object.fromEntries(entries) };
}

async function add(name: string, entry: JsonObject, flags: AddFlags, terminal: Terminal): Promise<void> {
  const config = await readable(() => openEditableConfig(loadOptionsOf(flags)));
  const known = placesOf(config, name).find(isDefinition);
  if (known !== undefined && flags.force !== true) {
    throw new CliError(
      EXIT_CODE.usage,
      `There is a server '${known.name}' in ${known.file} already; --force replaces it`,
    );
  }
  if (known !== undefined && known.path.length === 0) {
    throw new CliError(EXIT_CODE.usage, `'${known.name}' has a file of its own, ${known.file}: change it there`);
  }
  const path = known?.path ?? [...blockForServers(config), name];
  await change(config, [{ path, value: entry }], flags, terminal, `Added '${name}' to ${config.file}.`);
}

/** Whether a place says how the server is reached, and not only how its operations are curated. */
function isDefinition({ entry }: ServerPlace): boolean {
  return entry['command'] !== undefined || entry['url'] !== undefined;
}

async function remove(name: string, flags: EditFlags, terminal: Terminal): Promise<void> {
  const config = await readable(() => openEditableConfig(loadOptionsOf(flags)));
  const places = requirePlaces(config, name);
  const own = places.filter(({ path }) => path.length === 0).filter(isDefinition);
  const edits = places.filter(({ path }) => path.length > 0).map(({ path }) => ({ path, value: undefined }));
  if (flags.dryRun !== true) for (const { file } of own) await rename(file, `${file}.removed`);
  const files = own.map(({ file }) => ` ${file} is now ${file}.removed.`).join('');
  await change(config, edits, flags, terminal, `Removed '${places[0]?.name ?? name}'.${files}`);
}

async function setDisabled(name: string, disabled: boolean, flags: EditFlags, terminal: Terminal): Promise<void> {
  const config = await readable(() => openEditableConfig(loadOptionsOf(flags)));
  const places = requirePlaces(config, name);
  // The last definition that says so counts.
  const said = places.filter(({ entry }) => entry['disabled'] !== undefined);
  const place = said.at(-1) ?? places.find(isDefinition) ?? places[0];
  if (place === undefined) return;
  const value = disabled ? true : undefined;
  const done = `'${place.name}' is ${disabled ? 'disabled' : 'enabled'}.`;
  const isLast = said.length <= 1;
  const edit = { path: [...place.path, 'disabled'], value: isLast ? value : disabled };
  if (place.path.length > 0) await change(config, [edit], flags, terminal, done);
  else await changeOwnFile(place, edit, flags, terminal, done);
}

/** A file of one server: its definition is validated with the reload. */
async function changeOwnFile(
  { file, entry }: ServerPlace,
  edit: JsoncEdit,
  flags: EditFlags,
  terminal: Terminal,
  done: string,
): Promise<void> {
  const text = editJsonc(await readFile(file, 'utf8'), [edit]);
  if (flags.dryRun !== true && entry['disabled'] !== edit.value) await replaceFile(file, text);
  await report({ file, text }, flags, terminal, done);
}

function requirePlaces(config: Parameters<typeof placesOf>[0], name: string): readonly ServerPlace[] {
  const places = placesOf(config, name);
  if (places.length > 0) return places;
  const hint = suggestName(
    name,
    config.servers.map((server) => server.name),
  );
  throw new CliError(
    EXIT_CODE.usage,
    `There is no server '${name}' in ${config.file}${hint === undefined ? '' : `; ${hint}`}`,
  );
}

type MainFile = Parameters<typeof changeMainFile>[0];

async function change(
  config: MainFile,
  edits: readonly JsoncEdit[],
  flags: EditFlags,
  terminal: Terminal,
  done: string,
): Promise<void> {
  const text = await readable(() =>
    changeMainFile(config, edits, { ...loadOptionsOf(flags), isDryRun: flags.dryRun === true }),
  );
  await report({ file: config.file, text }, flags, terminal, done);
}

/** Says what was written, and how gateways that run have taken it. */
export async function report(
  { file, text }: MainFile,
  flags: EditFlags,
  terminal: Terminal,
  done: string,
): Promise<void> {
  if (flags.dryRun === true) {
    if (flags.json === true) printJson(terminal, { file, written: false, text });
    else terminal.out.write(text);
    return;
  }
  const running = await followReload({ ...loadOptionsOf(flags), file });
  if (flags.json === true) {
    printJson(terminal, { file, written: true, running });
    return;
  }
  printLine(terminal, done);
  for (const follower of running) printLine(terminal, describeFollower(follower));
}

/** Faults of the files as messages with their exit code. */
export async function readable<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ConfigError)
      throw new CliError(EXIT_CODE.config, `Not written:\n${error.message}`, { cause: error });
    if (error instanceof JsoncSyntaxError) {
      const place = `line ${error.line}, column ${error.column}`;
      throw new CliError(EXIT_CODE.config, `Not written: ${place}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
