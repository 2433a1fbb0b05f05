import { describe, expect, it } from 'vitest';
import type { CurationRule } from '../../../src/config/gateway-config.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, title: { type: 'string' } },
  required: ['id', 'title'],
};
const EVERYTHING: CurationRule = { pattern: '*', cache: { ttlSeconds: 60 }, merge: { read: 'get_item' } };

const operationOf = (name: string, ...curation: readonly CurationRule[]) =>
  buildTestOperation(aTool(name, SCHEMA), { curation });

describe('the curation of cache and merge', () => {
  it('sets the cache time of a READ and has no effect on other categories', () => {
    expect(operationOf('get_item', EVERYTHING)).toMatchObject({ cacheSeconds: 60 });
    expect(operationOf('update_item', EVERYTHING).cacheSeconds).toBeUndefined();
    expect(operationOf('get_item').cacheSeconds).toBeUndefined();
  });

  it('sets the READ that an UPDATE merges with and has no effect on other categories', () => {
    expect(operationOf('update_item', EVERYTHING)).toMatchObject({ merge: { read: 'get_item' } });
    expect(operationOf('get_item', EVERYTHING).merge).toBeUndefined();
    expect(operationOf('update_item').merge).toBeUndefined();
  });

  it.each([
    ['put_item', 'Stores it.', 'whole'],
    ['replace_item', 'Stores it.', 'whole'],
    ['overwrite_item', 'Stores it.', 'whole'],
    ['set_item', 'Stores it.', 'whole'],
    ['update_item', 'Replaces the whole item.', 'whole'],
    ['update_item', 'Completely overwrites an item.', 'whole'],
    ['update_item', 'Replaces fields of an item.', 'changed'],
    ['update_settings', 'Changes an input.', 'changed'],
  ])('takes what %s (%s) writes from its words: %s', (name, description, writes) => {
    const curation = [{ pattern: '*', category: 'UPDATE', merge: { read: 'get_item' } }] as const;
    const tool = { ...aTool(name, SCHEMA), description };
    expect(buildTestOperation(tool, { curation }).merge).toEqual({ read: 'get_item', writes });
    const declared = [{ ...curation[0], merge: { read: 'get_item', writes: 'changed' } }] as const;
    expect(buildTestOperation(tool, { curation: declared }).merge?.writes).toBe('changed');
  });

  it.each([
    ['merges', [EVERYTHING], { id: true, title: false }],
    ['does not merge', [], { id: true, title: true }],
  ])('requires the right parameters of an UPDATE that %s', (_what, curation, expected) => {
    const { parameters } = operationOf('update_item', ...curation);
    expect(Object.fromEntries(parameters.map(({ name, required }) => [name, required]))).toEqual(expected);
  });
});
