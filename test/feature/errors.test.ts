import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { behaviourServer } from '../support/behaviours.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';

/** A catalogue whose operations allow every kind of wrong call. */
const TOOLS = [
  {
    name: 'updateIssue',
    description: 'Update an issue.',
    inputSchema: {
      type: 'object',
      properties: {
        owner: { type: 'string' },
        issue_number: { type: 'integer', minimum: 1 },
        title: { type: 'string', minLength: 1 },
        state: { type: 'string', enum: ['open', 'closed'] },
      },
      required: ['owner', 'issue_number'],
    },
  },
  {
    name: 'list_issues',
    description: 'List issues.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        owner: { type: 'string', description: 'Account that owns the repository.' },
        perPage: { type: 'integer', minimum: 1, maximum: 100 },
        since: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
      },
      required: ['owner'],
    },
  },
  { name: 'drop_database', description: 'Drops a database.', inputSchema: { type: 'object', properties: {} } },
  { name: 'search', description: 'Search.', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
];

const OTHER_TOOLS = [
  {
    name: 'search',
    description: 'Search elsewhere.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object' },
  },
];

let upstream: ReplayServer;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startReplayServer(
    new Map<string, readonly unknown[]>([
      ['tracker', TOOLS],
      ['wiki', OTHER_TOOLS],
    ]),
  );
  gateway = await hostGateway(
    {
      results: { maxTokens: 0 },
      limits: {
        maxRequestSize: 65_536,
        maxStringLength: 65_536,
        maxArrayElements: 100,
        maxNestingDepth: 8,
        maxValues: 10_000,
        maxResponseSize: 1_048_576,
      },
      mcpServers: {
        tracker: { url: upstream.urlOf('tracker') },
        wiki: { url: upstream.urlOf('wiki') },
        behaviour: {
          ...behaviourServer(),
          timeoutMs: 1_500,
          operations: { '*': { category: 'EXECUTE', danger: 'safe' } },
        },
        gone: { command: 'no-such-command-anywhere' },
      },
    },
    { seen: ['gone'] },
  );
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const READ = 'mcp_aql_read';
const UPDATE = 'mcp_aql_update';

/** Refusals that are no failures. */
const QUESTIONS = ['CONFIRMATION_REQUIRED', 'RATE_LIMIT_QUOTA_PAUSE'];

/** What every refusal must have, whatever its code. */
function refusal(answer: Answer): { code: string; message: string; details: JsonObject } {
  expect(answer.success).toBe(false);
  const { code = '', message = '', details = {} } = answer.error ?? {};
  expect(`${message}${JSON.stringify(details)}`).not.toMatch(/\.js:\d+|node_modules|Error:|\bat [A-Z]\w+\./);
  expect(answer.raw['isError'] === true).toBe(!QUESTIONS.includes(code));
  return { code, message, details };
}

/** Sends the corrected example of a refusal back, which must be accepted. */
async function accepted(details: JsonObject): Promise<void> {
  const { tool, arguments: args } = details['example'] as { tool: string; arguments: JsonObject };
  expect(await client.callTool(tool, args)).toMatchObject({ success: true });
}

