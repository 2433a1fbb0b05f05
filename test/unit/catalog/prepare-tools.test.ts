import { describe, expect, it } from 'vitest';
import { LONGEST_DEFINITION } from '../../../src/base/protocol/tools.js';
import { buildCatalog } from '../../../src/catalog/build-catalog.js';
import { ToolRecord } from '../../../src/catalog/integrity/tool-record.js';
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

describe('building a catalog', () => {
  it('leaves out a definition that no model could read, and says so', () => {
    const { operations, diagnostics } = buildCatalog(inputOf(tools(1, LONGEST_DEFINITION)));
    expect(operations).toEqual([]);
    expect(diagnostics.map(({ kind, message }) => [kind, message])).toEqual([
      ['tool-set-aside', "Tool 'read_thing_0' of 'a' cannot be called: its definition has more than 128000 characters"],
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
    expect(new ToolRecord({ name: 'a', parts: Array.from({ length: 100_000 }, part) }).isTooLong).toBe(true);
    expect(read).toBeLessThan(1_100);
  });
});
