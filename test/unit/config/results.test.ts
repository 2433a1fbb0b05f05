import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RESULT_EXAMPLE } from '../../../tools/docs/config-reference.js';
import { load, loadOnly, problemsOf } from './config-folder.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const curate = (operation: unknown): unknown => ({ mcpServers: { a: { command: 'x', operations: { t: operation } } } });
const relate = (...relations: readonly unknown[]): unknown => ({ mcpServers: { a: { command: 'x', relations } } });

describe('the results configuration', () => {
  it('has defaults', async () => {
    const config = await loadOnly({ results: { keptSeconds: 60 } });
    expect(config.results).toEqual({ maxTokens: 8_000, keptBytes: 67_108_864, keptSeconds: 60, compact: false });
  });

  it.each([0, 1_000, 25_000_000])('accepts maxTokens of %d', async (maxTokens) => {
    expect((await loadOnly({ results: { maxTokens } })).results.maxTokens).toBe(maxTokens);
  });

  it.each([
    [{ maxBytes: 0 }, 0],
    [{ maxBytes: 20_000 }, 5_000],
    [{ maxBytes: 20_000, maxTokens: 9_000 }, 9_000],
  ])('reads the older spelling %j as tokens', async (results, maxTokens) => {
    expect((await loadOnly({ results })).results.maxTokens).toBe(maxTokens);
  });

  it.each([
    [{ maxTokens: 999 }, 'maxTokens', 'expected 0 or at least 1000, got 999'],
    [{ maxBytes: 3999 }, 'maxBytes', 'expected 0 or at least 4000, got 3999'],
    [{ maxBytes: -1 }, 'maxBytes', 'expected at least 0 and at most 104857600, got -1'],
    [{ maxBytes: 104_857_601 }, 'maxBytes', 'expected at least 0 and at most 104857600, got 104857601'],
    [{ keptBytes: 1000 }, 'keptBytes', 'expected at least 1048576 and at most 17179869184, got 1000'],
    [{ keptSeconds: 0 }, 'keptSeconds', 'expected at least 1 and at most 86400, got 0'],
    [{ compact: 'yes' }, 'compact', 'expected a boolean, got a string'],
  ])('refuses %j', async (results, key, message) => {
    expect(await problemsOf({ results })).toEqual([expect.objectContaining({ path: `results.${key}`, message })]);
  });
});

describe('the curation of answers', () => {
  it('is taken as written, with each expression as an object', async () => {
    const said = { collection: 'data.items', presets: { minimal: ['id', 'user.name', '_computed.age'] } };
    const stale = { expression: 'age > 3', description: 'Old' };
    const config = await loadOnly(curate({ ...said, computed: { age: 'days_since(at)', stale } }));
    expect(config.upstreams[0]?.curation).toEqual([
      { pattern: 't', ...said, computed: { age: { expression: 'days_since(at)' }, stale } },
    ]);
  });

  it.each(['', 'items', 'a.b', false])('accepts the collection %j', async (collection) => {
    expect((await loadOnly(curate({ collection }))).upstreams[0]?.curation).toEqual([{ pattern: 't', collection }]);
  });

  it.each([
    [{ collection: true }, 'collection', "expected one of 'false'"],
    [{ collection: 3 }, 'collection', 'expected a string or a boolean, got a number'],
    [{ collection: 'a..b' }, 'collection', expect.stringContaining('expected text that matches')],
    [{ presets: { Brief: ['a'] } }, 'presets.Brief', expect.stringContaining('expected text that matches')],
    [{ presets: { brief: [] } }, 'presets.brief', 'expected at least 1 entry'],
    [{ presets: { brief: ['a.'] } }, 'presets.brief[0]', expect.stringContaining('expected text that matches')],
    [{ computed: { age: 'days_since(' } }, 'computed.age', 'at character 12: expected a value, got the end'],
    [{ computed: { age: { expression: '1 +' } } }, 'computed.age.expression', expect.stringMatching('^at character 4')],
    [{ computed: { age: '' } }, 'computed.age', 'expected text, got an empty string'],
    [{ computed: { age: { description: 'Old' } } }, 'computed.age.expression', 'missing; expected a string'],
    [{ computed: { age: { expression: '1', type: 'number' } } }, 'computed.age.type', "unknown key 'type'"],
    [{ computed: { age: 3 } }, 'computed.age', 'expected a string or an object, got a number'],
    [{ computed: { 'the age': '3' } }, 'computed["the age"]', expect.stringContaining('expected text that matches')],
  ])('refuses %j', async (operation, key, message) => {
    expect(await problemsOf(curate(operation))).toEqual([
      expect.objectContaining({ path: `mcpServers.a.operations.t.${key}`, message }),
    ]);
  });
});