describe('a call', () => {
  it('without a required parameter is refused with its name and type', async () => {
    const { code, message, details } = refusal(await client.call(READ, 'list_issues'));
    expect({ code, message }).toEqual({
      code: 'VALIDATION_MISSING_PARAM',
      message: "Missing required parameter 'owner'. Expected: string",
    });
    expect(details).toMatchObject({
      param_name: 'owner',
      operation: 'list_issues',
      description: 'Account that owns the repository.',
    });
    await accepted(details);
  });

  it('with a parameter of the wrong type is refused with both types', async () => {
    const { code, message, details } = refusal(await client.call(READ, 'list_issues', { owner: 7 }));
    expect({ code, message }).toEqual({
      code: 'VALIDATION_INVALID_TYPE',
      message: "Parameter 'owner' expected 'string', got 'number'",
    });
    expect(details).toMatchObject({ param_name: 'owner', expected_type: 'string', actual_type: 'number' });
    await accepted(details);
  });

  it('with an unknown parameter is refused with the nearest name and the valid names', async () => {
    const { code, message, details } = refusal(
      await client.call(READ, 'list_issues', { owner: 'a', perpage: 5, x: 1 }),
    );
    expect(code).toBe('VALIDATION_UNKNOWN_PARAM');
    expect(message).toBe(
      "Unknown parameter(s) for operation 'list_issues': 'perpage' (did you mean 'per_page'?), 'x'. Valid: 'owner', 'per_page', 'since', 'tags'; " +
        "for its answer: 'query', 'filter', 'sort', 'distinct', 'fields', 'preset', 'aggregate', 'include_items', 'first', 'after', " +
        "'last', 'before', 'limit', 'offset', 'page', 'page_size', 'collection'",
    );
    expect(details).toMatchObject({
      operation: 'list_issues',
      unknown_params: ['perpage', 'x'],
      valid_params: expect.arrayContaining(['owner', 'per_page', 'since', 'tags', 'filter', 'first']),
    });
    await accepted(details);
  });

  it.each([
    ['VALIDATION_OUT_OF_RANGE', { owner: 'a', per_page: 101 }, 'per_page', 101],
    ['VALIDATION_OUT_OF_RANGE', { owner: 'a', tags: ['a', 'b', 'c'] }, 'tags', undefined],
    ['VALIDATION_PATTERN_MISMATCH', { owner: 'a', since: 'yesterday' }, 'since', 'yesterday'],
    ['VALIDATION_INVALID_TYPE', { owner: 'a', tags: ['a', 1] }, 'tags[1]', undefined],
    ['VALIDATION_INVALID_ENUM', { owner: 'a', preset: 'nope' }, 'preset', 'nope'],
  ])('is refused with %s for %j and names the parameter %s, with its value', async (expected, params, param, value) => {
    const { code, message, details } = refusal(await client.call(READ, 'list_issues', params));
    expect({ code, param: details['param_name'], value: details['value'] }).toEqual({ code: expected, param, value });
    expect(message).toContain(param === 'preset' ? "'minimal'" : `'${param}'`);
    if (param !== 'preset') await accepted(details);
  });

  it('with several faults is refused with all of them in one answer', async () => {
    const { details } = refusal(await client.call(READ, 'list_issues', { perPage: 0, since: 5, wrong: 1 }));
    const faults = details['faults'] as { code: string; param: string; message: string }[];
    expect(faults.find(({ param }) => param === 'wrong')?.message).toBe(
      "Unknown parameter 'wrong' for operation 'list_issues'",
    );
    expect(faults.map(({ code, param }) => `${code} ${param}`).sort()).toEqual([
      'VALIDATION_INVALID_TYPE since',
      'VALIDATION_MISSING_PARAM owner',
      'VALIDATION_OUT_OF_RANGE per_page',
      'VALIDATION_UNKNOWN_PARAM wrong',
    ]);
    await accepted(details);
  });

  it('with wrong controls beside wrong parameters is refused with all of them in one answer', async () => {
    const params = { per_pag: 5, filter: 5, _sort: 'a', first: 'x' };
    const { code, message, details } = refusal(await client.call(READ, 'list_issues', params));
    expect(code).toBe('VALIDATION_UNKNOWN_PARAM');
    for (const part of ["'per_pag' (did you mean 'per_page'?)", "'_sort' (did you mean 'sort'?)"])
      expect(message).toContain(part);
    expect((details['faults'] as readonly JsonObject[]).map((fault) => `${fault['code']} ${fault['param']}`)).toEqual([
      'VALIDATION_UNKNOWN_PARAM per_pag',
      'VALIDATION_MISSING_PARAM owner',
      'VALIDATION_UNKNOWN_PARAM _sort',
      'VALIDATION_INVALID_TYPE filter',
      'VALIDATION_INVALID_TYPE first',
    ]);
    expect(details['unknown_params']).toEqual(['per_pag', '_sort']);
    await accepted(details);
  });

  it('with both spellings of one parameter is refused', async () => {
    const { code } = refusal(await client.call(READ, 'list_issues', { owner: 'a', per_page: 1, perPage: 2 }));
    expect(code).toBe('VALIDATION_INVALID_VALUE');
  });

  it('takes its value from params where another spelling is beside them (specification 4.2)', async () => {
    const answer = await client.callTool(READ, {
      operation: 'list_issues',
      params: { owner: 'a', per_page: 1 },
      perPage: 2,
    });
    expect(answer).toMatchObject({ success: true });
  });
});

