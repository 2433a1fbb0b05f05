import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { programFile } from '../../base/asset.js';
import { writeInSlices } from '../../base/json/write-in-slices.js';
import { runInSlices } from '../../base/turns/turns.js';

export type CountTokens = (text: string) => number;

/** The tokenizer's tables take tens of megabytes, so only what counts loads them. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Tool descriptions are data: text that looks like a special token is plain text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

/**
 * The tokens of each text, counted by a process of its own, whose memory is free again afterwards: a thread leaves 5 to 20 MB
 * behind, between what others have allocated. Undefined where it cannot count.
 */
export async function countInProcess(texts: readonly string[]): Promise<readonly number[] | undefined> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const program = programFile('cli/shared/token-process.js');
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  // The gateway may stop meanwhile.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  const end = (): boolean => child.kill();
  process.once('exit', end);
  // A process that cannot be started, or is ended, answers nothing.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  for (const piece of await runInSlices(writeInSlices(texts))) child.stdin.write(piece);
  child.stdin.end();
  try {
    return (await json(child.stdout)) as readonly number[];
  } catch {
    return undefined;
  } finally {
    process.off('exit', end);
  }
}
