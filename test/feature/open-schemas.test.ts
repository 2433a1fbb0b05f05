import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';

const NAMED = { properties: { id: { type: 'string' } } };

/** Schemas by what they say of further members: the arguments that a direct call would be taken with, and such that it would not. */
const OPEN: Readonly<Record<string, { schema: JsonObject; good: JsonObject; bad?: JsonObject; words: string }>> = {
  any: { schema: { ...NAMED, additionalProperties: true }, good: { id: 'a', x: 1 }, words: 'of any name' },
  empty: { schema: { additionalProperties: {} }, good: { x: { deep: [1] } }, words: 'of any name' },
  texts: {
    schema: { ...NAMED, additionalProperties: { type: 'string' } },
    good: { x: 'text' },
    bad: { x: 1 },
    words: 'of any name (string)',
  },
  patterns: {
    schema: { ...NAMED, patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    good: { 'x-rate': 1 },
    bad: { 'y-rate': 1 },
    words: "whose name matches '^x-' (number)",
  },
  unevaluated: { schema: { allOf: [NAMED], unevaluatedProperties: true }, good: { x: 1 }, words: 'of any name' },
  names: {
    schema: { propertyNames: { pattern: '^[a-z]+$' } },
    good: { key: 1 },
    bad: { KEY: 1 },
    words: "whose name matches '^[a-z]+$'",
  },
  referred: {
    schema: { $ref: '#/$defs/form', $defs: { form: { type: 'object', ...NAMED, additionalProperties: true } } },
    good: { x: 1 },
    words: 'of any name',
  },
  union: {
    schema: {
      oneOf: [
        { ...NAMED, required: ['id'], additionalProperties: true },
        { required: ['n'], properties: { n: {} } },
      ],
    },
    good: { id: 'a', x: 1 },
    words: 'of any name',
  },
  untold: { schema: {}, good: { path: 'a', content: 'b' }, words: 'which its schema does not name' },
};

const DESCRIPTION = 'Gets a form. Example: { "path": "a", "content": "b" }';

const run = `run: (args) => ({ content: [{ type: 'text', text: JSON.stringify({ got: args }) }] })`;

const tool = (name: string, schema: object, more: object = {}) =>
  `${name}: { tool: ${JSON.stringify({ description: DESCRIPTION, inputSchema: { type: 'object', ...schema }, annotations: { readOnlyHint: true }, ...more })}, ${run} }`;

const WRITES = { annotations: { readOnlyHint: false, destructiveHint: false } };

const SERVER = `{ ${[
  ...Object.entries(OPEN).map(([name, { schema }]) => tool(`get_${name}`, schema)),
  tool('get_closed', { ...NAMED, additionalProperties: false }),
  tool('get_silent', NAMED),
  tool('get_nothing', {}, { description: 'Gets the time.' }),
  tool('get_allowed', NAMED),
  tool('get_refused', { ...NAMED, additionalProperties: true }),
  tool('update_form', { ...NAMED, additionalProperties: true }, { description: 'Updates a form.', ...WRITES }),
  tool(
    'put_secret',
    { additionalProperties: { type: 'string', writeOnly: true } },
    { description: 'Adds.', ...WRITES },
  ),
].join(', ')} }`;

const CONFIG = {
  mcpServers: {
    forms: inlineServer(SERVER, {
      operations: { get_allowed: { unknownParameters: 'allow' }, get_refused: { unknownParameters: 'refuse' } },
    }),
  },
};

interface Answer {
  readonly success?: boolean;
  readonly got?: JsonObject;
  readonly data?: { readonly got: JsonObject };
  readonly error?: { readonly code: string; readonly message: string; readonly details: JsonObject };
}

const gotOf = ({ got, data, error }: Answer) => got ?? data?.got ?? error;

describe.each(['single', 'passthrough'] as const)('in %s mode, a tool that takes more than it names', (mode) => {
  let gateway: LiveGateway;
  let call: (operation: string, params: JsonObject) => Promise<Answer>;

  beforeAll(async () => {
    gateway = await openLiveGateway({ ...CONFIG, endpoint: { mode } });
    const client = await gateway.connect('http', 'modern');
    call = async (operation, params) => {
      const isSingle = mode === 'single';
      const request = isSingle
        ? { name: 'mcp_aql', arguments: { operation, params } }
        : { name: operation, arguments: params };
      const { content } = await client.callTool(request);
      return JSON.parse((content as { text: string }[])[0]?.text ?? '') as Answer;
    };
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(Object.entries(OPEN))(
    'is called with what its schema allows, and no more: %s',
    async (name, { good, bad }) => {
      expect(gotOf(await call(`get_${name}`, good))).toEqual(good);
      if (bad === undefined) return;
      const { error } = await call(`get_${name}`, bad);
      expect(error?.code).toMatch(/^VALIDATION_/);
      expect(error?.message).toContain(Object.keys(bad)[0]);
    },
  );

  it('is refused what a closed schema does not name', async () => {
    const { error } = await call('get_closed', { x: 1 });
    expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM', details: { unknown_params: ['x'] } });
  });

  it('follows what the operator says of unknown parameters', async () => {
    expect(gotOf(await call('get_allowed', { x: 1 }))).toEqual({ x: 1 });
    expect((await call('get_refused', { x: 1 })).error?.code).toBe('VALIDATION_UNKNOWN_PARAM');
  });

  it.each(['get_silent', 'get_nothing'])('is asked for nothing where %s names all that it takes', async (name) => {
    const answer = await call(name, { x: 1 });
    if (mode === 'passthrough') expect(gotOf(answer)).toEqual({ x: 1 });
    else expect(answer.error?.code).toBe('VALIDATION_UNKNOWN_PARAM');
  });

  it.each([
    { force: true, delete: true },
    { sql: 'drop table t' },
    { action: 'delete' },
    { options: { overwrite: true } },
  ])('is gated by the danger of %j, which it does not describe', async (params) => {
    const { error } = await call('get_any', params);
    expect(error?.code).toBe('CONFIRMATION_REQUIRED');
    const confirmed = await call('get_any', { _confirmation: error?.details['confirmation_token'] });
    expect(gotOf(confirmed)).toEqual(params);
  });
});

describe('an operation that takes more than it names', () => {
  let gateway: LiveGateway;
  let client: Client;
  let call: (operation: string, params: JsonObject) => Promise<Answer>;

  beforeAll(async () => {
    const rules = [{ match: { operation: 'put_secret' }, decision: 'confirm' }];
    gateway = await openLiveGateway({ ...CONFIG, policy: { rules } });
    client = await gateway.connect('http', 'modern');
    call = async (operation, params) => (await gateway.call(client, operation, params)) as unknown as Answer;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(Object.entries(OPEN))('says in its details which: %s', async (name, { words }) => {
    const { data } = await call('introspect', { query: 'operations', name: `get_${name}` });
    expect((data as unknown as { operation: { description: string } }).operation.description).toContain(
      `Takes further parameters${words.startsWith('which') ? ',' : ''} ${words}`,
    );
  });

  it('says it in its signature', async () => {
    const { data } = await call('introspect', { query: 'operations', search: 'update a form' });
    expect(JSON.stringify(data)).toContain('update_form(id?, input: {...others})');
  });

  it('takes the fields of an update inside input', async () => {
    expect(gotOf(await call('update_form', { id: '1', input: { color: 'red' } }))).toEqual({ id: '1', color: 'red' });
    const twice = await call('update_form', { id: '1', color: 'blue', input: { color: 'red' } });
    expect(twice.error).toMatchObject({ code: 'VALIDATION_INVALID_VALUE' });
  });

  it('is called in a batch as alone', async () => {
    const operations = [
      { operation: 'get_texts', params: { x: 'text' } },
      { operation: 'get_texts', params: { x: 1 } },
      { operation: 'get_closed', params: { x: 1 } },
    ];
    const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operations } });
    const { results } = JSON.parse((content as { text: string }[])[0]?.text ?? '') as { results: { result: Answer }[] };
    expect(results.map(({ result }) => result.data?.got ?? result.error?.code)).toEqual([
      { x: 'text' },
      'VALIDATION_INVALID_TYPE',
      'VALIDATION_UNKNOWN_PARAM',
    ]);
  });

  it('shows nobody what its schema says is secret, whatever its name', async () => {
    const { error } = await call('put_secret', { mark: 'hunter22' });
    expect(error?.code).toBe('CONFIRMATION_REQUIRED');
    expect(JSON.stringify(error)).not.toContain('hunter22');
  });

  it('is told of once where its schema says nothing', () => {
    const told = gateway.gateway.status().diagnostics.filter(({ kind }) => kind === 'schema-says-nothing');
    expect(told.map(({ tool: name }) => name)).toEqual(['get_untold']);
  });
});

it('a read that takes more than it names is called as EXECUTE with an argument that does more', async () => {
  await using gateway = await openLiveGateway({ ...CONFIG, endpoint: { mode: 'semantic' } });
  const client = await gateway.connect('http', 'modern');
  const call = async (family: string, params: JsonObject): Promise<Answer> => {
    const { content } = await client.callTool({
      name: `mcp_aql_${family}`,
      arguments: { operation: 'get_any', params },
    });
    return JSON.parse((content as { text: string }[])[0]?.text ?? '') as Answer;
  };
  expect(gotOf(await call('read', { x: 1 }))).toEqual({ x: 1 });
  expect(await call('read', { force: true })).toMatchObject({ error: { code: 'VALIDATION_ENDPOINT_MISMATCH' } });
  expect(await call('execute', { force: true })).toMatchObject({ error: { code: 'CONFIRMATION_REQUIRED' } });
  expect(await call('execute', { x: 1 })).toMatchObject({ error: { code: 'VALIDATION_ENDPOINT_MISMATCH' } });
});
