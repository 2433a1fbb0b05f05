import { vi } from 'vitest';

/** On a machine that is busy with other things: by how much longer than usual tests wait. */
export const PATIENCE = Number(process.env['TEST_PATIENCE'] ?? 1);

/** The limit of a test that takes longer than others, in milliseconds. */
export const minutes = (count: number): number => count * 60_000 * PATIENCE;

/** Tries until nothing is thrown, as long as there is patience; `vi.waitFor` alone gives up after a second. */
export function waitFor<T>(attempt: () => T | Promise<T>, options: { readonly interval?: number } = {}): Promise<T> {
  return vi.waitFor(attempt, { timeout: minutes(1), interval: 20, ...options });
}
