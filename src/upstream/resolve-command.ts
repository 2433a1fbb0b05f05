import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StdioEndpoint } from '../config/gateway-config.js';
import { findInstalledBin } from './find-installed-bin.js';
import type { ResolvedCommand } from './resolved-command.js';
import { UpstreamFault } from './upstream-fault.js';

export interface CommandSurroundings {
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

async function requireFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new UpstreamFault('command', `its working directory '${cwd}' does not exist`);
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
  const where = bare ? 'was not found in PATH or node_modules/.bin' : 'does not exist';
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
