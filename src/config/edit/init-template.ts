import { renderJson } from '../load/lock-file.js';
import { SERVER } from '../schema/server-schema.js';
import { ENDPOINT } from '../schema/serving-schema.js';
import { normalise } from '../schema/setting.js';

/**
 * The configuration that `init` writes: the settings that people change first, and a server that ships with the gateway, so that it serves
 * something at once, without a network.
 * @param schema where an editor finds the schema
 */
export function renderInitConfig(schema: string): string {
  const { host, port } = normalise(SERVER, undefined);
  const { mode, profile } = normalise(ENDPOINT, undefined);
  return renderJson({
    $schema: schema,
    server: { host, port },
    endpoint: { mode, profile },
    mcpServers: { everything: { command: 'mcp-server-everything' } },
  });
}
