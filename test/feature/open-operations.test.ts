import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { CONTROLS, type Control } from '../../src/results/query/result-types.js';
import { inlineServer } from '../support/inline-server.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { eachNth } from '../support/nightly.js';

/** What a caller would send for each control, and a server could mean by it. */
const VALUES: Readonly<Record<Control, unknown>> = {
  query: 'ada',
  filter: { name: 'ada' },
  sort: '-id',
  distinct: 'name',
  fields: ['id'],
  preset: 'minimal',
  aggregate: { n: { count: true } },
  include_items: true,
  first: 3,
  after: 'x',
  last: 3,
  before: 'x',
  limit: 3,
  offset: 1,
  page: 2,
  page_size: 3,
  collection: 'rows',
};

/** Tools that may take what their schema does not name, by how they say so. */
const OPEN: Readonly<Record<string, object>> = {
  get_any: { inputSchema: { type: 'object', additionalProperties: true } },
  get_named: { inputSchema: { type: 'object', properties: { id: {} }, additionalProperties: true } },
  get_schema: { inputSchema: { type: 'object', additionalProperties: {} } },
  get_patterns: {
    inputSchema: { type: 'object', patternProperties: { '^[a-z_]+$': {} }, additionalProperties: false },
  },
  get_unevaluated: { inputSchema: { type: 'object', properties: { id: {} }, unevaluatedProperties: true } },
  get_inner: { inputSchema: { type: 'object', allOf: [{ properties: { id: {} }, additionalProperties: true }] } },
  get_lost: { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
  get_empty: { inputSchema: {} },
  get_none: { inputSchema: null },
  get_untold: { inputSchema: { type: 'object' }, description: 'Gets rows. Parameters: query (string), limit (number)' },
  search_rows: { inputSchema: { type: 'object', properties: {} } },
  get_allowed: { inputSchema: { type: 'object', properties: { id: {} } } },
};

const ROWS = Array.from({ length: 20 }, (_, index) => ({ id: index, name: index % 2 === 0 ? 'ada' : 'bob' }));

const run = `run: (args) => ({ structuredContent: { got: args, rows: ${JSON.stringify(ROWS)} }, content: [] })`;

const tool = (name: string, definition: object) =>
  `${name}: { tool: ${JSON.stringify({ description: 'Gets rows.', ...definition, annotations: { readOnlyHint: true } })}, ${run} }`;

const closed = { inputSchema: { type: 'object', properties: {} } };

const SERVER = `{ ${[...Object.entries(OPEN), ['list_closed', closed] as const].map(([name, each]) => tool(name, each)).join(', ')} }`;

const CONFIG = {
  results: { maxTokens: 0 },
  mcpServers: {
    open: inlineServer(SERVER, { operations: { get_allowed: { unknownParameters: 'allow' } } }),
    loose: inlineServer(`{ ${tool('get_loose', { inputSchema: { type: 'object', properties: { id: {} } } })} }`, {
      strict: false,
    }),
  },
};

const NAMES = eachNth(3, [...Object.keys(OPEN), 'get_loose']);

const MODES = [
  { mode: 'single' },
  { mode: 'semantic' },
  ...['intent', 'database'].map((profile) => ({ mode: 'semantic', profile })),
];

async function callIn(client: Client, operation: string, params: JsonObject): Promise<Envelope> {
  const { tools } = await client.listTools();
  const families = tools.map(({ name }) => name);
  for (const name of families) {
    const { content } = await client.callTool({ name, arguments: { operation, params } });
    const envelope = JSON.parse((content as { text: string }[])[0]?.text ?? '') as Envelope;
    if (envelope.error?.code !== 'VALIDATION_ENDPOINT_MISMATCH') return envelope;
  }
  throw new Error('no family takes it');
}

describe.each(MODES)('in $mode mode, profile $profile, a READ that may take more than its schema names', (endpoint) => {
  let gateway: LiveGateway;
  let client: Client;

  beforeAll(async () => {
    gateway = await openLiveGateway({ ...CONFIG, endpoint });
    client = await gateway.connect('http', 'modern');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(NAMES)('passes on every plain name of a control: %s', async (name) => {
    for (const control of CONTROLS) {
      const given = { [control]: VALUES[control] };
      const { data, warnings = [] } = await callIn(client, name, given);
      expect(data, control).toEqual({ got: given, rows: ROWS });
      expect(warnings.map(({ code }) => code)).toContain('VALIDATION_PASSED_ON_WARNING');
      expect(JSON.stringify(warnings)).toContain(`'result_${control}'`);
    }
    expect((await callIn(client, name, { ...VALUES })).data).toEqual({ got: VALUES, rows: ROWS });
  });

  it.each(NAMES)('is asked of its answer by other names, which do not reach the server: %s', async (name) => {
    const params = { query: 'ada', result_filter: { name: 'bob' }, result_collection: 'rows', result_first: 2 };
    const { data } = await callIn(client, name, params);
    expect(data).toMatchObject({ items: [ROWS[1], ROWS[3]], rest: { got: { query: 'ada' } } });
  });
});

describe('a READ that may take more than its schema names', () => {
  let gateway: LiveGateway;
  let client: Client;
  const call = (operation: string, params: JsonObject = {}) => gateway.call(client, operation, params);

  beforeAll(async () => {
    gateway = await openLiveGateway({ ...CONFIG, programs: { enabled: true } });
    client = await gateway.connect('http', 'modern');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(NAMES)('shows the names of its controls, and examples with them: %s', async (name) => {
    const { data } = await call('introspect', { query: 'operations', name });
    const { parameters, examples } = data.operation;
    const names = parameters.map((parameter: { name: string }) => parameter.name);
    expect(names).toEqual(expect.arrayContaining(CONTROLS.map((control) => `result_${control}`)));
    expect(names).not.toEqual(expect.arrayContaining(['filter']));
    expect(JSON.stringify(parameters)).toContain('plain names go to the server');
    for (const { request } of examples)
      for (const control of CONTROLS) expect(request.params ?? {}).not.toHaveProperty(control);
  });

  it('is called in a batch as alone', async () => {
    const operations = NAMES.map((operation) => ({ operation, params: { limit: 2, result_collection: 'rows' } }));
    const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operations } });
    const { results } = JSON.parse((content as { text: string }[])[0]?.text ?? '');
    for (const { result } of results) expect(result.data.rest).toEqual({ got: { limit: 2 } });
  });

  it('is called by a program as alone', async () => {
    const code = "return await aql.read('get_any', { limit: 2, result_query: 'ada', result_collection: 'rows' })";
    const { data } = await call('run_program_read_only', { code });
    expect(data.result).toMatchObject({ items: expect.arrayContaining([ROWS[0]]), rest: { got: { limit: 2 } } });
  });

  it('says where its answer may have been cut before the control was applied', async () => {
    const { warnings = [], data } = await call('get_any', { result_query: 'eve', result_collection: 'rows' });
    expect(data.items).toEqual([]);
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'VALIDATION_PARTIAL_LIST_WARNING' }));
    const bounded = await call('get_any', { limit: 20, result_query: 'eve', result_collection: 'rows' });
    expect(JSON.stringify(bounded.warnings)).toContain("as many as 'limit' allows");
  });
});

it('a READ whose schema names nothing and is no search keeps the plain names', async () => {
  await using gateway = await openLiveGateway(CONFIG);
  const client = await gateway.connect('http', 'modern');
  const { data } = await gateway.call(client, 'list_closed', { filter: { name: 'bob' }, first: 1, collection: 'rows' });
  expect(data).toMatchObject({ items: [ROWS[1]], rest: { got: {} } });
});
