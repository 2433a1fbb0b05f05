import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlineServer, methodsServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { waitFor } from '../support/patience.js';

const DIGITS = '0.12345678901234567890';
const ID = '9007199254740993';
const READS = '{ readOnlyHint: true }';
const WRITES = '{ readOnlyHint: false, destructiveHint: false }';

const ACCOUNT = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' }, settings: { type: 'object' }, rate: {}, owner: {} },
  required: ['id'],
};

/** Accounts whose numbers no double holds, told as a text and as structured content; what is written is kept as it came. */
const BANK = `{
  get_account: {
    tool: { inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }, annotations: ${READS} },
    run: ({ id }) => ({ content: [{ type: 'text', text: {
      rated: '{"id": "rated", "name": "a", "rate": ${DIGITS}}',
      owned: '{"id": "owned", "name": "a", "settings": {"owners": [{"id": ${ID}}], "colour": "red"}}',
      plain: '{"id": "plain", "name": "a", "rate": 1.50}',
    }[id] }] }),
  },
  update_account: {
    tool: { inputSchema: ${JSON.stringify(ACCOUNT)}, annotations: ${WRITES} },
    run: (args, server) => ((server.written ??= []).push(args), { content: [{ type: 'text', text: 'ok' }] }),
  },
  list_written: { tool: { annotations: ${READS} }, run: ({}, { written = [] }) => ({ content: [{ type: 'text', text: JSON.stringify(written) }] }) },
  get_holder: { tool: { annotations: ${READS} }, run: () => ({ content: [{ type: 'text', text: '{"holder": {"id": ${ID}}, "share": ${DIGITS}}' }] }) },
  echo: { tool: { inputSchema: { type: 'object', properties: { value: {} } }, annotations: ${READS} }, run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }) },
  list_links: { tool: { annotations: ${READS} }, run: () => ({ content: [{ type: 'text', text: '{"links": [{"from": "a", "to": ${ID}}]}' }] }) },
}`;

/** Starts jobs whose ids no double holds. */
const JOBS = `{
  start_job: { tool: {}, run: () => ({ content: [{ type: 'text', text: '{"id": ${ID}}' }] }) },
  get_job: { tool: { inputSchema: { type: 'object', properties: { job: { type: ['string', 'integer'] } } }, annotations: ${READS} }, run: ({ job }) => ({
    content: [{ type: 'text', text: JSON.stringify({ state: 'done', job }) }],
  }) },
}`;

/** A resource as structured content whose number JavaScript cannot write, so it stands in the bytes that are sent. */
const STRUCTURED = `{
  capabilities: { tools: {} },
  'tools/list': () => ({ tools: [
    { name: 'get_rate', inputSchema: { type: 'object', properties: { id: { type: 'string' } } }, annotations: ${READS} },
    { name: 'update_rate', inputSchema: ${JSON.stringify(ACCOUNT)}, annotations: ${WRITES} },
    { name: 'get_chart', annotations: ${READS} },
    { name: 'get_book', annotations: ${READS} },
    { name: 'draw', annotations: ${WRITES} },
    { name: 'get_parsed', annotations: ${READS} },
  ].map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) }),
  'tools/call': ({ name }, { received }) => {
    if (name === 'update_rate') return { content: [{ type: 'text', text: 'written' }] };
    const text = '{ "id": ${ID} }';
    if (name === 'get_parsed') return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
    const { id } = received.at(-1);
    const content = {
      get_rate: [{ type: 'text', text: 'a rate' }],
      get_book: [{ type: 'resource', resource: { uri: 'a://b', text: 'It was a dark night. '.repeat(9000) } }],
    }[name] ?? [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
    const result = '{"content":' + JSON.stringify(content) + ',"structuredContent":{"name":"a","id":${ID},"rate":${DIGITS}}}';
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n');
    return new Promise(() => {});
  },
}`;

const merge = (read: string) => ({ read, writes: 'whole', identifiers: { id: 'id' } });

const CONFIG = {
  executions: { enabled: true },
  mcpServers: {
    bank: inlineServer(BANK, {
      operations: { update_account: { danger: 'reversible', merge: merge('get_account') } },
      relations: [{ relationship: 'linked', operation: 'list_links', edges: 'links', source: 'from', target: 'to' }],
    }),
    rates: {
      ...methodsServer(STRUCTURED),
      operations: {
        update_rate: { danger: 'reversible', merge: merge('get_rate') },
        draw: { category: 'EXECUTE', danger: 'reversible' },
      },
    },
    jobs: inlineServer(JOBS, {
      operations: {
        start_job: {
          category: 'EXECUTE',
          danger: 'reversible',
          lifecycle: { poll: 'get_job', id: 'id', parameter: 'job', status: 'state', states: { done: 'completed' } },
        },
      },
    }),
  },
};

