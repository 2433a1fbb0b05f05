import { dirname, isAbsolute, relative } from 'node:path';
import { faultCode } from '../../base/lib/fault-code.js';
import { makeFolder } from '../../base/lib/make-folder.js';
import type { GatewayConfig } from '../gateway-config.js';
import { ConfigError } from './diagnostics.js';

/** A directory, and the setting that chooses it. */
interface ChosenDirectory {
  readonly directory: string;
  readonly setting: string;
  readonly suggestion: string;
}

/**
 * Creates the directories that the gateway writes to (data, audit, the store's file), and the working directories of stdio
 * servers below the data directory. Other directories are the operator's: creating a missing one would hide a mistake.
 * @throws ConfigError when one cannot be created.
 */
export async function ensureDataDirectories(config: GatewayConfig): Promise<void> {
  for (const chosen of listDirectories(config)) makeDirectory(chosen, config.file);
}

function listDirectories({ dataDir, audit, store, upstreams }: GatewayConfig): readonly ChosenDirectory[] {
  const data = { setting: 'dataDir', suggestion: 'choose another with dataDir or MCP_AQL_DATA_DIR' };
  const working = upstreams.flatMap(({ disabled, endpoint }) =>
    !disabled && endpoint.type === 'stdio' && isBelow(endpoint.cwd, dataDir) ? [endpoint.cwd] : [],
  );
  return [
    ...[dataDir, ...working].map((directory) => ({ directory, ...data })),
    ...choose(audit.enabled ? audit.directory : undefined, 'audit.directory'),
    ...choose(store.type === 'sqlite' ? dirname(store.file) : undefined, 'store.file'),
  ];
}

function choose(directory: string | undefined, setting: string): readonly ChosenDirectory[] {
  return directory === undefined ? [] : [{ directory, setting, suggestion: `choose another with ${setting}` }];
}

function makeDirectory({ directory, setting, suggestion }: ChosenDirectory, file: string | null): void {
  try {
    // The directory holds private data, so only its owner may read it.
    makeFolder(directory, 0o700);
  } catch (cause) {
    const message = `the directory '${directory}' cannot be created (${faultCode(cause)})`;
    throw new ConfigError([{ file: file ?? 'configuration', path: setting, message, suggestion }]);
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}
