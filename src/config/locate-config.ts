import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name looked for in the working directory, and of the default that ships with the package. */
const FILE_NAME = 'gateway.config.json';

/** Beside package.json, seen from `src/config` and from `dist/config`. */
const PACKAGED_FILE = fileURLToPath(new URL(`../../${FILE_NAME}`, import.meta.url));

/** Where the configuration is. All paths are absolute. */
export interface ConfigLocation {
  /** Null when there is none, not even the packaged default. */
  readonly file: string | null;
  /** Where the file's relative paths start. */
  readonly directory: string;
  /** Where the lock stands and the default data directory is made: never inside the package, which may be read-only or a cache. */
  readonly dataRoot: string;
}

/** Finds the main file: the one asked for, the environment's, the working directory's, the packaged default. */
export function locateConfig(options: {
  readonly file?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly packagedFile?: string;
}): ConfigLocation {
  const { cwd, packagedFile = PACKAGED_FILE } = options;
  const asked = options.file || options.env['MCP_AQL_CONFIG'];
  const own = asked ? resolve(cwd, asked) : join(cwd, FILE_NAME);
  if (asked || existsSync(own)) return { file: own, directory: dirname(own), dataRoot: dirname(own) };
  if (!existsSync(packagedFile)) return { file: null, directory: cwd, dataRoot: cwd };
  return { file: packagedFile, directory: dirname(packagedFile), dataRoot: cwd };
}
