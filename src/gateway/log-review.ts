import { join } from 'node:path';
import type { GatewayConfig } from '../config/gateway-config.js';

/** Reading what servers print, for the command line: needs no gateway. */
export { followServerLog, tailServerLog } from '../upstream/transport/server-logs.js';

/** Where what servers print is kept. */
export function serverLogDirectory({ dataDir }: Pick<GatewayConfig, 'dataDir'>): string {
  return join(dataDir, 'logs');
}
