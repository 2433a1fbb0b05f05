import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Observation } from '../../../src/base/observe/observation.js';
import {
  combineKnown,
  createCatalogKeeper,
  type KnownCatalog,
  NOTHING_KNOWN,
  readKeptCatalog,
  readLockedCatalog,
} from '../../../src/gateway/kept-catalog.js';
import { anUpstream, aTool } from '../../support/build-test-catalog.js';
import { makeDirectory } from '../../support/gateway-folder.js';

const known: KnownCatalog = {
  holders: new Map([
    ['read_file', ['files']],
    ['search', ['files', 'web']],
  ]),
  tools: new Map([['files', [aTool('read_file'), aTool('search')]]]),
};
const NO_LOCK_ENTRY = { fingerprint: '', definition: {} };

it('the kept catalog is read as it was written, from one file that only its owner may read', async () => {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'catalog.json');
  const keeper = createCatalogKeeper(
    file,
    () => ['files'],
    () => undefined,
  );
  keeper.keep(NOTHING_KNOWN);
  keeper.keep(known);
  await keeper.close();
  expect(await readKeptCatalog(file, () => undefined)).toEqual(known);
  expect(await readdir(directory.path)).toEqual(['catalog.json']);
});

it('the kept catalog remembers of a very long list only that its upstream has been seen', async () => {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'catalog.json');
  const keeper = createCatalogKeeper(
    file,
    () => ['files'],
    () => undefined,
  );
  const long = [aTool('long', {}, { description: 'x'.repeat(2_000_000) })];
  keeper.keep({ ...known, tools: new Map([...known.tools, ['long', long]]) });
  await keeper.close();
  const { tools } = await readKeptCatalog(file, () => undefined);
  expect([...tools.keys()]).toEqual(['files', 'long']);
  expect(tools.get('long')).toBeNull();
});

it.each(['', '{', '[]', '{"version":2}', '{"version":1,"names":{},"upstreams":7}'])(
  'a damaged file %j counts as empty and is reported',
  async (text) => {
    await using directory = await makeDirectory();
    const file = join(directory.path, 'catalog.json');
    await writeFile(file, text);
    const observed: Observation[] = [];
    expect(await readKeptCatalog(file, (observation) => observed.push(observation))).toEqual(NOTHING_KNOWN);
    expect(observed).toMatchObject([{ kind: 'diagnostic', severity: 'warning' }]);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('a catalog that cannot be written is reported once', async () => {
  const observed: Observation[] = [];
  const keeper = createCatalogKeeper(
    // A file is no folder.
    '/dev/null/catalog.json',
    () => [],
    (observation) => observed.push(observation),
  );
  keeper.keep(known);
  await keeper.close();
  keeper.keep(NOTHING_KNOWN);
  await keeper.close();
  expect(observed).toHaveLength(1);
});

it('the lock gives names to the upstream whose accepted tools have them, and its definitions stand in for lists', () => {
  const operation = { category: 'READ', danger: 'safe', family: 'read' } as const;
  const tools = { readFile: { ...NO_LOCK_ENTRY, definition: aTool('readFile'), operations: { read_file: operation } } };
  const shared = { grep: { ...NO_LOCK_ENTRY, operations: { search: operation } } };
  const locked = readLockedCatalog(
    { version: 1, upstreams: { Files: { ...tools, ...shared }, web: shared, gone: tools } },
    [anUpstream('files', { name: 'Files' }), anUpstream('web')],
  );
  expect(locked.holders).toEqual(
    new Map([
      ['read_file', ['files']],
      ['search', ['files', 'web']],
    ]),
  );
  expect(locked.tools.get('files')).toContainEqual(aTool('readFile'));
  expect(readLockedCatalog(null, [])).toEqual(NOTHING_KNOWN);
});

it('the lock decides about a name that it gives to one upstream; else the last run does', () => {
  const locked = {
    holders: new Map([
      ['a', ['one']],
      ['b', ['one', 'two']],
      ['c', ['one', 'two']],
    ]),
    tools: new Map(),
  };
  const kept = {
    holders: new Map([
      ['a', ['two']],
      ['b', ['two']],
    ]),
    tools: new Map(),
  };
  expect(Object.fromEntries(combineKnown(locked, kept).holders)).toEqual({ a: ['one'], b: ['two'], c: ['one', 'two'] });
});