describe('the input of an UPDATE', () => {
  it('is told as the call to send when a caller sends its fields beside the identifiers', async () => {
    const { code, message, details } = refusal(
      await client.call(UPDATE, 'update_issue', { owner: 'a', issue_number: 1, title: 'New' }),
    );
    expect(code).toBe('VALIDATION_MISSING_PARAM');
    expect(details['param_name']).toBe('input');
    expect(message).toContain("'title' (did you mean 'input.title'?)");
    expect(details['send']).toEqual({
      tool: UPDATE,
      arguments: { operation: 'update_issue', params: { owner: 'a', issue_number: 1, input: { title: 'New' } } },
    });
    await accepted({ example: details['send'] });
  });

  it('is named when it is missing', async () => {
    const { code, details } = refusal(await client.call(UPDATE, 'update_issue', { owner: 'a', issue_number: 1 }));
    expect(code).toBe('VALIDATION_MISSING_PARAM');
    expect(details['param_name']).toBe('input');
    await accepted(details);
  });

  it('is refused with the valid fields when it has an unknown field', async () => {
    const params = { owner: 'a', issue_number: 1, input: { titel: 'New' } };
    const { code, details } = refusal(await client.call(UPDATE, 'update_issue', params));
    expect(code).toBe('VALIDATION_UNKNOWN_FIELD');
    expect(details).toMatchObject({ unknown_fields: ['titel'], valid_fields: ['title', 'state'] });
    await accepted(details);
  });

  it('is refused with the valid values when a field is outside its enum', async () => {
    const params = { owner: 'a', issue_number: 1, input: { state: 'done' } };
    const { code, message, details } = refusal(await client.call(UPDATE, 'update_issue', params));
    expect(code).toBe('VALIDATION_INVALID_ENUM');
    expect(message).toMatch(/'open'.*'closed'/);
    await accepted(details);
  });
});

