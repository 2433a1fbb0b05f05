import { describe, expect, it } from 'vitest';
import {
  CONTROL_SPECS,
  choosesItems,
  choosesOfAll,
  leavesOut,
  PARTS,
  partnersOf,
} from '../../../../src/results/query/parts.js';
import { CONTROLS, type CollectionQuery, type Control } from '../../../../src/results/query/result-types.js';
import { readQuery } from '../../../../src/results/results.js';
import { CONTROLLED } from '../../../support/collection-source.js';

/** A value of each control, with what it means something only together with. A new control does not compile without one. */
const EXAMPLES: Readonly<Record<Control, Partial<Record<Control, unknown>>>> = {
  query: { query: 'word' },
  filter: { filter: { a: 1 } },
  sort: { sort: 'a' },
  distinct: { distinct: 'a' },
  fields: { fields: ['a'] },
  preset: { preset: 'minimal' },
  aggregate: { aggregate: { n: { count: true } } },
  include_items: { include_items: true, aggregate: { n: { count: true } } },
  first: { first: 1 },
  after: { after: 'cursor', first: 1 },
  last: { last: 1 },
  before: { before: 'cursor', last: 1 },
  limit: { limit: 1 },
  offset: { offset: 1 },
  page: { page: 1 },
  page_size: { page_size: 1 },
  collection: { collection: 'a' },
};

function queryOf(given: Partial<Record<Control, unknown>>): CollectionQuery {
  const query = readQuery(new Map(Object.entries(given)) as ReadonlyMap<Control, unknown>, CONTROLLED);
  if (query === undefined) throw new Error('no query');
  return query;
}

describe.each(CONTROLS)('the control %s', (control) => {
  const query = queryOf(EXAMPLES[control]);
  const part = PARTS[CONTROL_SPECS[control].part];

  it('is read into the part of the query that its record names', () => {
    expect(part.asked(query)).toBeDefined();
  });

  it('is not lost beside fields where it chooses or orders items', () => {
    expect(choosesItems({ ...query, fields: { paths: [['a']] } })).toBe(
      part.changes !== 'nothing' || query.aggregate !== undefined,
    );
  });

  it('has all pages read where its answer depends on every item', () => {
    expect(choosesOfAll(query)).toBe(part.needsAllPages(query));
    if ('apply' in part) expect(choosesOfAll(query)).toBe(true);
  });

  it('says that items are left out where they are', () => {
    expect(leavesOut(query)).toBe(part.changes === 'which');
  });

  it('counts itself among those that mean something only together', () => {
    expect(partnersOf(control)).toContain(control);
  });
});
