import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockContent } from '../../../../src/config/gateway-config.js';
import { LOCK_FILE_NAME, renderJson, writeLockFile } from '../../../../src/config/load/lock-file.js';
import { load, loadOnly, makeFolder, problemsOf } from '../config-folder.js';

const SERVERS = { mcpServers: { a: { command: 'x' }, b: { command: 'x', integrity: 'quarantine' } } };

const LOCK: LockContent = {
  version: 1,
  upstreams: {
    zoo: {},
    a: {
      walk: {
        fingerprint: `sha256:${'0'.repeat(64)}`,
        operations: { walk: { category: 'EXECUTE', danger: 'reversible', family: 'execute' } },
        definition: { description: 'Walks.\u200b\u{e0041}', name: 'walk' },
      },
      ['__proto__']: { fingerprint: `sha256:${'1'.repeat(64)}`, operations: {}, definition: { name: '__proto__' } },
    },
  },
};

const modesOf = ({ upstreams }: Awaited<ReturnType<typeof loadOnly>>) => upstreams.map(({ integrity }) => integrity);

describe('a lock', () => {
  it('is written in a form for review, and reads back as the same content', async () => {
    const folder = makeFolder({ 'gateway.config.json': SERVERS });
    await writeLockFile(join(folder, LOCK_FILE_NAME), LOCK);
    const text = readFileSync(join(folder, LOCK_FILE_NAME), 'utf8');
    expect(text).toContain('Walks.\\u200b\\udb40\\udc41');
    expect(text.indexOf('"a"')).toBeLessThan(text.indexOf('"zoo"'));
    expect(readdirSync(folder)).toEqual(['gateway.config.json', LOCK_FILE_NAME]);
    const config = await loadOnly(SERVERS, { files: { [LOCK_FILE_NAME]: text } });
    expect(config.lock.content).toEqual(LOCK);
    expect(Object.keys(config.lock.content?.upstreams['a'] ?? {})).toContain('__proto__');
  });

  it('stays as it was, without other files, where it cannot be written', async () => {
    const folder = makeFolder({ 'lock/file': 'x' });
    await expect(writeLockFile(join(folder, 'lock'), LOCK)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it.each([
    ['no JSON', '{', 'the lock is not JSON'],
    ['another version', { version: 2, upstreams: {} }, 'the lock must be equal to constant'],
    [
      'a broken fingerprint',
      { version: 1, upstreams: { a: { x: { fingerprint: 'x', operations: {}, definition: {} } } } },
      'the lock must match pattern',
    ],
  ])('with %s is a problem of the configuration', async (_, content, message) => {
    const [problem] = await problemsOf(SERVERS, { files: { [LOCK_FILE_NAME]: content } });
    expect(problem).toMatchObject({ file: LOCK_FILE_NAME, message: expect.stringContaining(message) });
  });
});

it('names the tool whose entry in a lock is wrong', async () => {
  const content = { version: 1, upstreams: { 'a/b': { 'x~y': { fingerprint: 'x', operations: {}, definition: {} } } } };
  const [problem] = await problemsOf(SERVERS, { files: { [LOCK_FILE_NAME]: JSON.stringify(content) } });
  expect(problem).toMatchObject({ path: '/upstreams/a~1b/x~0y/fingerprint' });
});

describe('the digest of a lock', () => {
  const digestOf = async (text: string) =>
    (await load(SERVERS, { files: { [LOCK_FILE_NAME]: text } })).config.lock.digest;

  it('is the same whatever ends the lines, and another for another lock', async () => {
    const text = JSON.stringify(LOCK, null, 2);
    const [digest, other] = [await digestOf(text), await digestOf(text.replace('EXECUTE', 'DELETE'))];
    expect(digest).toMatch(/^[\w-]{43}$/);
    expect(await digestOf(text.replaceAll('\n', '\r\n'))).toBe(digest);
    expect(other).not.toBe(digest);
  });
});

describe('the setting integrity', () => {
  it('is warn where there is a lock and off where there is none by default', async () => {
    const files = { [LOCK_FILE_NAME]: LOCK };
    expect(modesOf(await loadOnly(SERVERS))).toEqual(['off', 'quarantine']);
    expect(modesOf(await loadOnly(SERVERS, { files }))).toEqual(['warn', 'quarantine']);
    expect(modesOf(await loadOnly({ ...SERVERS, integrity: 'off' }, { files }))).toEqual(['off', 'quarantine']);
    expect(modesOf(await loadOnly({ ...SERVERS, integrity: 'quarantine' }))).toEqual(['quarantine', 'quarantine']);
  });

  it('accepts only its three values', async () => {
    const [problem] = await problemsOf({ ...SERVERS, integrity: 'quarantin' });
    expect(problem).toMatchObject({ path: 'integrity', suggestion: expect.stringContaining('quarantine') });
  });

  it('comes with the path of the lock, even where there is none', async () => {
    const { config } = await load(SERVERS);
    expect(config.lock).toEqual({ file: join(config.directory, LOCK_FILE_NAME), content: null, digest: null });
  });
});

it('writes JSON that reads back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(renderJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('keeps short lists on a line and breaks long ones', () => {
  const long = Array.from({ length: 10 }, () => 'x'.repeat(12));
  expect(renderJson({ a: ['b', 'c'], d: {}, e: [] })).toBe('{\n  "a": ["b", "c"],\n  "d": {},\n  "e": []\n}\n');
  expect(renderJson({ long })).toBe(`${JSON.stringify({ long }, null, 2)}\n`);
});
