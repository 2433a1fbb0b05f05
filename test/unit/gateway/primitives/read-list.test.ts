import { expect, it } from 'vitest';
import { readList } from '../../../../src/gateway/primitives/read-list.js';

const RESOURCES = { method: 'resources/list', member: 'resources', key: 'uri', most: 10_000 };

it.each([
  ['legacy', ['a:1']],
  ['modern', ['a:1', 'a:2']],
] as const)('an empty cursor of a %s server is read as that revision says', async (era, uris) => {
  const page = (uri: string) => ({ resources: [{ uri, name: 'x' }] });
  const reading = await readList(
    RESOURCES,
    async (params) => ('cursor' in params ? page('a:2') : { ...page('a:1'), nextCursor: '' }),
    era,
  );
  expect(reading.entries.map(({ id }) => id)).toEqual(uris);
});
