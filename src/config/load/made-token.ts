import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultCode } from '../../base/lib/fault-code.js';
import { makeFolder } from '../../base/lib/make-folder.js';
import type { GatewayConfig } from '../gateway-config.js';
import { isOwnMachine } from '../own-machine.js';
import { hashToken } from './build-access.js';
import { ConfigError } from './diagnostics.js';

/** Whether other machines could call without authentication, and the operator has not allowed it. */
export function needsToken({ server, clients }: Pick<GatewayConfig, 'server' | 'clients'>): boolean {
  return (
    clients.length === 0 && server.oauth === undefined && !server.allowUnauthenticated && !isOwnMachine(server.host)
  );
}

/** The client that the made token belongs to. */
const CLIENT = 'default';

/** A configuration with a client whose token was made here. */
interface WithMadeToken {
  readonly config: GatewayConfig;
  readonly file: string;
  /** Secret: shown once, when it was made just now; undefined when it is of an earlier start. */
  readonly made: string | undefined;
}

/**
 * Gives a gateway that listens beyond this machine a client with a token, kept in the data directory for its owner alone.
 * @throws ConfigError where it cannot be kept: a token that changes at each start would be of no use.
 */
export function addMadeToken(config: GatewayConfig): WithMadeToken {
  const file = join(config.dataDir, 'client.token');
  const fresh = randomBytes(32).toString('hex');
  const made = keep(file, fresh, config) ? fresh : undefined;
  const token = made ?? readFileSync(file, 'utf8').trim();
  return {
    config: { ...config, clients: [{ name: CLIENT, keys: [{ hash: hashToken(token) }], groups: [] }] },
    file,
    made,
  };
}

/** Writes the file; false when it is there already. */
function keep(file: string, token: string, { dataDir, file: source }: GatewayConfig): boolean {
  try {
    makeFolder(dataDir, 0o700);
    writeFileSync(file, `${token}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if (faultCode(cause) === 'EEXIST') return false;
    const message = `there are no clients, and a token cannot be kept in '${file}' (${faultCode(cause)})`;
    throw new ConfigError([
      { file: source ?? 'configuration', path: 'clients', message, suggestion: 'set clients or MCP_AQL_CLIENT_TOKEN' },
    ]);
  }
}
