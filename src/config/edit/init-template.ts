import { renderJson } from '../load/lock-file.js';
import { SERVER } from '../schema/server-schema.js';
import { ENDPOINT } from '../schema/serving-schema.js';
import { normalise } from '../schema/setting.js';

/** The configuration that `init` writes: the settings that people change first, and one disabled server as an example. */
export function renderInitConfig(): string {
  const { host, port } = normalise(SERVER, undefined);
  const { mode, profile } = normalise(ENDPOINT, undefined);
  return renderJson({
    // The path of an npm installation; without the file, an editor only lacks completion.
    $schema: './node_modules/mcp-aql-gateway/docs/gateway-config.schema.json',
    server: { host, port },
    endpoint: { mode, profile },
    mcpServers: {
      example: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
        env: {},
        disabled: true,
      },
    },
  });
}