describe('relations', () => {
  const edges = { relationship: 'uses', operation: 'list_edges', source: 'from', target: 'to' };

  it('of all definitions of a server are combined', async () => {
    const file = {
      relations: [{ relationship: 'owns', operation: 'get_owner', params: { id: '$id' }, target: 'x.y' }],
    };
    const config = await loadOnly(relate({ ...edges, edges: 'a.b', type: 'kind' }), {
      files: { 'upstreams/a.json': file },
    });
    expect(config.upstreams[0]?.relations).toEqual([
      { ...edges, params: {}, edges: 'a.b', type: 'kind' },
      {
        relationship: 'owns',
        operation: 'get_owner',
        params: { id: '$id' },
        edges: '',
        target: 'x.y',
      },
    ]);
  });

  it.each([{ ids: ['$id'] }, { q: { parent: 'x:$id' } }])('refer to one node by %j', async (params) => {
    const relation = { relationship: 'uses', operation: 'o', params, source: '' };
    expect((await loadOnly(relate(relation))).upstreams[0]?.relations).toEqual([{ ...relation, edges: '' }]);
  });

  it.each([
    [{ operation: 'o' }, 'relationship', 'missing; expected a string'],
    [{ ...edges, relationship: 'Is Part' }, 'relationship', expect.stringContaining('expected text that matches')],
    [{ ...edges, edges: '.a' }, 'edges', expect.stringContaining('expected text that matches')],
    [{ ...edges, from: 'a' }, 'from', "unknown key 'from'"],
    [{ ...edges, target: undefined }, 'target', 'missing; expected a path, because one call returns all connections'],
    [{ ...edges, source: undefined }, 'source', 'missing; expected a path, because one call returns all connections'],
  ])('refuses %j', async (relation, key, message) => {
    expect(await problemsOf(relate(relation))).toEqual([
      expect.objectContaining({ path: `mcpServers.a.relations[0].${key}`, message }),
    ]);
  });

  it('are refused when they lead from a node to itself', async () => {
    const relation = { relationship: 'uses', operation: 'o', params: { id: '$id' } };
    expect(await problemsOf(relate(edges, relation))).toEqual([
      expect.objectContaining({
        path: 'mcpServers.a.relations[1]',
        message: expect.stringContaining("expected 'source' or 'target'"),
      }),
    ]);
  });
});

describe('the shipped configuration', () => {
  it("loads the documentation's example", async () => {
    const { config, warnings } = await load(RESULT_EXAMPLE);
    expect(warnings).toEqual([]);
    expect(config.upstreams[0]?.relations).toHaveLength(2);
    expect(config.upstreams[0]?.curation).toHaveLength(1);
  });

  it('has a memory server whose graph can be traversed', async () => {
    const read = (name: string): string => readFileSync(`${REPOSITORY}${name}`, 'utf8');
    const files = { 'upstreams/memory.json': read('upstreams/memory.json') };
    const { config, warnings } = await load(read('gateway.config.json'), { files });
    expect(warnings).toEqual([]);
    const memory = config.upstreams.find(({ slug }) => slug === 'memory');
    expect(memory?.endpoint.type).toBe('stdio');
    expect(memory?.curation.map(({ pattern, collection }) => [pattern, collection])).toEqual([
      ['read_graph', 'entities'],
      ['search_nodes', 'entities'],
      ['open_nodes', 'entities'],
    ]);
    expect(memory?.relations).toMatchObject([{ operation: 'read_graph', source: 'from', target: 'to' }]);
  });
});
