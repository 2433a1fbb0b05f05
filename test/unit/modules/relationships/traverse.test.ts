import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { RelationSource } from '../../../../src/modules/relationships/graph.js';
import { traverseRelations } from '../../../../src/modules/relationships/traverse.js';
import { aGraph, aRequest, aSource, recordCalls } from './relation.js';

interface Answer extends JsonObject {
  readonly relationships: readonly {
    type: string;
    direction: string;
    target: { element_name: string };
    depth: number;
  }[];
  readonly graph: {
    readonly nodes: readonly { id: string }[];
    readonly edges: readonly { source: string; target: string; type: string }[];
  };
}

const traverse = async (
  given: JsonObject,
  sources: readonly RelationSource[],
  answers: Readonly<Record<string, (params: JsonObject) => unknown>>,
) => {
  const { calls, callOperation } = recordCalls(answers);
  const answer = (await traverseRelations(aRequest(given), sources, callOperation)) as Answer;
  return { answer, calls };
};

/** `outgoing uses b 1`: what a relationship leads to, and at which depth. */
const sketch = ({ relationships }: Answer): readonly string[] =>
  relationships.map(({ type, direction, target, depth }) => `${direction} ${type} ${target.element_name} ${depth}`);
const edgesOf = ({ graph }: Answer): readonly string[] =>
  graph.edges.map(({ source, type, target }) => `${source}-${type}-${target}`);
const nodesOf = ({ graph }: Answer): readonly string[] => graph.nodes.map(({ id }) => id);

const GRAPH = () => aGraph('a-uses-b', 'b-uses-c', 'c-owns-a', 'x-uses-a', 'c-uses-d', 'y-owns-z', 'a-owns-a');
const whole = aSource({ type: 'kind' });

