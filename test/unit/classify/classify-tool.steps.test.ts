import { describe, expect, it } from 'vitest';
import type { Sliced } from '../../../src/base/turns/turns.js';
import { splitInSteps } from '../../../src/catalog/grouped-tools/split-tool.js';
import { classifyInSteps } from '../../../src/classify/classify-tool.js';
import { readObjectFields } from '../../../src/schema/schema-shape.js';

const PARAMETERS = 2_000;

/** A tool of many parameters, and the most of them whose schemas are read between two stops of some work on it. */
function mostReadBetweenStops(own: object, start: (tool: Record<string, unknown>) => Sliced<unknown>): number {
  const read = new Set<number>();
  const parameterOf = (index: number): object => ({
    get type() {
      read.add(index);
      return 'boolean';
    },
  });
  const many = Object.fromEntries(
    Array.from({ length: PARAMETERS }, (_, index) => [`purge_part_${index}`, parameterOf(index)]),
  );
  const work = start({ name: 'update_thing', inputSchema: { type: 'object', properties: { ...own, ...many } } });
  let most = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) {
    most = Math.max(most, read.size);
    read.clear();
  }
  return most;
}

describe('a tool of thousands of parameters', () => {
  it('is classified with a stop after each', () => {
    const most = mostReadBetweenStops({}, (tool) =>
      classifyInSteps({
        tool,
        name: 'update_thing',
        upstream: { slug: 'a', trust: 'certified' },
        curation: {},
        ignoreAnnotations: false,
      }),
    );
    // Risks are looked for in the first 300.
    expect(most).toBeLessThan(400);
  });

  it('is split by the values of its grouping parameter with stops, and its parameters are read for all values at once', () => {
    const action = { type: 'string', enum: ['create', 'delete', 'list', 'update', 'get'] };
    expect(mostReadBetweenStops({ action }, splitInSteps)).toBeLessThan(400);
  });
});

it('looks up each reference of a long chain once, wherever the chain is entered', () => {
  let lookups = 0;
  const properties = Object.fromEntries(
    Array.from({ length: PARAMETERS }, (_, index) => [`p${index}`, { $ref: `#/properties/p${index + 1}` }]),
  );
  const schema = {
    $ref: '#/$defs/all',
    $defs: { all: { properties } },
    get properties() {
      lookups += 1;
      return properties;
    },
  };
  const work = classifyInSteps({
    tool: { name: 'list_things', inputSchema: schema },
    name: 'list_things',
    upstream: { slug: 'a', trust: 'certified' },
    curation: {},
    ignoreAnnotations: false,
  });
  for (let step = work.next(); step.done !== true; step = work.next());
  expect(readObjectFields(schema, schema)).toHaveLength(PARAMETERS);
  expect(lookups).toBeLessThan(2 * PARAMETERS);
});
