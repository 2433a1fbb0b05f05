import { join } from 'node:path';

/**
 * The servers of the first story. All start without network and real credentials: the ones for remote services get made-up values, and
 * are asked for their tools only.
 */
export const SERVERS = [
  npm('filesystem', '@modelcontextprotocol/server-filesystem@2026.8.31', 'mcp-server-filesystem', ({ files }) => ({
    args: [files],
  })),
  npm('memory', '@modelcontextprotocol/server-memory@2026.8.31', 'mcp-server-memory', ({ graph }) => ({
    env: { MEMORY_FILE_PATH: graph },
  })),
  npm('everything', '@modelcontextprotocol/server-everything@2026.8.31', 'mcp-server-everything', () => ({})),
  npm(
    'sequential-thinking',
    '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    'mcp-server-sequential-thinking',
    () => ({}),
  ),
  npm('git', '@cyanheads/git-mcp-server@2.15.3', 'git-mcp-server', ({ root }) => ({
    env: { GIT_BASE_DIR: root, LOGS_DIR: `${root}/logs`, MCP_TRANSPORT_TYPE: 'stdio' },
  })),
  npm('excel', '@negokaz/excel-mcp-server@0.12.0', 'excel-mcp-server', () => ({})),
  npm('sqlite', 'mcp-sqlite@1.0.9', 'mcp-sqlite-server', ({ database }) => ({ args: [database] })),
  npm('desktop-commander', '@wonderwhy-er/desktop-commander@0.2.52', 'desktop-commander', () => ({})),
  npm('playwright', '@playwright/mcp@0.0.83', 'playwright-mcp', () => ({ args: ['--headless'] })),
  npm('kubernetes', 'mcp-server-kubernetes@4.1.7', 'mcp-server-kubernetes', ({ kubeconfig }) => ({
    env: { KUBECONFIG: kubeconfig },
  })),
  npm('mongodb', 'mongodb-mcp-server@3.0.4', 'mongodb-mcp-server', () => ({
    env: { MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1' },
  })),
  npm('github', '@modelcontextprotocol/server-github@2025.4.8', 'mcp-server-github', () => ({
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'made-up' },
  })),
  npm('notion', '@notionhq/notion-mcp-server@2.5.2', 'notion-mcp-server', () => ({ env: { NOTION_TOKEN: 'made-up' } })),
  npm('commands', 'mcp-server-commands@0.5.0', 'mcp-server-commands', () => ({})),
  npm('context7', '@upstash/context7-mcp@4.1.1', 'context7-mcp', () => ({})),
];

/** Dependencies that are compiled on the machine; no other install script runs. */
export const COMPILED = ['sqlite3'];

/** @param configure what the server needs of the world, as the gateway's configuration spells it */
function npm(name, spec, command, configure) {
  return { name, spec, command, configure };
}

/** The servers as an `mcpServers` block, which any MCP client reads. */
export function describeServers(bin, world) {
  return Object.fromEntries(
    SERVERS.map(({ name, command, configure }) => {
      const { args = [], env = {} } = configure(world);
      return [name, { command: join(bin, command), args, env: { HOME: world.home, ...env }, cwd: world.root }];
    }),
  );
}
