import { join } from 'node:path';
import { REPOSITORY } from './served-gateway.js';

const SERVER = join(REPOSITORY, 'test/fixtures/servers/inline-server.mjs');

/** A server whose tools are this JavaScript (see the fixture), as an entry of `mcpServers`. */
export function inlineServer(tools: string, more: object = {}) {
  return { command: process.execPath, args: [SERVER, tools], ...more };
}

/** A server whose methods are this JavaScript (see the fixture), as an entry of `mcpServers`. */
export function methodsServer(methods: string) {
  return { command: process.execPath, args: [join(REPOSITORY, 'test/fixtures/servers/methods-server.mjs'), methods] };
}