describe('traverseRelations', () => {
  it("answers as the specification's document shows it", async () => {
    const root = { element_type: 'agent', element_name: 'code_reviewer' };
    const given = { root, direction: 'outgoing', relationship: 'uses', depth: 2 };
    const { answer } = await traverse(given, [aSource()], {
      read_graph: () => aGraph('code_reviewer-uses-typescript_analysis'),
    });
    const target = { element_type: 'node', element_name: 'typescript_analysis' };
    expect(answer).toEqual({
      root,
      relationships: [{ type: 'uses', direction: 'outgoing', target, depth: 1 }],
      graph: {
        nodes: [
          { id: 'code_reviewer', ...root },
          { id: 'typescript_analysis', ...target },
        ],
        edges: [{ source: 'code_reviewer', target: 'typescript_analysis', type: 'uses' }],
      },
    });
  });

  it.each([
    [{ root: 'a' }, ['outgoing uses b 1', 'outgoing owns a 1']],
    [{ root: 'a', direction: 'incoming' }, ['incoming owns c 1', 'incoming uses x 1', 'incoming owns a 1']],
    [
      { root: 'a', direction: 'both' },
      ['outgoing uses b 1', 'incoming owns c 1', 'incoming uses x 1', 'outgoing owns a 1'],
    ],
    [{ root: 'a', relationship: 'uses', depth: 3 }, ['outgoing uses b 1', 'outgoing uses c 2', 'outgoing uses d 3']],
    [{ root: 'a', relationship: 'likes', depth: 3 }, []],
    [{ root: 'nobody' }, []],
  ])('finds for %j: %j', async (given, expected) => {
    const { answer, calls } = await traverse(given, [whole], { read_graph: GRAPH });
    expect(sketch(answer)).toEqual(expected);
    expect(calls).toEqual([['demo', 'read_graph', {}]]);
    expect(answer).not.toHaveProperty('incomplete');
  });

  it('takes the types of things from where the answer lists them, and knows which there are', async () => {
    const source = aSource({ nodes: 'things', node_id: 'name', node_type: 'kind' });
    const things = [
      { name: 'a', kind: 'agent' },
      { name: 'b', kind: 'skill' },
      { name: 'alone', kind: 'skill' },
    ];
    const answers = { read_graph: () => ({ ...aGraph('a-uses-b', 'b-uses-c'), things }) };
    const root = { element_type: 'wrongtype', element_name: 'a' };
    const { answer } = await traverse({ root, depth: 2 }, [source], answers);
    expect(answer).toMatchObject({
      root: { element_type: 'agent', element_name: 'a' },
      relationships: [
        { target: { element_type: 'skill', element_name: 'b' } },
        { target: { element_type: 'node', element_name: 'c' } },
      ],
      graph: { nodes: [{ element_type: 'agent' }, { element_type: 'skill' }, { element_type: 'node' }] },
    });
    expect((await traverse({ root: 'alone' }, [source], answers)).answer.relationships).toEqual([]);
    expect((await traverse({ root: 'c' }, [source], answers)).answer.relationships).toEqual([]);
    await expect(
      traverse({ root: { element_type: 'agent', element_name: 'ghost' } }, [source], answers),
    ).rejects.toEqual(
      expect.objectContaining({
        code: 'NOT_FOUND_RESOURCE',
        message: expect.stringMatching(/^Resource 'agent' not found: 'ghost'/),
        details: { resource_type: 'agent', resource_id: 'ghost' },
      }),
    );
  });

  it('lists the edge that closes a cycle, and each node and edge once', async () => {
    const { answer } = await traverse({ root: 'a', depth: 3 }, [whole], { read_graph: GRAPH });
    expect(edgesOf(answer)).toEqual(['a-uses-b', 'a-owns-a', 'b-uses-c', 'c-owns-a', 'c-uses-d']);
    expect(nodesOf(answer)).toEqual(['a', 'b', 'c', 'd']);
    expect(sketch(answer)).toContain('outgoing owns a 3');
  });

  it('calls once per node where the operation takes one, with the id as the server wrote it', async () => {
    const source = aSource({
      operation: 'get_issue',
      params: { id: '$id', note: ['about $id'], deep: 3 },
      edges: 'links',
      source: undefined,
      target: 'blocker.id',
    });
    const { answer, calls } = await traverse({ root: 1, depth: 2 }, [source], {
      get_issue: ({ id }) => ({ links: id === 1 ? [{ blocker: { id: 2 } }, { blocker: { id: 3 } }, {}] : null }),
    });
    expect(calls.map(([, , params]) => params)).toEqual([
      { id: 1, note: ['about 1'], deep: 3 },
      { id: 2, note: ['about 2'], deep: 3 },
      { id: 3, note: ['about 3'], deep: 3 },
    ]);
    expect(edgesOf(answer)).toEqual(['1-uses-2', '1-uses-3']);
  });

  it('makes an edge for each id of an end that is a list', async () => {
    const tasks = aSource({ operation: 'list_tasks', edges: '', source: 'key', target: 'blocked_by' });
    const followers = aSource({
      operation: 'followers',
      params: { of: '$id' },
      edges: 'names',
      source: '',
      target: undefined,
    });
    const { answer } = await traverse({ root: 'a', direction: 'both' }, [tasks, followers], {
      list_tasks: () => [{ key: 'a', blocked_by: ['b', 'c', null, {}] }],
      followers: () => ({ names: ['eve'] }),
    });
    expect(edgesOf(answer)).toEqual(['a-uses-b', 'a-uses-c', 'eve-uses-a']);
  });

  it('calls only operations that can give the relationship', async () => {
    const following = aSource({
      operation: 'following',
      params: { of: '$id' },
      edges: '',
      source: undefined,
      target: '',
    });
    const followers = aSource({
      operation: 'followers',
      params: { of: '$id' },
      edges: '',
      source: '',
      target: undefined,
    });
    const others = aSource({ relationship: 'owns', operation: 'owned' });
    const answers = { following: () => ['b'], followers: () => ['c'] };
    const given = { root: 'a', direction: 'incoming', relationship: 'uses' };
    const { answer, calls } = await traverse(given, [following, followers, others], answers);
    expect(calls.map(([, operation]) => operation)).toEqual(['followers']);
    expect(edgesOf(answer)).toEqual(['c-uses-a']);
    expect(answer).not.toHaveProperty('incomplete');
  });

  it('reports a requested side that no operation lists', async () => {
    const source = aSource({ operation: 'following', params: { of: '$id' }, edges: '', source: undefined, target: '' });
    const { answer, calls } = await traverse({ root: 'a', direction: 'incoming' }, [source], {});
    expect(calls).toEqual([]);
    expect(answer['incomplete']).toEqual([
      { relationship: 'uses', reason: 'no operation lists incoming relationships' },
    ]);
  });

  it('refuses an unknown relationship, with the known ones', async () => {
    const sources = [aSource(), aSource({ relationship: 'owns' })];
    await expect(traverse({ root: 'a', relationship: 'likes' }, sources, {})).rejects.toMatchObject({
      code: 'VALIDATION_INVALID_VALUE',
      message: "Parameter 'relationship' expected one of 'uses', 'owns', got 'likes'",
    });
  });
});

