import { CONFIG_DEFAULTS } from './defaults.js';
import { renderJson } from './lock-file.js';

/** A configuration to start from: the settings that people change first, and one server as an example, switched off. */
export function renderInitConfig(): string {
  const { host, port } = CONFIG_DEFAULTS.server;
  const { mode, profile } = CONFIG_DEFAULTS.endpoint;
  return renderJson({
    // Where npm puts it; an editor that does not find it only offers no completion.
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
