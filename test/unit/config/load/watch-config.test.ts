import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestConfigFiles } from '../../../../src/config/config-files.js';
import { loadConfig } from '../../../../src/config/load/load-config.js';
import { watchConfig } from '../../../../src/config/load/watch-config.js';
import { makeFolder } from '../config-folder.js';

const SERVER = {
  'gateway.config.json': {
    mcpServers: {
      web: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization_FILE: 'secrets/token', 'X-Key': `\${API_KEY}` } },
      child: { command: 'node', env: { TOKEN_FILE: 'secrets/child', LOG_FILE: 'secrets/log' }, envFile: 'secrets/env' },
      off: { command: 'node', disabled: true, env: { TOKEN_FILE: 'secrets/off' } },
    },
    clients: { anna: { token_FILE: 'secrets/anna' } },
  },
};
const CONTENT = { token: 'Bearer one', child: 'c', env: 'A=b', anna: 'x'.repeat(20), key: 'k', log: 'l', off: 'o' };

/** Mounts the files as Kubernetes does: links to links into a folder that is replaced as a whole. */
function mount(folder: string, version: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, `..${version}`));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `..${version}`, name), text);
  symlinkSync(`..${version}`, join(folder, '..next'));
  renameSync(join(folder, '..next'), join(folder, '..data'));
}

async function loaded({ isMounted = true } = {}) {
  const cwd = makeFolder(SERVER);
  const folder = join(cwd, 'secrets');
  mkdirSync(folder);
  if (isMounted) mount(folder, '1', CONTENT);
  for (const [name, text] of Object.entries(CONTENT))
    if (isMounted) symlinkSync(`..data/${name}`, join(folder, name));
    else writeFileSync(join(folder, name), text);
  const load = async () => (await loadConfig({ cwd, env: { API_KEY_FILE: join(folder, 'key') } })).config;
  return { folder, load, config: await load() };
}

describe('the files of secrets of a configuration', () => {
  it('are those from which values are taken, but neither those of switched-off servers nor logs', async () => {
    const { config, folder } = await loaded();
    expect(config.secretFiles).toEqual(['anna', 'child', 'env', 'key', 'token'].map((name) => join(folder, name)));
  });

  it.each<[string, (folder: string) => void]>([
    ['written in place', (folder) => writeFileSync(join(folder, 'token'), 'Bearer two')],
    [
      'replaced',
      (folder) => {
        writeFileSync(join(folder, 'new'), 'Bearer two');
        renameSync(join(folder, 'new'), join(folder, 'token'));
      },
    ],
    ['mounted anew', (folder) => mount(folder, '2', { ...CONTENT, token: 'Bearer two' })],
  ])('are read again when one is %s', async (name, rotate) => {
    for (const pollMs of [20, 60_000]) {
      const { config, folder, load } = await loaded({ isMounted: name === 'mounted anew' });
      const digest = await digestConfigFiles(config);
      let told = 0;
      // Once by looking, once by what the system reports.
      const watch = watchConfig(
        () => config,
        digest,
        () => (told += 1),
        { quietMs: pollMs === 20 ? 60_000 : 5, pollMs },
      );
      rotate(folder);
      await expect.poll(() => told).toBe(1);
      watch.close();
      const { endpoint } = (await load()).upstreams.find(({ slug }) => slug === 'web')!;
      expect(endpoint).toMatchObject({ headers: { Authorization: 'Bearer two' } });
    }
  });
});