const failing = () => {
  throw new OperationError('PERMISSION_DENIED', "Permission denied: 'no'");
};

describe('what cannot be read', () => {
  const perNode = { params: { id: '$id' }, edges: '', source: undefined, target: '' };

  it('is reported beside what could be read', async () => {
    const sources = [whole, aSource({ ...perNode, relationship: 'owns', operation: 'owned' })];
    const { answer } = await traverse({ root: 'x', depth: 3 }, sources, { read_graph: GRAPH, owned: failing });
    expect(edgesOf(answer)).toContain('x-uses-a');
    expect(answer['incomplete']).toEqual([
      { relationship: 'owns', operation: 'owned', failed: 3, reason: "Permission denied: 'no'" },
    ]);
  });

  it('is an error where nothing about the root could be read', async () => {
    const sources = [aSource({ operation: 'owned' }), aSource({ ...perNode, operation: 'owned' })];
    await expect(traverse({ root: 'x' }, sources, { owned: failing })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it.each([
    ['text', "it has nothing under 'relations'"],
    [{ edges: [] }, "it has nothing under 'relations'"],
  ])('includes the edges of an answer without the list: %j', async (answer, why) => {
    await expect(traverse({ root: 'x' }, [aSource()], { read_graph: () => answer })).rejects.toThrow(why);
  });

  it('is thrown where it is a defect', async () => {
    const broken = () => {
      throw new TypeError('x');
    };
    await expect(traverse({ root: 'x' }, [aSource()], { read_graph: broken })).rejects.toBeInstanceOf(TypeError);
  });

  it('is not requested again', async () => {
    const sources = [aSource({ operation: 'broken' }), whole];
    const { answer, calls } = await traverse({ root: 'a', depth: 3 }, sources, { read_graph: GRAPH, broken: failing });
    expect(calls.filter(([, operation]) => operation === 'broken')).toHaveLength(1);
    expect(answer['incomplete']).toMatchObject([{ operation: 'broken', failed: 1 }]);
  });
});

describe('a traversal', () => {
  const many = (length: number, to: (index: number) => string) =>
    aGraph(...Array.from({ length }, (_, index) => `a-r${index % 7}-${to(index)}`));

  it.each([
    ['nodes', many(1000, (index) => `n${index}`), 999, 1000],
    ['edges', aGraph(...Array.from({ length: 5001 }, (_, index) => `a-r${index}-b`)), 5000, 2],
  ])('stops at its limit of %s', async (limit, graph, edges, nodes) => {
    const { answer } = await traverse({ root: 'a', depth: 3 }, [whole], { read_graph: () => graph });
    expect([answer.graph.edges.length, answer.graph.nodes.length]).toEqual([edges, nodes]);
    expect(answer['incomplete']).toEqual([{ reason: expect.stringContaining(`${limit}: ask for one relationship`) }]);
  });

  it('stops at its limit of calls', async () => {
    const source = aSource({ params: { id: '$id' }, edges: '', source: undefined, target: '' });
    const { answer, calls } = await traverse({ root: 'a', depth: 3 }, [source], {
      read_graph: ({ id }) => (id === 'a' ? Array.from({ length: 300 }, (_, index) => `n${index}`) : []),
    });
    expect(calls).toHaveLength(200);
    expect(answer['incomplete']).toEqual([{ reason: expect.stringContaining('stopped after 200 calls') }]);
  });

  it('makes at most eight calls at once', async () => {
    const source = aSource({ params: { id: '$id' }, edges: '', source: undefined, target: '' });
    let running = 0;
    let most = 0;
    await traverseRelations(aRequest({ root: 'a', depth: 2 }), [source], async (_, __, { id }) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return id === 'a' ? Array.from({ length: 30 }, (_, index) => `n${index}`) : [];
    });
    expect(most).toBe(8);
  });
});

const PUBLISHED = new URL('../../../../../shared/spec/schemas/relationship-query.schema.json', import.meta.url);

describe('a traversal of any graph', () => {
  const anEdge = fc.tuple(
    fc.constantFrom(...'abcdefg'),
    fc.constantFrom('uses', 'owns'),
    fc.constantFrom(...'abcdefg'),
  );
  const aQuestion = fc.record({
    root: fc.constantFrom(...'abc'),
    direction: fc.constantFrom('outgoing', 'incoming', 'both'),
    depth: fc.integer({ min: 1, max: 3 }),
  });

  it('gives the same by one call for all edges as by one call per node', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEdge), aQuestion, async (edges, given) => {
        const graph = aGraph(...edges.map((edge) => edge.join('-')));
        const one = await traverse(given, [whole], { read_graph: () => graph });
        const each = await traverse(given, [aSource({ type: 'kind', params: { id: '$id' } })], {
          read_graph: ({ id }) => ({ relations: graph.relations.filter(({ from, to }) => from === id || to === id) }),
        });
        expect(each.answer).toEqual(one.answer);
      }),
    );
  });

  it.skipIf(!existsSync(PUBLISHED))('has an answer that the published schema allows', async () => {
    const { $defs } = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as { $defs: JsonObject };
    const ajv = new Ajv2020({ strict: false });
    const accepts = ajv.compile({ $defs, $ref: '#/$defs/RelationshipResponse' });
    for (const root of ['a', 'b', { element_type: 'agent', element_name: 'c' }, { id: 7 }]) {
      const { answer } = await traverse({ root, direction: 'both', depth: 3 }, [whole], { read_graph: GRAPH });
      expect(accepts(answer), ajv.errorsText(accepts.errors)).toBe(true);
    }
  });

  it('lists each edge within the depth once, with all their nodes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEdge), aQuestion, async (edges, given) => {
        const { answer } = await traverse(given, [whole], {
          read_graph: () => aGraph(...edges.map((edge) => edge.join('-'))),
        });
        const told = edgesOf(answer);
        expect(new Set(told).size).toBe(told.length);
        expect([...told].sort()).toEqual([...reachable(edges, given)].sort());
        expect(answer.relationships).toHaveLength(told.length);
        const ends = answer.graph.edges.flatMap(({ source, target }) => [source, target]);
        expect(new Set(nodesOf(answer))).toEqual(new Set([given.root, ...ends]));
      }),
    );
  });
});

/** The edges of nodes that lie nearer than the depth, found by plain search. */
function reachable(
  edges: readonly (readonly [string, string, string])[],
  { root, direction, depth }: { root: string; direction: string; depth: number },
): ReadonlySet<string> {
  const found = new Set<string>();
  let near = new Set([root]);
  for (let step = 0; step < depth; step += 1) {
    const next = new Set(near);
    for (const [source, type, target] of edges) {
      const leaves = direction !== 'incoming' && near.has(source);
      const comes = direction !== 'outgoing' && near.has(target);
      if (leaves || comes) found.add(`${source}-${type}-${target}`);
      if (leaves) next.add(target);
      if (comes) next.add(source);
    }
    near = next;
  }
  return found;
}
