import { join } from 'node:path';
import { REPOSITORY } from './served-gateway.js';

const SERVER = join(REPOSITORY, 'test/fixtures/servers/behaviour-server.mjs');

/** The fixture server with a tool for every behaviour, as an entry of `mcpServers`. */
export function behaviourServer(...flags: readonly string[]) {
  return { command: process.execPath, args: [SERVER, ...flags] };
}
