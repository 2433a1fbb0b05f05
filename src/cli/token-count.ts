import { Worker } from 'node:worker_threads';

export type CountTokens = (text: string) => number;

/** The tokenizer's tables take tens of megabytes, so only what counts loads them. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Tool descriptions are data: text that looks like a special token is plain text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

/**
 * The tokens of each text, counted in a thread whose memory is free again afterwards. Undefined where it cannot count.
 */
export function countInWorker(texts: readonly string[]): Promise<readonly number[] | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('../cli/token-worker.js', import.meta.url), { workerData: texts });
    worker.unref();
    worker.once('message', (counts: readonly number[]) => resolve(counts));
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  });
}
