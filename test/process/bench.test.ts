import { describe, expect, it } from 'vitest';
import { NIGHTLY } from '../support/nightly.js';
import { BINARY } from '../support/served-gateway.js';

/** What the parts of the bench use that measure the build from within. */
interface Inner {
  /** Resolves with what was answered wrongly, in words. */
  open(): Promise<readonly string[]>;
  stop(): Promise<unknown>;
}

async function faultsOf(file: string, start: string): Promise<readonly string[]> {
  const module = (await import(new URL(`../bench/${file}`, import.meta.url).href)) as Record<
    string,
    (program: string) => Inner | undefined
  >;
  const inner = module[start]?.(BINARY);
  if (inner === undefined) throw new Error(`${file} finds no module to measure in this build`);
  try {
    return await inner.open();
  } finally {
    await inner.stop();
  }
}

describe.skipIf(!NIGHTLY)('The bench (NIGHTLY=1)', () => {
  it('gets right answers to all that it asks of ten thousand rows', async () => {
    expect(await faultsOf('answers/start-answers.mjs', 'startAnswers')).toEqual([]);
  });

  it('finds that each of its gates passes and refuses the calls that it should', async () => {
    expect(await faultsOf('gate/start-gates.mjs', 'startGates')).toEqual([]);
  });
});
