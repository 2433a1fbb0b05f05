import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { HandlerCall, InnerCalls } from '../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { describeParameters } from '../../../../src/gateway/builtin/introspect/types/parameter-info.js';
import type { CallOperation } from '../../../../src/modules/relationships/edges.js';
import { listRelationSources, type RelationSource } from '../../../../src/modules/relationships/graph.js';
import { createRelationshipsHandler } from '../../../../src/modules/relationships/handler.js';
import { createRelationshipsOperation } from '../../../../src/modules/relationships/operation.js';
import { STILL_HOST } from '../../../support/a-handler-host.js';
import { anUpstream } from '../../../support/build-test-catalog.js';
import { aGraph, aRelation, aSource, recordCalls } from './relation.js';

const operationOf = (...sources: readonly RelationSource[]): Operation => {
  const operation = createRelationshipsOperation(sources);
  if (operation === undefined) throw new Error('there is no operation');
  return operation;
};

const hostOf = (callOperation: CallOperation): HandlerCall['host'] => {
  const read: InnerCalls['read'] = (_outer, { upstream, name, params }) => callOperation(upstream, name, params);
  return { ...STILL_HOST, calls: { ...STILL_HOST.calls, read } };
};

const parameter = (operation: Operation, name: string) =>
  describeParameters(operation).find((described) => described.name === name);

const SCHEMA = fileURLToPath(
  new URL('../../../../../shared/spec/schemas/relationship-query.schema.json', import.meta.url),
);

describe('listRelationSources', () => {
  it('lists the relations of enabled upstreams, in order', () => {
    const relations = [aRelation(), aRelation({ relationship: 'owns' })];
    const sources = listRelationSources({
      upstreams: [anUpstream('a', { relations }), anUpstream('b'), anUpstream('c', { relations, disabled: true })],
      has: () => true,
    });
    expect(sources).toEqual(relations.map((relation) => ({ upstream: 'a', relation })));
  });
});

describe('createRelationshipsOperation', () => {
  it('creates no operation where no relations are declared', () => {
    expect(createRelationshipsOperation([])).toBeUndefined();
  });

  it('documents exactly what it accepts', () => {
    const operation = operationOf(aSource());
    const documented = describeParameters(operation).map(({ name, required }) => [name, required]);
    expect(documented).toEqual([
      ['root', true],
      ['direction', false],
      ['relationship', false],
      ['depth', false],
      ['include', false],
      ['fields', false],
      ['first', false],
      ['after', false],
    ]);
    expect(operation.classification).toMatchObject({ category: 'READ', danger: { level: 'safe' } });
  });

  it('names the declared relationships, and accepts any name where the data name them', () => {
    const fixed = operationOf(aSource(), aSource({ relationship: 'owns' }));
    expect(parameter(fixed, 'relationship')?.enum).toEqual(['uses', 'owns']);
    expect(fixed.description).toContain('demo (uses, owns)');
    const open = operationOf(aSource(), aSource({ type: 'kind' }));
    expect(parameter(open, 'relationship')).not.toHaveProperty('enum');
    expect(open.description).toContain('demo (uses, named by its data)');
  });

  it('requires the upstream where several have relations', () => {
    const operation = operationOf(aSource(), aSource({}, 'other'));
    expect(parameter(operation, 'upstream')).toMatchObject({ required: true, enum: ['demo', 'other'] });
    expect(bindArguments(operation, { root: 'a' })).toMatchObject({ ok: false, faults: [{ param: 'upstream' }] });
  });

  it.each([
    { root: 'a' },
    { root: 7, direction: 'both', depth: 3 },
    { root: { element_type: 'x', element_name: 'y' }, relationship: 'uses', fields: ['graph.nodes', 'root'] },
  ])('accepts %j', (params) => {
    expect(bindArguments(operationOf(aSource()), params)).toMatchObject({ ok: true });
  });

  it.each([
    {},
    { root: '' },
    { root: ['a'] },
    { root: 'a', depth: 0 },
    { root: 'a', depth: 4 },
    { root: 'a', direction: 'up' },
    { root: 'a', relationship: 'likes' },
    { root: 'a', fields: ['graph'] },
    { root: 'a', fields: [] },
    { root: 'a', upstream: 'demo' },
  ])('refuses %j', (params) => {
    expect(bindArguments(operationOf(aSource()), params).ok).toBe(false);
  });

  it.each([[[aSource()]], [[aSource(), aSource({}, 'other')]]])('has examples that it accepts', (sources) => {
    const operation = operationOf(...sources);
    expect(operation.examples?.length).toBeGreaterThan(0);
    for (const { request } of operation.examples ?? []) {
      expect(bindArguments(operation, request['params'] as JsonObject)).toMatchObject({ ok: true });
    }
  });
});

