import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureDataDirectories } from '../../../../src/config/load/data-directories.js';
import { loadOnly } from '../config-folder.js';

it('creates the data directory and the working directories in it, while loading creates nothing', async () => {
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
  expect(readdirSync(config.dataDir)).toEqual(['audit', 'deep']);
});

it('creates the directories of the audit record and of the store, readable by their owner only', async () => {
  const config = await loadOnly({ audit: { directory: 'records/audit' }, store: { file: 'state/a.db' } });
  await ensureDataDirectories(config);
  const modes = ['.mcp-aql', 'records', 'records/audit', 'state'].map(
    (name) => statSync(join(config.directory, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
  expect(readdirSync(join(config.directory, 'state'))).toEqual([]);
});

it('creates none for disabled parts', async () => {
  const config = await loadOnly({ audit: { enabled: false }, store: { type: 'memory' } });
  await ensureDataDirectories(config);
  expect(readdirSync(config.dataDir)).toEqual([]);
});

it.each([
  [
    { audit: { directory: 'gateway.config.json' } },
    /audit\.directory: .* cannot be created \(EEXIST\)\n.*audit\.directory/,
  ],
  [{ store: { file: 'gateway.config.json/a.db' } }, /store\.file: .* cannot be created \(EEXIST\)\n.*store\.file/],
])('says which setting chose a directory that cannot be created: %j', async (main, message) => {
  await expect(ensureDataDirectories(await loadOnly(main))).rejects.toThrow(message);
});

it('says which directory cannot be created, and what to do', async () => {
  const config = await loadOnly({ dataDir: 'gateway.config.json' });
  await expect(ensureDataDirectories(config)).rejects.toThrow(
    /dataDir: the directory '.*' cannot be created \(EEXIST\)\n +-> .*MCP_AQL_DATA_DIR/,
  );
});

it.skipIf(!existsSync('/proc/self'))('says so where the system lets no directory be made, as below /proc', async () => {
  const config = await loadOnly({ dataDir: '/proc/gateway/data' });
  await expect(ensureDataDirectories(config)).rejects.toThrow(
    /dataDir: the directory '\/proc\/gateway\/data' cannot be created \(ENOENT\)/,
  );
});
