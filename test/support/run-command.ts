import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../src/cli/run.js';
import type { CliOutcome } from './run-cli.js';

/**
 * Runs one command in this process, for tables of many commands: starting the binary takes longer than what they do. A test file
 * runs one at a time, since a process has one working directory and one environment.
 */
export async function runCommand(
  args: readonly string[],
  {
    cwd,
    env = {},
    keys,
  }: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Pressed one after the other at a terminal; without them there is none. */
    readonly keys?: string;
  },
): Promise<CliOutcome> {
  const before = { cwd: process.cwd(), env: process.env, exitCode: process.exitCode };
  const [out, err] = [new PassThrough(), new PassThrough()];
  if (keys !== undefined) Object.assign(out, { isTTY: true });
  const written = Promise.all([text(out), text(err)]);
  process.chdir(cwd);
  process.env = { ...before.env, ...env };
  process.exitCode = 0;
  try {
    const terminal = {
      out,
      err,
      ...(keys !== undefined && { in: Object.assign(Readable.from([keys]), { isTTY: true }) }),
    };
    await run([process.execPath, 'mcp-aql-gateway', ...args], terminal);
    const code = Number(process.exitCode);
    out.end();
    err.end();
    const [stdout, stderr] = await written;
    return { code, stdout, stderr };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
    process.exitCode = before.exitCode;
  }
}
