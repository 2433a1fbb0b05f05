import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: two above this file, be it in `src`, in `dist` or in a chunk of the bundle. */
export const PACKAGE_DIRECTORY = fileURLToPath(new URL('../../', import.meta.url));

/** The path of a file of the program, by its path below `src`. */
export function programFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/**
 * Reads a file of the program that is no module, by its path below `src`. In one place, because a module's own URL is that of
 * the bundle's chunk which holds it: all chunks lie one folder deep, as this file does.
 */
export function readAsset(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** Reads a file of a package that this one depends on, wherever it is installed. @param path `PACKAGE/FILE` */
export function readPackageFile(path: string): string {
  return readFileSync(requirePackage.resolve(path), 'utf8');
}

/** Requires a package that is loaded late, or that fails better when it is not imported. */
export const requirePackage = createRequire(import.meta.url);

/** What a thread runs, by its path below `src`. Tests run the sources, which a thread cannot load: there it is the build that runs. */
export function threadEntry(path: string): URL {
  return new URL(import.meta.url.endsWith('.ts') ? `../../dist/${path}` : `../${path}`, import.meta.url);
}
