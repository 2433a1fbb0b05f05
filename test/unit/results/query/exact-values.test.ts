import { describe, expect, it } from 'vitest';
import { parseExact, writeExact } from '../../../../src/base/json/exact-numbers.js';
import type { Control } from '../../../../src/results/query/result-types.js';
import { project, runQuery } from '../../../../src/results/query/run-query.js';
import { readQuery } from '../../../../src/results/results.js';
import { compileComputedFields } from '../../../../src/results/shape/controls.js';
import { anOperation } from '../../../support/an-operation.js';
import { CONTROLLED, SOURCE } from '../../../support/collection-source.js';

/** Ids as many databases have them: a double takes the first two for one. */
const ROWS = '[{"id":12345678901234567890,"n":1},{"id":12345678901234567891,"n":2},{"id":7,"n":3},{"id":"9","n":4}]';
const LINK = anOperation({ computed: { link: { expression: "concat('#', id)" } } });

function ask(given: Partial<Record<Control, unknown>>): string {
  const controls = new Map(Object.entries(given)) as ReadonlyMap<Control, unknown>;
  const query = readQuery(controls, CONTROLLED)!;
  const source = { ...SOURCE, computed: compileComputedFields(LINK) };
  const { ordered, aggregations } = runQuery(parseExact(ROWS) as readonly unknown[], query, source);
  return writeExact(aggregations ?? project(ordered, query, source, ordered));
}

const numbersOf = (text: string): unknown => (JSON.parse(text) as { n: number }[]).map(({ n }) => n);

describe('numbers of more digits than a double holds', () => {
  it.each<[filter: unknown, found: number[]]>([
    [{ id: '12345678901234567891' }, [2]],
    [{ id: { in: ['12345678901234567890'] } }, [1]],
    // A client's own JSON rounds the number before it is sent.
    [{ id: 12345678901234567000 }, [1, 2]],
    [{ id: { gt: 8 } }, [1, 2, 4]],
    [{ id: { lt: 8 } }, [3]],
    [{ id: { gt: '12345678901234567890' } }, [2]],
    [{ id: { lte: '12345678901234567890' } }, [1, 3, 4]],
    [{ id: { pattern: '123*91' } }, [2]],
    [{ id: { contains: 'number' } }, []],
  ])('are found by %j', (filter, found) => {
    expect(numbersOf(ask({ filter }))).toEqual(found);
  });

  it('are sorted among other numbers, exact to the last digit', () => {
    expect(numbersOf(ask({ sort: [{ field: 'id', order: 'desc' }] }))).toEqual([2, 1, 4, 3]);
  });

  it('are searched by their digits', () => {
    expect(numbersOf(ask({ query: 'number' }))).toEqual([]);
    expect(numbersOf(ask({ query: '4567891' }))).toEqual([2]);
  });

  it('are aggregated', () => {
    const aggregate = { all: { max: 'id', min: 'id', sum: 'id' }, by: { group_by: 'id', count: true } };
    expect(ask({ aggregate })).toBe(
      '{"all":{"sum":24691357802469135797,"min":7,"max":12345678901234567891},' +
        '"by":{"7":1,"9":1,"12345678901234567890":1,"12345678901234567891":1}}',
    );
  });

  it('are their digits in computed fields', () => {
    expect(ask({ filter: { n: 2 }, fields: ['id', '_computed.link'] })).toBe(
      '[{"id":12345678901234567891,"_computed":{"link":"#12345678901234567891"}}]',
    );
  });
});
