import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';

const READ = 'mcp_aql_read';
const CREATE = 'mcp_aql_create';

const RELATIONS = [
  {
    relationship: 'knows',
    operation: 'read_graph',
    edges: 'relations',
    source: 'from',
    target: 'to',
    type: 'relationType',
    nodes: 'entities',
    node_id: 'name',
    node_type: 'entityType',
  },
];

const EDGES = [
  ['Ada', 'Bob', 'knows'],
  ['Bob', 'Cid', 'knows'],
  ['Cid', 'Ada', 'knows'],
  ['Cid', 'Dan', 'avoids'],
] as const;

describe('query_relationships over the graph server', () => {
  it('follows relations from a list of edges by depth, direction and type, also in cycles', async () => {
    await using home = await makeDirectory();
    const memory = {
      command: 'mcp-server-memory',
      env: { MEMORY_FILE_PATH: join(home.path, 'graph.json') },
      relations: RELATIONS,
    };
    await using gateway = await hostGateway({ mcpServers: { memory } });
    await using client = await connectClient(gateway.url);
    const entities = ['Ada', 'Bob', 'Cid', 'Dan'].map((name) => ({ name, entityType: 'person', observations: [] }));
    await client.call(CREATE, 'create_entities', { entities });
    const relations = EDGES.map(([from, to, relationType]) => ({ from, to, relationType }));
    await client.call(CREATE, 'create_relations', { relations });

    const ask = async (params: object) => (await client.call(READ, 'query_relationships', { ...params })).data;
    const targets = (data: {
      readonly relationships: readonly { readonly target: { readonly element_name: string }; readonly depth: number }[];
    }) => data.relationships.map(({ target, depth }) => `${target.element_name} ${depth}`);

    expect(targets(await ask({ root: 'Ada' }))).toEqual(['Bob 1']);
    expect(targets(await ask({ root: { element_name: 'Ada' }, direction: 'incoming' }))).toEqual(['Cid 1']);
    const deep = await ask({ root: 'Ada', depth: 3 });
    expect(targets(deep)).toEqual(['Bob 1', 'Cid 2', 'Ada 3', 'Dan 3']);
    expect(deep.graph.nodes).toHaveLength(4);
    expect(deep.graph.edges).toHaveLength(4);
    expect(targets(await ask({ root: 'Cid', relationship: 'avoids' }))).toEqual(['Dan 1']);
    expect(deep.relationships[0].target).toEqual({ element_type: 'person', element_name: 'Bob' });
    const ghost = await client.call(READ, 'query_relationships', { root: 'ghost' });
    expect(ghost.error).toMatchObject({ code: 'NOT_FOUND_RESOURCE', details: { resource_id: 'ghost' } });
    const page = await client.call(READ, 'query_relationships', { root: 'Ada', depth: 3, first: 1 });
    expect(targets(page.data)).toEqual(['Bob 1']);
    const envelope = JSON.parse((page.raw as { content: { text: string }[] }).content[0]?.text ?? '');
    expect(envelope['_meta'].pageInfo).toMatchObject({ hasNextPage: true, totalCount: 4 });
    const { data: details } = await client.introspect({ query: 'operations', name: 'query_relationships' });
    expect(details.operation.relationship_capabilities).toEqual({
      supported: true,
      directions: ['outgoing', 'incoming', 'both'],
      max_depth: 3,
    });
    const beyond = await client.call(READ, 'query_relationships', { root: 'Ada', depth: 9 });
    expect(beyond.error?.code).toBe('VALIDATION_OUT_OF_RANGE');
  });

  it('does not exist where no relation is configured', async () => {
    await using gateway = await hostGateway({ mcpServers: {} });
    await using client = await connectClient(gateway.url);
    expect((await client.call(READ, 'query_relationships', { root: 'Ada' })).error?.code).toBe('NOT_FOUND_OPERATION');
  });

  it('calls nothing that policy denies to the caller', async () => {
    const memory = { command: 'mcp-server-memory', relations: RELATIONS };
    const policy = { rules: [{ match: { operation: 'read_graph' }, decision: 'deny', reason: 'secret graph' }] };
    await using gateway = await hostGateway({ policy, mcpServers: { memory } });
    await using client = await connectClient(gateway.url);
    const { error } = await client.call(READ, 'query_relationships', { root: 'Ada' });
    expect(error?.code).toBe('PERMISSION_DENIED');
    expect(error?.message).toContain('secret graph');
  });
});
