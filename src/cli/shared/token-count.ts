import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { programFile } from '../../base/asset.js';

export type CountTokens = (text: string) => number;

/** The tokenizer's tables take tens of megabytes, so only what counts loads them. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Tool descriptions are data: text that looks like a special token is plain text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

/**
 * The tokens of each text, and of the JSON of what is none, counted by a process of its own, whose memory is free again afterwards: a thread leaves 5 to 20 MB
 * behind, between what others have allocated. Undefined where it cannot count.
 */
export async function countInProcess(values: readonly unknown[]): Promise<readonly number[] | undefined> {
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
  try {
    for (const [index, value] of values.entries()) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const isTaken = child.stdin.write(`${index === 0 ? '[' : ','}${JSON.stringify(text)}`);
      // Thousands of texts are written as fast as they are read.
      if (!isTaken && child.stdin.writable)
        await Promise.race([once(child.stdin, 'drain'), once(child.stdin, 'close')]);
    }
    child.stdin.end(']');
    return (await json(child.stdout)) as readonly number[];
  } catch {
    return undefined;
  } finally {
    process.off('exit', end);
  }
}
