import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load/load-config.js';
import { maskConfig } from '../../../src/config/load/secrets.js';
import { loadOnly, makeFolder, problemsOf } from './config-folder.js';

it('refuses a file that is a pipe, without waiting for it', async () => {
  const cwd = makeFolder({ 'gateway.config.json': {}, 'upstreams/a.json': {} });
  execFileSync('mkfifo', [join(cwd, 'upstreams', 'x.json')]);
  await expect(loadConfig({ env: {}, cwd })).rejects.toThrow('expected a regular file');
});

it('refuses a file of over a megabyte, and over a thousand servers', async () => {
  const long = await problemsOf({}, { files: { 'upstreams/x.json': `"${'x'.repeat(1_048_576)}"` } });
  expect(long).toMatchObject([{ message: 'the file is larger than 1048576 bytes' }]);
  const entries = Array.from({ length: 1_001 }, (_, index) => [`s${index}`, { command: 'x' }]);
  const many = await problemsOf({ mcpServers: Object.fromEntries(entries) });
  expect(many).toMatchObject([{ message: 'expected at most 1000 servers, got 1001' }]);
});

it('warns of a configuration or data directory that every user may write', async () => {
  const cwd = makeFolder({ 'gateway.config.json': {}, '.mcp-aql/x': '' });
  chmodSync(join(cwd, 'gateway.config.json'), 0o666);
  chmodSync(join(cwd, '.mcp-aql'), 0o777);
  const { warnings } = await loadConfig({ env: {}, cwd });
  expect(warnings).toEqual([
    expect.stringContaining('every user of this machine may write it'),
    expect.stringContaining('every user of this machine may write to'),
  ]);
});

it('masks the value of a variable with a secret name wherever it stands', async () => {
  const env = { HUB_TOKEN: 'squeamish', PLACE: 'ossifrage' };
  const config = await loadOnly(
    { mcpServers: { hub: { command: 'hub', args: ['${HUB_TOKEN}', '${PLACE}'] } } },
    { env },
  );
  const shown = JSON.stringify(maskConfig(config, env));
  expect(shown).not.toContain('squeamish');
  expect(shown).toContain('ossifrage');
});