/** Asks a person about each update of an account. */
const HUMAN = { match: { operation: 'update_account' }, decision: 'confirm', requires: 'human' };

let live: LiveGateway;
let client: Client;

beforeAll(async () => {
  live = await openLiveGateway(CONFIG);
  client = await live.connect('http', 'modern');
});

afterAll(async () => live?.[Symbol.asyncDispose]());

const call = (operation: string, params: object = {}) => live.call(client, operation, { ...params });

describe('an update that writes the whole', () => {
  it.each([
    ['update_account', 'rated', 'rate'],
    ['update_account', 'owned', 'settings.owners[0].id'],
    ['update_rate', 'x', 'rate'],
  ])('%s of %s is refused where %s would be written back rounded', async (operation, id, field) => {
    const { error } = await call(operation, { id, input: { name: 'b' } });
    expect(error).toMatchObject({ details: { field, outcome: 'not_run' } });
    expect(error?.message).toContain(field);
  });

  it('writes back what a double holds, and what replaces a number that it does not hold', async () => {
    await call('update_account', { id: 'plain', input: { name: 'b' } });
    await call('update_account', { id: 'rated', input: { rate: 1 } });
    await call('update_account', { id: 'owned', input: { settings: { owners: [] } } });
    expect((await call('list_written')).data).toEqual([
      { id: 'plain', name: 'b', rate: 1.5 },
      { id: 'rated', name: 'a', rate: 1 },
      { id: 'owned', name: 'a', settings: { owners: [], colour: 'red' } },
    ]);
  });

  it('shows the digits of what is not as expected', async () => {
    const { error } = await call('update_account', { id: 'rated', input: { name: 'b' }, if_match: { rate: 1 } });
    expect(error).toMatchObject({ code: 'CONFLICT_VERSION_MISMATCH', details: { current: { rate: DIGITS } } });
  });

  it('shows a person the digits of what it replaces', async () => {
    const asked: string[] = [];
    const answer = (question: string) => {
      asked.push(question);
      return { action: 'decline' as const };
    };
    await using asking = await openLiveGateway({ ...CONFIG, policy: { rules: [HUMAN] } });
    await using person = await connectClient(asking.url, 'legacy', { answer });
    await person.call('mcp_aql', 'update_account', { id: 'rated', input: { rate: 1 } });
    expect(asked).toEqual([expect.stringContaining(DIGITS)]);
  });
});

describe('a batch', () => {
  const batch = async (...operations: readonly object[]) => {
    const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operations } });
    return String((content as readonly { text?: string }[])[0]?.text);
  };

  it.each(['holder', 'holder.id', 'share'])(
    'copies nothing of %s into another call, as it would be another number',
    async (path) => {
      const text = await batch(
        { operation: 'get_holder' },
        { operation: 'echo', params: { value: `$results[0].data.${path}` } },
      );
      expect(text).toContain('more digits than can be copied exactly');
    },
  );

  it('keeps the digits beside a picture that is not the first', async () => {
    const text = await batch({ operation: 'get_chart' }, { operation: 'get_chart' });
    expect(text.match(new RegExp(ID, 'g'))).toHaveLength(2);
  });
});

describe('an answer', () => {
  /** Of all its blocks. */
  const textOf = async (operation: string, params: object = {}) => {
    const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operation, params } });
    return (content as readonly { text?: string }[]).map(({ text }) => text).join('\n');
  };

  it.each(['get_book', 'get_parsed'])(
    'of %s keeps the digits of its structured content and texts',
    async (operation) => {
      expect(await textOf(operation)).toContain(ID);
    },
  );

  it('that has come in the background keeps its digits beside a picture', async () => {
    const { execution_id } = (await call('draw', { _execution: { background: true } })).data;
    const text = await textOf('get_execution_status', { execution_id, wait_seconds: 20 });
    expect(text).toContain(DIGITS);
  });
});

it('names what a relation leads to by the digits of its id', async () => {
  const { data } = await call('query_relationships', { root: 'a' });
  expect(data.relationships).toMatchObject([{ target: { element_name: ID } }]);
});

it('asks for a job by the digits of its id', async () => {
  const { execution_id } = (await call('start_job', { _execution: { background: true } })).data;
  await waitFor(async () =>
    expect((await call('get_execution_status', { execution_id })).data).toMatchObject({
      status: 'completed',
      result: { data: { job: ID } },
    }),
  );
});
