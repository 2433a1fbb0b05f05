import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { addMadeToken, needsToken } from '../../../../src/config/load/made-token.js';
import { loadOnly } from '../config-folder.js';

it.each([
  [{ server: { host: '0.0.0.0' } }, true],
  [{ server: { host: '192.0.2.1' } }, true],
  [{ server: { host: '127.0.0.1' } }, false],
  [{ server: { host: '0.0.0.0', allowUnauthenticated: true } }, false],
  [{ server: { host: '0.0.0.0' }, clients: { ci: { token: 'a-token-of-enough-characters' } } }, false],
])('%j needs a token of its own: %s', async (main, needed) => {
  expect(needsToken(await loadOnly(main))).toBe(needed);
});

it('is made once, and kept in the data directory for its owner alone', async () => {
  const config = await loadOnly({ server: { host: '0.0.0.0' } });
  const first = addMadeToken(config);
  const second = addMadeToken(config);
  expect(first.made).toMatch(/^[0-9a-f]{64}$/);
  expect([second.made, second.config.clients]).toEqual([undefined, first.config.clients]);
  expect(first.config.clients).toEqual([
    { name: 'default', keys: [{ hash: hashToken(first.made ?? '') }], groups: [] },
  ]);
  expect(readFileSync(first.file, 'utf8').trim()).toBe(first.made);
  expect(first.file).toBe(join(config.dataDir, 'client.token'));
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
});
