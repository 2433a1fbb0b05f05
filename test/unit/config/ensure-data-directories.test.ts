import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureDataDirectories } from '../../../src/config/ensure-data-directories.js';
import { loadOnly } from './config-folder.js';

it('makes the data directory and the working directories in it, and loading makes nothing', async () => {
  const config = await loadOnly({
    mcpServers: {
      inside: { command: 'x', cwd: '${dataDir}/deep/files' },
      off: { command: 'x', cwd: '${dataDir}/off', disabled: true },
      sibling: { command: 'x', cwd: '${dataDir}-other' },
      outside: { command: 'x', cwd: 'elsewhere' },
    },
  });
  expect(readdirSync(config.directory)).toEqual(['gateway.config.json']);
  await ensureDataDirectories(config);
  await ensureDataDirectories(config);
  expect(readdirSync(config.directory).sort()).toEqual(['.mcp-aql', 'gateway.config.json']);
  expect(existsSync(join(config.dataDir, 'deep/files'))).toBe(true);
  expect(readdirSync(config.dataDir)).toEqual(['deep']);
});

it('says which directory cannot be made, and what to do', async () => {
  const config = await loadOnly({ dataDir: 'gateway.config.json' });
  await expect(ensureDataDirectories(config)).rejects.toThrow(
    /dataDir: the directory '.*' cannot be made \(EEXIST\)\n +-> .*MCP_AQL_DATA_DIR/,
  );
});