describe('a request', () => {
  it('through the tool of another family is refused with the right tool', async () => {
    const params = { owner: 'a', issue_number: 1, input: { title: 'x' } };
    const { code, message, details } = refusal(await client.call(READ, 'update_issue', params));
    expect({ code, message }).toEqual({
      code: 'VALIDATION_ENDPOINT_MISMATCH',
      message: "Operation 'update_issue' must be called via 'mcp_aql_update', not 'mcp_aql_read'",
    });
    expect(details).toMatchObject({
      operation: 'update_issue',
      expected_endpoint: 'update',
      actual_endpoint: 'read',
      expected_tool: UPDATE,
      actual_tool: READ,
    });
    await accepted(details);
  });

  it.each<[string, JsonObject]>([
    ['with what it says of itself', { owner: 'a', issue_number: 1, input: { title: 'x' }, _confirmation: 'conf_x' }],
    ['with a confirmation alone', { _confirmation: 'conf_x' }],
  ])('through the tool of another family is repeated whole, %s', async (_, params) => {
    const { details } = refusal(await client.call(READ, 'update_issue', params));
    expect(details['example']).toEqual({ tool: UPDATE, arguments: { operation: 'update_issue', params } });
  });

  it('through the tool of another family is not repeated where it is long, nor replaced by placeholders', async () => {
    const params = { owner: 'a', issue_number: 1, input: { title: 'x'.repeat(2_000) } };
    const { message, details } = refusal(await client.call(READ, 'update_issue', params));
    expect(message).toMatch(/Send the same arguments there$/);
    expect(details).toMatchObject({ expected_tool: UPDATE });
    expect(details).not.toHaveProperty('example');
  });

  it.each([
    ['a misspelt name', 'list_isues', 'list_issues'],
    ["the upstream's own spelling", 'updateIssue', 'update_issue'],
    ['a prefix that clients add', 'mcp__tracker__list_issues', 'list_issues'],
  ])('with %s is refused with the operation that was meant', async (_what, given, meant) => {
    const { code, message, details } = refusal(await client.call(READ, given));
    expect(code).toBe('NOT_FOUND_OPERATION');
    expect(message).toContain(`'${meant}'`);
    expect((details['available'] as string[])[0]).toBe(meant);
    // What writes is shown with placeholders for all that the caller has not said.
    if (meant === 'update_issue') expect(JSON.stringify(details['example'])).toMatch(/"<\w+>"/);
    else await accepted(details);
  });

  it('with a name that two upstreams have is refused with both qualified names', async () => {
    const { code, message } = refusal(await client.call(READ, 'search'));
    expect(code).toBe('NOT_FOUND_OPERATION');
    expect(message).toContain("'tracker__search', 'wiki__search'");
  });

  it("for an upstream's tool as an MCP tool gets a JSON-RPC error with the operation and its tool", async () => {
    const example = { tool: READ, arguments: { operation: 'list_issues', params: { owner: 'a' } } };
    await expect(client.callTool('list_issues', { owner: 'a' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(READ),
      data: { success: false, error: { code: 'NOT_FOUND_OPERATION', details: { example } } },
    });
    await accepted({ example });
  });

  it('with params as a string of JSON is refused with the expected type', async () => {
    const { code, details } = refusal(
      await client.callTool(READ, { operation: 'list_issues', params: '{"owner":"a"}' }),
    );
    expect(code).toBe('VALIDATION_INVALID_TYPE');
    expect(details).toMatchObject({ param_name: 'params', expected_type: 'object', actual_type: 'string' });
    await accepted(details);
  });

  it.each([
    { name: 'list_issues', arguments: { owner: 'a', perPage: 2 } },
    { tool: 'list_issues', params: { owner: 'a', perPage: '2' } },
    { function: 'list_issues', owner: 'a', per_page: 2 },
    { operation: { name: 'list_issues', parameters: { owner: 'a', perPage: 2 } } },
  ])('with its operation in another place is shown the whole call that was meant (%j)', async (request) => {
    const { code, message, details } = refusal(await client.callTool(READ, request));
    expect(code).toMatch(/^VALIDATION_(?:MISSING_PARAM|INVALID_TYPE)$/);
    expect(message).toMatch(/'list_issues' belongs in 'operation'/);
    expect(details['example']).toEqual({
      tool: READ,
      arguments: { operation: 'list_issues', params: { owner: 'a', per_page: 2 } },
    });
    await accepted(details);
  });

  it.each(['arguments', 'args', 'parameters', 'payload'])(
    'with its parameters in a member of another name is shown where they belong (%s)',
    async (key) => {
      for (const request of [{ [key]: { owner: 'a' } }, { params: { [key]: '{"owner": "a"}' } }]) {
        const { message, details } = refusal(await client.callTool(READ, { operation: 'list_issues', ...request }));
        expect(message).toContain(`'${key}' (did you mean 'params'?)`);
        expect(details['example']).toMatchObject({ arguments: { params: { owner: 'a' } } });
        await accepted(details);
      }
    },
  );

  it('without an operation is refused', async () => {
    const { code, details } = refusal(await client.callTool(READ, { params: {} }));
    expect(code).toBe('VALIDATION_MISSING_PARAM');
    expect(details['param_name']).toBe('operation');
    await accepted(details);
  });
});

describe('a payload', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  it.each([
    ['request_size', { owner: 'x'.repeat(70_000) }],
    ['array_elements', { owner: 'a', tags: Array.from({ length: 101 }, () => 'x') }],
    ['nesting_depth', { owner: nested(8) }],
    ['values', { owner: 'a', tags: Array.from({ length: 100 }, () => Array.from({ length: 99 }, () => 1)) }],
  ])('is refused when it exceeds %s', async (limit, params) => {
    const { code, details } = refusal(await client.call(READ, 'list_issues', params as JsonObject));
    expect({ code, limit: details['limit_type'] }).toEqual({ code: 'VALIDATION_PAYLOAD_TOO_LARGE', limit });
  });

  it('of an answer is refused when it exceeds response_size', async () => {
    const { code, details } = refusal(await client.call('mcp_aql_execute', 'big', { bytes: 1_100_000 }));
    expect({ code, limit: details['limit_type'] }).toEqual({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      limit: 'response_size',
    });
  });

  it('with null bytes or lone surrogates is refused', async () => {
    expect(refusal(await client.call(READ, 'list_issues', { owner: 'a\0' })).code).toBe('VALIDATION_INVALID_ENCODING');
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_aql_read","arguments":{"operation":"list_issues","params":{"owner":"\\ud800"}}}}';
    const answer = JSON.parse(await rawPost(body)) as { result: { content: { text: string }[] } };
    expect(JSON.parse(answer.result.content[0]?.text ?? '').error.code).toBe('VALIDATION_INVALID_ENCODING');
  });
});

