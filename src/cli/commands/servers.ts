import type { Command } from 'commander';
import type { JsonObject } from '../../base/json/json.js';
import { maskSecrets } from '../../base/protocol/secret-forms.js';
import {
  addServer,
  type ChangeOptions,
  removeServer,
  type ServerChange,
  ServerChangeFault,
  setServerDisabled,
} from '../../config/edit/change-servers.js';
import { type EditableConfig, openEditableConfig } from '../../config/edit/edit-config.js';
import { ConfigError } from '../../config/load/diagnostics.js';
import type { LoadOptions } from '../../config/load/load-config.js';
import { JsoncSyntaxError } from '../../config/load/parse-jsonc.js';
import { SECTIONS } from '../../modules/modules.js';
import type { CommonFlags } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { warnOfReaders } from '../shared/readers.js';
import { describeFollower, followReload } from '../shared/running.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

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
  return { env: process.env, cwd: process.cwd(), file: flags.config, sections: SECTIONS };
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
  const isForced = flags.force === true;
  await act(
    flags,
    terminal,
    (config, options) => addServer(config, { name, entry, isForced }, options),
    ({ file }) => `Added '${name}' to ${file}.`,
  );
}

async function remove(name: string, flags: EditFlags, terminal: Terminal): Promise<void> {
  await act(
    flags,
    terminal,
    (config, options) => removeServer(config, name, options),
    (change) => {
      const file = change.moved === undefined ? '' : ` Its own file is now ${change.moved}.`;
      return `Removed '${change.name}'.${file}`;
    },
  );
}

async function setDisabled(name: string, disabled: boolean, flags: EditFlags, terminal: Terminal): Promise<void> {
  await act(
    flags,
    terminal,
    (config, options) => setServerDisabled(config, { name, disabled }, options),
    (change) => `'${change.name}' is ${disabled ? 'disabled' : 'enabled'}.`,
  );
}

/** Changes the files and says what was written, and how gateways that run have taken it. */
async function act(
  flags: EditFlags,
  terminal: Terminal,
  change: (config: EditableConfig, options: ChangeOptions) => Promise<ServerChange>,
  describe: (change: ServerChange) => string,
): Promise<void> {
  const options = loadOptionsOf(flags);
  const isDryRun = flags.dryRun === true;
  const config = await readable(() => openEditableConfig(options));
  const done = await readable(() => change(config, { ...options, isDryRun }));
  const { file } = done;
  if (isDryRun) {
    const text = maskSecrets(done.text, () => false);
    if (flags.json === true) printJson(terminal, { file, written: false, text });
    else terminal.out.write(text);
    return;
  }
  await warnOfReaders(file, terminal);
  const running = await followReload({ ...options, file: config.file });
  if (flags.json === true) {
    printJson(terminal, { file, written: true, running });
    return;
  }
  printLine(terminal, describe(done));
  for (const follower of running) printLine(terminal, describeFollower(follower));
}

/** Faults of the files as messages with their exit code. */
export async function readable<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ServerChangeFault) {
      const hint = error.kind === 'exists' ? '; --force replaces it' : '';
      throw new CliError(EXIT_CODE.usage, `${error.message}${hint}`, { cause: error });
    }
    if (error instanceof ConfigError)
      throw new CliError(EXIT_CODE.config, `Not written:\n${error.message}`, { cause: error });
    if (error instanceof JsoncSyntaxError) {
      const place = `line ${error.line}, column ${error.column}`;
      throw new CliError(EXIT_CODE.config, `Not written: ${place}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
