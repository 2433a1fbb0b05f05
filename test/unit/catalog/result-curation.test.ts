import { describe, expect, it } from 'vitest';
import type { CurationRule } from '../../../src/config/gateway-config.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

const operationOf = (...curation: readonly CurationRule[]) => buildTestOperation(aTool('list_items'), { curation });

describe('the curation of results', () => {
  it.each([
    ['items', ['items']],
    ['data.items', ['data', 'items']],
    ['', []],
    [false, null],
  ] as const)('reads the collection path %j as %j', (collection, path) => {
    expect(operationOf({ pattern: '*', collection }).collection).toEqual(path);
  });

  it('leaves the operation without settings where no rule has any', () => {
    const operation = operationOf();
    for (const key of ['collection', 'presets', 'computed'])
      expect(operation[key as keyof typeof operation]).toBeUndefined();
  });

  it('passes presets and computed fields on, later rules winning', () => {
    const computed = { age: { expression: 'days_since(at)' } };
    const operation = operationOf(
      { pattern: '*', presets: { brief: ['id'] }, computed, collection: 'items' },
      { pattern: 'list_items', presets: { short: ['name'] }, collection: false },
    );
    expect(operation).toMatchObject({ presets: { short: ['name'] }, computed, collection: null });
  });
});