describe("an upstream's failure", () => {
  it.each([
    ['NOT_FOUND_RESOURCE', 'tool_error', { text: 'Request failed with status code 404' }],
    ['PERMISSION_DENIED', 'tool_error', { text: '403 Forbidden' }],
    ['CONFLICT_ALREADY_EXISTS', 'tool_error', { text: 'it already exists' }],
    ['RATE_LIMIT_EXCEEDED', 'tool_error', { text: '429 Too Many Requests' }],
    ['INTERNAL_ERROR', 'tool_error', { text: 'out of order' }],
    ['NOT_FOUND_RESOURCE', 'fail', { code: -32002, message: 'no such resource' }],
    ['VALIDATION_INVALID_TYPE', 'fail', { code: -32602, message: 'bad arguments' }],
    ['INTERNAL_ERROR', 'fail', { code: -32603, message: 'broken' }],
  ])('becomes %s for %s %j, with the text of the upstream in the details', async (expected, operation, params) => {
    const { code, details } = refusal(await client.call('mcp_aql_execute', operation, params));
    expect(code).toBe(expected);
    expect(JSON.stringify(details['upstream_error'])).toContain('text' in params ? params.text : params.message);
  });

  it('to answer in time becomes INTERNAL_ERROR with the reason', async () => {
    const { code, details } = refusal(await client.call('mcp_aql_execute', 'slow', { ms: 60_000 }));
    expect(code).toBe('INTERNAL_ERROR');
    expect(details).toMatchObject({ upstream: 'behaviour', reason: 'timeout' });
  });

  it('by a crash during a call that must not be repeated says so, and the upstream is started again', async () => {
    const { code, details } = refusal(await client.call('mcp_aql_execute', 'crash'));
    expect(code).toBe('INTERNAL_ERROR');
    expect(details).toMatchObject({ upstream: 'behaviour', reason: 'connection_lost', retryable: false });
    expect(await client.call('mcp_aql_execute', 'pid')).toMatchObject({ success: true });
  });
});

it('a forbidden operation does not run', async () => {
  const { code, details } = refusal(await client.call('mcp_aql_delete', 'drop_database'));
  expect(code).toBe('PERMISSION_DANGER_LEVEL_DENIED');
  expect(details).toMatchObject({ operation: 'drop_database', danger_level: 'forbidden', adapter_trust: 'validated' });
});

it('a failure of introspection has a code and a message but no details', async () => {
  for (const [params, code] of [
    [{ query: 'everything' }, 'INTROSPECTION_ERROR'],
    [{ query: 'operations', after: 'garbage' }, 'INTROSPECTION_ERROR'],
    [{}, 'VALIDATION_MISSING_PARAM'],
    [{ query: 'operations', nam: 'x' }, 'VALIDATION_UNKNOWN_PARAM'],
  ] as const) {
    const answer = await client.introspect(params);
    expect(answer.error?.code).toBe(code);
    expect(Object.keys(answer.error ?? {})).toEqual(['code', 'message']);
  }
});

async function rawPost(body: string): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const opening =
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}';
  const opened = await fetch(gateway.url, { method: 'POST', headers, body: opening });
  const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  const answer = await fetch(gateway.url, { method: 'POST', headers: session, body });
  return answer.text();
}
