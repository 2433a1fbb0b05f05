import { readFileSync } from 'node:fs';

/**
 * Reads a file of the program that is no module, by its path below `src`. In one place, because a module's own URL is that of
 * the bundle's chunk which holds it: all chunks lie one folder deep, as this file does.
 */
export function readAsset(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}