describe('createRelationshipsHandler', () => {
  const { calls, callOperation } = recordCalls({
    read_graph: () => aGraph('a-uses-b'),
    broken: () => 'text',
  });
  const sources = [aSource(), aSource({}, 'other'), aSource({ operation: 'broken' }, 'other')];
  const handler = createRelationshipsHandler(sources);

  const outcomeOf = async (given: JsonObject) => {
    const call: HandlerCall = {
      operation: operationOf(...sources),
      arguments: given,
      caller: { sessionId: 's' } as HandlerCall['caller'],
      cancellation: new Cancellation(),
      host: hostOf(callOperation),
    };
    const outcome = await handler(call);
    if (!('data' in outcome)) throw new Error('a built-in answers with data');
    return outcome;
  };
  const ask = async (given: JsonObject) => (await outcomeOf(given)).data as JsonObject;

  it('queries the upstream that was named, else the only one', async () => {
    calls.length = 0;
    await ask({ root: 'a', upstream: 'other' });
    expect(calls.map(([upstream]) => upstream)).toEqual(['other', 'other']);
    calls.length = 0;
    await ask({ root: 'a' });
    expect(calls.map(([upstream]) => upstream)).toEqual(['demo']);
  });

  it('answers as its output schema says', async () => {
    const accepts = new Ajv2020({ strict: false }).compile(operationOf(...sources).outputSchema ?? false);
    expect(accepts(await ask({ root: 'a', upstream: 'other' }))).toBe(true);
  });

  it.each([
    [['root'], ['root']],
    [['relationships'], ['root', 'relationships']],
    [['graph.edges'], ['root', 'graph']],
    [
      ['root', 'relationships', 'graph.nodes', 'graph.edges'],
      ['root', 'relationships', 'graph'],
    ],
  ])('returns for include %j, and for its alias fields', async (include, keys) => {
    expect(Object.keys(await ask({ root: 'a', include }))).toEqual(keys);
    expect(Object.keys(await ask({ root: 'a', fields: include }))).toEqual(keys);
  });

  it('returns the requested part of the graph, and always what is incomplete', async () => {
    const { data, warnings } = await outcomeOf({ root: 'a', upstream: 'other', fields: ['graph.edges'] });
    expect(data).toHaveProperty('graph', { edges: [{ source: 'a', target: 'b', type: 'uses' }] });
    expect(warnings).toMatchObject([
      { code: 'RELATIONSHIPS_INCOMPLETE_WARNING', details: { operation: 'broken', failed: 1 } },
    ]);
  });

  it.skipIf(!existsSync(SCHEMA))('answers as the published schema says (skipped without ../shared/spec)', async () => {
    const { $defs } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
    const accepts = new Ajv2020({ strict: false }).compile({ $defs, $ref: '#/$defs/RelationshipResponse' });
    for (const more of [{}, { first: 1 }, { include: ['graph.edges'] }, { upstream: 'other' }]) {
      expect(accepts(await ask({ root: 'a', ...more })) ? [] : accepts.errors).toEqual([]);
    }
  });

  it('gives pages of relationships with their part of the graph, and says where they are', async () => {
    const edges = ['a-uses-b', 'a-uses-c', 'a-uses-d'];
    const { callOperation } = recordCalls({ read_graph: () => aGraph(...edges) });
    const paged = createRelationshipsHandler([aSource()]);
    const page = async (given: JsonObject) => {
      const outcome = await paged({
        operation: operationOf(aSource()),
        arguments: { root: 'a', ...given },
        caller: { sessionId: 's' } as HandlerCall['caller'],
        cancellation: new Cancellation(),
        host: hostOf(callOperation),
      });
      const { data, meta } = outcome as { data: JsonObject; meta: { pageInfo: { endCursor: string } } };
      return { data, pageInfo: meta.pageInfo };
    };
    const first = await page({ first: 2 });
    expect(first).toMatchObject({
      data: { relationships: [{ target: { element_name: 'b' } }, { target: { element_name: 'c' } }] },
      pageInfo: { hasNextPage: true, hasPreviousPage: false, totalCount: 3 },
    });
    const last = await page({ first: 2, after: first.pageInfo.endCursor });
    expect(last.data).toMatchObject({
      relationships: [{ target: { element_name: 'd' } }],
      graph: { nodes: [{ id: 'a' }, { id: 'd' }], edges: [{ source: 'a', target: 'd' }] },
    });
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    await expect(page({ after: first.pageInfo.endCursor })).rejects.toThrow("Cannot use 'after' without 'first'");
    await expect(page({ root: 'b', first: 2, after: first.pageInfo.endCursor })).rejects.toThrow('no valid cursor');
  });

  it('says in introspection how far and which ways it can follow which relationships', () => {
    expect(operationOf(aSource(), aSource({ relationship: 'owns' })).relationships).toEqual({
      directions: ['outgoing', 'incoming', 'both'],
      types: ['uses', 'owns'],
      maxDepth: 3,
    });
    const oneWay = operationOf(aSource({ source: undefined, params: { of: '$id' }, type: 'kind' }));
    expect(oneWay.relationships).toEqual({ directions: ['outgoing'], types: [], maxDepth: 3 });
  });

  it.each([
    ['x', 'x'],
    [7, '7'],
    [{ id: 'i', name: 'n' }, 'i'],
    [{ name: 'n', element_name: 'e' }, 'n'],
    [{ element_type: 't', element_name: 'e' }, 'e'],
    [{ element_type: 't', number: 5 }, '5'],
  ])('starts at %j', async (root, id) => {
    expect(await ask({ root, fields: ['graph.nodes'] })).toMatchObject({ graph: { nodes: [{ id }] } });
  });

  it.each([{}, { element_type: 't' }, { a: 1, b: 2 }, { id: null }, { id: {} }, { only: '' }])(
    'refuses %j, which names nothing',
    async (root) => {
      await expect(ask({ root })).rejects.toMatchObject({
        code: 'VALIDATION_INVALID_VALUE',
        details: { param_name: 'root' },
      });
    },
  );
});
