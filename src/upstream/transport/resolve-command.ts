import { constants, statSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path, { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { StdioEndpoint } from '../../config/gateway-config.js';
import { UpstreamFault } from './fault.js';

/** What is really started for a stdio server. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are one ready command line for cmd.exe. */
  readonly verbatim?: true;
}

interface CommandSurroundings {
  /** Folders such as `node_modules/.bin`, searched after PATH. */
  readonly binDirectories: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/**
 * Finds the program behind a configured command, so that a missing one is explained here and not by the operating system.
 * `npx` with a package that is installed anyway is short-cut to that package's program: npx asks the network and puts two
 * processes between the gateway and the server.
 *
 * @throws UpstreamFault of kind `command`.
 */
export async function resolveCommand(endpoint: StdioEndpoint, around: CommandSurroundings): Promise<ResolvedCommand> {
  await requireFolder(endpoint.cwd);
  const installed = isNpx(endpoint.command) ? await findInstalledBin(endpoint.args, around.binDirectories) : undefined;
  if (installed !== undefined) return installed;
  const file = await findProgram(endpoint, around);
  return (around.platform ?? process.platform) === 'win32'
    ? wrapBatchFile(file, endpoint.args, around)
    : { file, args: endpoint.args };
}

function isNpx(command: string): boolean {
  return /^npx(\.cmd)?$/i.test(path.basename(command));
}

/** Programs that fetch what they start, and those that do so by a word of theirs. */
const INSTALLERS =
  /^(?:(?:npx|bunx|pnpx|uvx|pipx|docker|podman|nerdctl)|(?:npm (?:exec|x)|(?:pnpm|yarn) dlx|bun x|uv (?:run|tool)|deno run))(?= |$)/i;

/**
 * Whether a start may have to install the server first, which takes minutes on a slow line; what is installed in part when it is ended may
 * stay broken.
 */
export function mayInstall({ command, args }: StdioEndpoint): boolean {
  const words = [path.basename(command).replace(/\.(?:cmd|exe|bat)$/i, ''), ...args].join(' ').split(' ');
  // A shell or `env` may stand before it.
  return words.slice(0, 4).some((_word, at) => INSTALLERS.test(words.slice(at).join(' ')));
}

async function requireFolder(cwd: string): Promise<void> {
  if (!(await holdsFolder(cwd))) throw new UpstreamFault('command', `its working directory '${cwd}' does not exist`);
}

async function holdsFolder(place: string): Promise<boolean> {
  const found = await stat(place).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function findProgram(endpoint: StdioEndpoint, around: CommandSurroundings): Promise<string> {
  const { command, cwd } = endpoint;
  const bare = path.basename(command) === command;
  const folders = bare ? [...pathFolders(around, cwd), ...around.binDirectories] : [''];
  let blocked: string | undefined;
  for (const folder of folders) {
    for (const suffix of programSuffixes(command, around)) {
      const candidate = path.resolve(cwd, folder, command + suffix);
      const state = await probeProgram(candidate);
      if (state === 'runs') return candidate;
      if (state === 'blocked') blocked ??= candidate;
    }
  }
  if (blocked !== undefined)
    throw new UpstreamFault('command', `'${blocked}' is not executable (command '${command}')`);
  const [program = '', ...more] = command.trim().split(/\s+/);
  // A program whose own path has a blank was found as it is.
  const isLine =
    more.length > 0 && (await findProgram({ ...endpoint, command: program }, around).catch(() => undefined));
  if (isLine) {
    const args = JSON.stringify([...more, ...endpoint.args]);
    const line = `write "command": ${JSON.stringify(program)}, "args": ${args}`;
    throw new UpstreamFault('command', `command '${command}' holds arguments: ${line}`);
  }
  const isFolder = !bare && (await holdsFolder(path.resolve(cwd, command)));
  const absent = isFolder ? 'is a folder: name the program in it' : 'does not exist';
  const where = bare ? 'was not found in PATH or node_modules/.bin' : absent;
  throw new UpstreamFault('command', `command '${command}' ${where}`);
}

function pathFolders({ env, platform }: CommandSurroundings, cwd: string): readonly string[] {
  const value = env['PATH'] ?? env['Path'] ?? '';
  const delimiter = (platform ?? process.platform) === 'win32' ? ';' : ':';
  // POSIX: an empty entry means the working directory.
  return value.split(delimiter).map((folder) => (folder === '' ? cwd : folder));
}

function programSuffixes(command: string, { env, platform }: CommandSurroundings): readonly string[] {
  if ((platform ?? process.platform) !== 'win32') return [''];
  const known = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((suffix) => suffix !== '');
  return path.extname(command) === '' ? known : ['', ...known];
}

async function probeProgram(file: string): Promise<'runs' | 'blocked' | 'absent'> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) return 'absent';
  return access(file, constants.X_OK).then(
    () => 'runs' as const,
    () => 'blocked' as const,
  );
}

/** Node refuses to start batch files itself (CVE-2024-27980); npx, npm and most of `.bin` are batch files on Windows. */
function wrapBatchFile(file: string, args: readonly string[], { env }: CommandSurroundings): ResolvedCommand {
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args };
  const line = [file, ...args].map((part) => `"${part.replaceAll('"', '""')}"`).join(' ');
  return { file: env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

/**
 * The folders where packages put their programs, nearest first: `node_modules/.bin` beside each starting folder and beside
 * every folder above it, as Node looks for modules.
 * https://nodejs.org/api/modules.html#loading-from-node_modules-folders
 *
 * A starting folder may be below one that all users share, such as `/tmp`, where anybody can make a `node_modules`. So of the
 * folders above it those count that its owner, this user or root has made, and that no other user may write to.
 */
export function listBinDirectories(
  startingFolders: readonly string[],
  ownerOf: (folder: string) => FolderOwner | undefined = readOwner,
): readonly string[] {
  const directories = startingFolders.flatMap((start) => {
    const trusted = [ownerOf(start)?.uid, process.getuid?.(), 0];
    const isTrusted = (folder: string): boolean => {
      const owner = ownerOf(folder);
      return owner !== undefined && trusted.includes(owner.uid) && !owner.writableByAll;
    };
    return foldersUpward(start).flatMap((folder) => {
      const modules = join(folder, 'node_modules');
      const bin = join(modules, '.bin');
      return folder === start || (isTrusted(modules) && isTrusted(bin)) ? [bin] : [];
    });
  });
  return [...new Set(directories)];
}

/** Who made a folder, and whether all users may write to it. */
export interface FolderOwner {
  readonly uid: number;
  readonly writableByAll: boolean;
}

/** Undefined where there is no such folder. Windows has no such modes; there every folder is this user's. */
function readOwner(folder: string): FolderOwner | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return { uid: found.uid, writableByAll: process.platform !== 'win32' && (found.mode & 0o002) !== 0 };
}

function foldersUpward(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpward(parent)];
}

