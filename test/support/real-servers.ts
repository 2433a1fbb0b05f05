/** Three real servers that need no credentials and no network, with their data in the gateway's data folder. */
export const REAL_SERVERS = {
  everything: { command: 'mcp-server-everything' },
  filesystem: { command: 'mcp-server-filesystem', args: ['.'], cwd: '${dataDir}/files' },
  memory: { command: 'mcp-server-memory', env: { MEMORY_FILE_PATH: '${dataDir}/memory.json' } },
} as const;
