import { mkdir } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { ConfigError } from './config-error.js';
import type { GatewayConfig } from './gateway-config.js';
import { faultCode } from './secret-file.js';

/**
 * Makes the data directory, and the working directories below it of the stdio servers that will be started. Others are the
 * operator's: a missing one is a mistake that making it would hide.
 * @throws ConfigError when one cannot be made.
 */
export async function ensureDataDirectories(config: GatewayConfig): Promise<void> {
  const directories = config.upstreams.flatMap(({ disabled, endpoint }) =>
    !disabled && endpoint.type === 'stdio' && isBelow(endpoint.cwd, config.dataDir) ? [endpoint.cwd] : [],
  );
  for (const directory of [config.dataDir, ...directories]) await makeDirectory(directory, config.file);
}

async function makeDirectory(directory: string, file: string | null): Promise<void> {
  try {
    // What servers keep there is nobody else's business.
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const message = `the directory '${directory}' cannot be made (${faultCode(cause)})`;
    const suggestion = 'choose another with dataDir or MCP_AQL_DATA_DIR';
    throw new ConfigError([{ file: file ?? 'configuration', path: 'dataDir', message, suggestion }]);
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}
