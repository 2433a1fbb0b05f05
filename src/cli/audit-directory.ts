import { resolve } from 'node:path';
import { faultCode } from '../config/secret-file.js';
import { type CommonFlags, loadCliConfig } from './context.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import type { Terminal } from './terminal.js';

export interface AuditFlags extends CommonFlags {
  readonly dir?: string;
}

export const DIR_OPTION = ['--dir <directory>', 'the journals; instead of those of the configuration'] as const;

/** What is not there to be read, and why that may be. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory: nothing has been recorded yet, or it was removed. Another one: --dir',
  ENOTDIR: 'this is no directory. Another one: --dir',
  EACCES: 'it may not be read by this account: run this as the one that runs the gateway',
};

/**
 * Runs a task over the directory that is meant: `--dir`, for which no configuration is needed, or the configured one.
 * @throws CliError where the journals cannot be read
 */
export async function withJournals(
  flags: AuditFlags,
  terminal: Terminal,
  task: (directory: string) => Promise<void>,
): Promise<void> {
  const directory =
    flags.dir === undefined ? (await loadCliConfig(flags, terminal)).audit.directory : resolve(flags.dir);
  try {
    await task(directory);
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    const code = faultCode(cause);
    const problem = PROBLEMS[code] ?? `it cannot be read (${code})`;
    throw new CliError(EXIT_CODE.failure, `No audit journals in '${directory}': ${problem}`, { cause });
  }
}