/**
 * What a child inherits: enough to find programs, a home and a temporary folder, and no secret of the gateway's own.
 * The POSIX list is the one the MCP SDK uses, plus the locale and the temporary folder.
 */
const INHERITED: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'USERNAME',
    'USERPROFILE',
  ],
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a stdio server: the inherited few, overlaid with what its configuration says. */
export function childEnvironment(
  configured: Readonly<Record<string, string>>,
  own: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of INHERITED[platform === 'win32' ? 'win32' : 'posix']) {
    const value = own[name];
    // An exported shell function is code, not data (CVE-2014-6271).
    if (value !== undefined && !value.startsWith('()')) inherited[name] = value;
  }
  return { ...inherited, ...configured };
}

/** `name`, `@scope/name`, either with `@version`. */
const PACKAGE_SPEC = /^(?<name>(?:@[\w.-]+\/)?[\w.-]+)(?:@(?<version>[^@]+))?$/;

const ASSUME_YES = new Set(['-y', '--yes']);

/**
 * The program that `npx <args>` would run, when its package is installed beside one of the `.bin` folders. Anything unusual
 * (other flags, a tag or range, an ambiguous package) is left to npx itself.
 */
async function findInstalledBin(
  args: readonly string[],
  binDirectories: readonly string[],
): Promise<ResolvedCommand | undefined> {
  const first = args.findIndex((arg) => !ASSUME_YES.has(arg));
  const spec = PACKAGE_SPEC.exec(args[first] ?? '')?.groups;
  if (spec?.['name'] === undefined) return undefined;
  for (const directory of binDirectories) {
    const home = path.join(path.dirname(directory), spec['name']);
    const file = await findBin(home, spec['name'], spec['version']);
    if (file !== undefined) return startWithNode(file, args.slice(first + 1));
  }
  return undefined;
}

async function findBin(home: string, name: string, version: string | undefined): Promise<string | undefined> {
  const manifest = await readManifest(path.join(home, 'package.json'));
  if (manifest === undefined) return undefined;
  // A tag such as `latest` means "ask the registry", so only an exact version can be served from the disk.
  if (version !== undefined && version !== manifest['version']) return undefined;
  const relative = chooseBin(manifest['bin'], name);
  if (relative === undefined) return undefined;
  const file = path.join(home, relative);
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}

async function readManifest(file: string): Promise<JsonObject | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isJsonObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** As npx chooses: the only program, else the one named like the package. */
function chooseBin(bin: unknown, packageName: string): string | undefined {
  if (typeof bin === 'string') return bin;
  if (!isJsonObject(bin)) return undefined;
  const entries = Object.entries(bin);
  const unscoped = packageName.slice(packageName.indexOf('/') + 1);
  const chosen = entries.length === 1 ? entries[0]?.[1] : bin[unscoped];
  return typeof chosen === 'string' ? chosen : undefined;
}

function startWithNode(file: string, args: readonly string[]): ResolvedCommand {
  if (/\.[cm]?js$/.test(file)) return { file: process.execPath, args: [file, ...args] };
  return { file, args };
}
