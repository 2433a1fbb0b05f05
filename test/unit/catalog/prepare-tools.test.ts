import { describe, expect, it } from 'vitest';
import { buildCatalog, buildCatalogInSlices } from '../../../src/catalog/build-catalog.js';
import { measureDefinition } from '../../../src/catalog/measure-definition.js';
import { LONGEST_DEFINITION } from '../../../src/protocol/tools.js';
import { anUpstream } from '../../support/build-test-catalog.js';

const tools = (count: number, characters: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `read_thing_${index}`,
    description: 'x'.repeat(characters),
    inputSchema: { type: 'object' },
  }));

const inputOf = (offered: readonly object[]) => ({
  toolSets: [{ upstream: 'a', tools: offered.map((tool) => ({ ...tool })) }],
  upstreams: [anUpstream('a')],
  builtins: [],
  pins: {},
});

function countStops(count: number, characters: number): number {
  const work = buildCatalogInSlices(inputOf(tools(count, characters)));
  let stops = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) stops += 1;
  return stops;
}

describe('building a catalog', () => {
  it('stops more often, the longer the definitions are together', () => {
    // A stop for each step, however small the list.
    expect(countStops(3, 10)).toBeLessThan(10);
    expect(countStops(1_000, 2_000)).toBeGreaterThan(100);
    expect(countStops(5_000, 10)).toBeGreaterThan(100);
  });

  it('leaves out a definition that no model could read, and says so', () => {
    const { operations, diagnostics } = buildCatalog(inputOf(tools(1, LONGEST_DEFINITION)));
    expect(operations).toEqual([]);
    expect(diagnostics.map(({ kind, message }) => [kind, message])).toEqual([
      [
        'tool-set-aside',
        "Tool 'read_thing_0' of 'a' cannot be called: its definition has more than 1000000 characters",
      ],
    ]);
  });

  it('measures a definition no further than to the longest that is read', () => {
    let read = 0;
    const part = (): object => ({
      get text() {
        read += 1;
        return 'x'.repeat(1_000);
      },
    });
    expect(measureDefinition({ name: 'a', parts: Array.from({ length: 100_000 }, part) })).toBeGreaterThan(
      LONGEST_DEFINITION,
    );
    expect(read).toBeLessThan(1_100);
  });
});
