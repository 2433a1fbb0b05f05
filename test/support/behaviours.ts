import { join } from 'node:path';
import { REPOSITORY } from './served-gateway.js';

const SERVER = join(REPOSITORY, 'test/fixtures/servers/behaviour-server.mjs');

/** The fixture server, which has a tool for each behaviour, as an entry of `mcpServers`. */
export function behaviourServer(...flags: readonly string[]) {
  return { command: process.execPath, args: [SERVER, ...flags] };
}
