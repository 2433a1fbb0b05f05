import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/base/json/json.js';
import { Cancellation } from '../../../../../src/base/protocol/cancellation.js';
import type { Operation } from '../../../../../src/base/protocol/operation.js';
import { buildEndpointPlan } from '../../../../../src/catalog/endpoint/endpoint-plan.js';
import { OperationSearch } from '../../../../../src/catalog/search/search.js';
import {
  countAffordable,
  createIntrospection,
  type IntrospectionPolicy,
  type IntrospectionResults,
} from '../../../../../src/gateway/builtin/introspect/handler.js';
import { introspectOperation } from '../../../../../src/gateway/builtin/introspect/operation.js';
import { Usage } from '../../../../../src/gateway/builtin/introspect/usage.js';
import { CONTROLS } from '../../../../../src/results/query/result-types.js';
import { prepareControls } from '../../../../../src/results/shape/controls.js';
import { STILL_HOST } from '../../../../support/a-handler-host.js';
import { FAKE_CRUDE, fakeCatalog, fakeOperation } from '../../../catalog/endpoint/fake-catalog.js';

const SCHEMA_FILE = fileURLToPath(
  new URL('../../../../../../shared/spec/schemas/introspection-response.schema.json', import.meta.url),
);
const LIMITS = {
  maxRequestSize: 1_048_576,
  maxResponseSize: 10_485_760,
  maxStringLength: 1_048_576,
  maxArrayElements: 10_000,
  maxNestingDepth: 32,
};

const FILTER_SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const OPERATIONS = [
  fakeOperation('read_file', { required: ['path'] }),
  fakeOperation('list_files', { description: `Lists files. ${'It says a lot more than fits a line. '.repeat(8)}` }),
  fakeOperation('create_file', { category: 'CREATE', required: ['path', 'content'] }),
  fakeOperation('update_issue', { category: 'UPDATE', upstream: 'beta', required: ['issue_id'], input: ['title'] }),
  fakeOperation('delete_issue', {
    category: 'DELETE',
    danger: 'destructive',
    upstream: 'beta',
    required: ['issue_id'],
  }),
  fakeOperation('wipe_disk', { category: 'EXECUTE', danger: 'forbidden', upstream: 'beta' }),
  fakeOperation('set_filters', {
    category: 'EXECUTE',
    inputSchema: { type: 'object', properties: { filter: FILTER_SCHEMA }, required: ['filter'] },
    parameters: [{ name: 'filter', upstreamName: 'filter', place: 'params', required: true, schema: FILTER_SCHEMA }],
  }),
];

interface Answer extends JsonObject {
  readonly _protocol: JsonObject & { readonly page: { returned: number; total: number; after: string | null } };
  readonly operations: readonly (JsonObject & { readonly name: string; readonly description: string })[];
  readonly operation: JsonObject & { readonly description: string };
  readonly types: readonly { readonly name: string; readonly kind: string; readonly description?: string }[];
  readonly type: JsonObject;
}

/** What the default matrix says of a vouched-for upstream. */
const POLICY: IntrospectionPolicy = {
  staticDecision: ({ classification }) => {
    const { level } = classification.danger;
    const decision = level === 'destructive' ? 'confirm' : level === 'forbidden' ? 'deny' : 'allow';
    return { effect: decision, requires: 'token', conditional: false };
  },
  revokeToken: async (token, { sessionId }) => `${token} of ${sessionId}`,
  quotaStatus: async ({ sessionId }) => ({ adapter: sessionId }),
};

const RESULTS: IntrospectionResults = {
  controlsOf: (operation) => prepareControls(operation),
  readStored: (request, { sessionId }) => JSON.stringify({ request, sessionId }),
  hasRelations: false,
  safetyMode: 'disabled',
  absenceOf: () => undefined,
  tellNotHere: () => '',
  purposeOf: () => undefined,
  usage: new Usage(),
  explainUnknown: async (name) => `nothing is called ${name}`,
};

const SERVICES = { limits: LIMITS, policy: POLICY, search: new OperationSearch() };

function introspectionOf(
  operations: readonly Operation[],
  mode: 'semantic' | 'single' | 'all' = 'semantic',
  results = RESULTS,
) {
  const catalog = fakeCatalog([introspectOperation, ...operations]);
  const plan = buildEndpointPlan(catalog, { mode, toolPrefix: 'mcp_aql_', profile: FAKE_CRUDE, passthrough: false });
  const handler = createIntrospection({ ...SERVICES, catalog, plan, ...results });
  const outcomeOf = (args: JsonObject) =>
    handler({
      operation: introspectOperation,
      arguments: args,
      caller: { sessionId: 'session', clientName: 'test', transport: 'cli' },
      cancellation: new Cancellation(),
      host: STILL_HOST,
    });
  const ask = async (args: JsonObject): Promise<Answer> => {
    const outcome = await outcomeOf(args);
    if ('dataText' in outcome) return JSON.parse(outcome.dataText) as Answer;
    return ('data' in outcome ? outcome.data : undefined) as Answer;
  };
  return Object.assign(ask, { outcomeOf });
}

const ask = introspectionOf(OPERATIONS);
const namesOf = ({ operations }: Answer) => operations.map(({ name }) => name);
const failure = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'INTROSPECTION_ERROR',
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
  });

describe('introspect of operations', () => {
  it('says whose an operation is only where there are several upstreams', async () => {
    const { operations } = await introspectionOf([fakeOperation('list_files')])({
      query: 'operations',
      search: 'files',
    });
    expect(operations[0]?.description).toBe('list_files() - Does list files.');
  });

  it('marks the operations of an upstream that is not connected with the time of the next try', async () => {
    const absenceOf = (slug: string) => (slug === 'beta' ? { retryAfterMs: 11_500 } : undefined);
    const ask = introspectionOf(OPERATIONS, 'semantic', { ...RESULTS, absenceOf });
    const { operations } = await ask({ query: 'operations', upstream: 'beta' });
    expect(operations.map(({ description }) => description)).toEqual(
      operations.map(() => expect.stringMatching(/^\[beta\] .* \[unavailable: next try in 12 s\]$/)),
    );
  });

  it('marks a deprecated operation with what to use instead, in lists and details', async () => {
    const deprecated = { replacement: 'find_files', removalDate: '2026-12-01', note: 'It is slow' };
    const ask = introspectionOf([{ ...fakeOperation('list_files'), deprecated }]);
    const tag = "[deprecated: use 'find_files'; removal on 2026-12-01]";
    const { operations } = await ask({ query: 'operations' });
    expect(operations.find(({ name }) => name === 'list_files')?.description).toContain(tag);
    expect((await ask({ query: 'operations', name: 'list_files' })).operation.description).toContain(tag);
  });

  it('names profile and session, and says whether answers have versions', async () => {
    expect(await ask({ query: 'operations' })).toMatchObject({
      _protocol: { profile: FAKE_CRUDE.name, session_id: 'session', supports_etag: false },
    });
    const merge = { read: 'read_file', identifiers: {}, writes: 'changed' } as const;
    const merging = introspectionOf([{ ...fakeOperation('update_file', { category: 'UPDATE' }), merge } as Operation]);
    expect(await merging({ query: 'operations' })).toHaveProperty('_protocol.supports_etag', true);
  });

  it('explains a name that no operation has in a warning beside the null', async () => {
    const catalog = fakeCatalog([introspectOperation]);
    const plan = buildEndpointPlan(catalog, {
      mode: 'single',
      toolPrefix: 'mcp_aql_',
      profile: FAKE_CRUDE,
      passthrough: false,
    });
    const handler = createIntrospection({ ...SERVICES, catalog, plan, ...RESULTS });
    const outcome = await handler({
      operation: introspectOperation,
      arguments: { query: 'operations', name: 'nope' },
      caller: { sessionId: 'session', clientName: 'test', transport: 'cli' },
      cancellation: new Cancellation(),
      host: STILL_HOST,
    });
    expect(outcome).toEqual({
      data: { operation: null },
      hint: 'nothing is called nope',
    });
  });

  it('shows every operation, the most useful of each upstream in turn, itself last', async () => {
    expect(namesOf(await ask({ query: 'operations' }))).toEqual([
      'list_files',
      'update_issue',
      'read_file',
      'delete_issue',
      'set_filters',
      'wipe_disk',
      'create_file',
      'introspect',
    ]);
  });

  it('shows first what is used most, and finishes the pages that began before', async () => {
    const usage = new Usage();
    const asking = introspectionOf(OPERATIONS, 'semantic', { ...RESULTS, usage });
    const before = namesOf(await asking({ query: 'operations' }));
    const start = await asking({ query: 'operations', first: 3 });
    for (const name of [
      'create_file',
      'wipe_disk',
      'create_file',
      'wipe_disk',
      'create_file',
      'read_file',
      'read_file',
    ])
      usage.count(name);
    usage.count('list_files');
    const rest = await asking({ query: 'operations', after: start._protocol.page.after });
    expect([...namesOf(start), ...namesOf(rest)]).toEqual(before);
    const now = namesOf(await asking({ query: 'operations' }));
    expect(now.slice(0, 4)).toEqual(['create_file', 'read_file', 'wipe_disk', 'list_files']);
    expect(now.toSorted()).toEqual(before.toSorted());
  });

  it('gives protocol metadata whole at the start of the plain list and on request, elsewhere version and page', async () => {
    const whole = [
      'capabilities',
      'concurrency',
      'conformance',
      'conformance_measured_on',
      'limits',
      'mode',
      'page',
      'profile',
    ];
    const keysOf = ({ _protocol }: Answer) => Object.keys(_protocol).sort();
    const start = await ask({ query: 'operations', first: 2 });
    expect(keysOf(start)).toEqual([...whole, 'servers', 'session_id', 'supports_etag', 'version']);
    for (const query of [{ after: start._protocol.page.after }, { search: 'file' }, { upstream: 'beta' }])
      expect(keysOf(await ask({ query: 'operations', ...query }))).toEqual(['page', 'version']);
    const asked = await ask({ query: 'operations', search: 'file', include: ['protocol'] });
    expect(keysOf(asked)).toEqual([...whole, 'session_id', 'supports_etag', 'version']);
    await expect(ask({ query: 'operations', name: 'read_file', include: ['protocol'] })).rejects.toEqual(
      failure(/'include' 'protocol' cannot be combined with 'name'/),
    );
  });

  it('gives name, category, family and a line of description, and nothing else', async () => {
    const { operations } = await ask({ query: 'operations' });
    expect(operations[2]).toEqual({
      name: 'read_file',
      semantic_category: 'READ',
      endpoint: 'read',
      description: '[alpha] Does read file.',
    });
  });

  it('cuts a description to one line', async () => {
    const { operations } = await ask({ query: 'operations' });
    const listed = operations.find(({ name }) => name === 'list_files');
    expect(listed?.description.length).toBeLessThanOrEqual(120);
  });

  it('shows search hits with their parameters, so that they can be called at once', async () => {
    const { operations } = await ask({ query: 'operations', search: 'create a file' });
    expect(operations[0]?.description).toBe('[alpha] create_file(path, content) - Does create file.');
    const { operations: deleting } = await ask({ query: 'operations', search: 'delete_issue' });
    expect(deleting[0]?.description).toBe(
      '[beta] delete_issue(issue_id) - Does delete issue. [destructive: needs confirmation]',
    );
  });

  it('keeps a budget on every page', async () => {
    const whole = namesOf(await ask({ query: 'operations' }));
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const answer: Answer = await ask({
        query: 'operations',
        budget_tokens: 80,
        ...(after === null ? {} : { after }),
      });
      expect(answer.operations.length).toBeLessThanOrEqual(3);
      expect(answer._protocol.page).toMatchObject({ returned: answer.operations.length, total: whole.length });
      seen.push(...namesOf(answer));
      after = answer._protocol.page.after;
    } while (after !== null);
    expect(seen).toEqual(whole);
  });

  it('has a default budget for searches', async () => {
    const required = Array.from({ length: 30 }, (_, index) => `parameter_${index}`);
    const many = Array.from({ length: 60 }, (_, index) => fakeOperation(`read_file_${index}`, { required }));
    const found = await introspectionOf(many)({ query: 'operations', search: 'read a file' });
    expect(JSON.stringify(found.operations).length).toBeLessThanOrEqual(4_000);
    expect(found._protocol.page.after).not.toBeNull();
  });

  it('warns that likely nothing fits a search, names the servers and lists what is nearest, unless it is filtered', async () => {
    const search = { query: 'operations', search: 'delete the lawn with the violin and the trumpet' };
    const outcome = await ask.outcomeOf(search);
    expect(outcome).toMatchObject({
      data: { operations: [{ name: expect.stringContaining('delete') }] },
      hint: expect.stringMatching(
        /^Likely nothing here fits 'delete the lawn with the violin and the trumpet'. The servers are .*beta/,
      ),
    });
    expect(await ask.outcomeOf({ ...search, search: 'delete the lawn', upstream: 'beta' })).not.toHaveProperty(
      'warnings',
    );
  });

  it('shows eight hits unless another number is asked for', async () => {
    const many = Array.from({ length: 60 }, (_, index) => fakeOperation(`read_file_${index}`));
    const asking = introspectionOf(many);
    expect((await asking({ query: 'operations', search: 'read a file' })).operations).toHaveLength(8);
    expect((await asking({ query: 'operations', search: 'read a file', first: 40 })).operations).toHaveLength(40);
  });

  it("writes the gateway's names into an upstream's texts", async () => {
    const schema = { type: 'string', description: 'With searchType "regex"; never the searchType of a/searchType.' };
    const parameters = [
      { name: 'pattern', upstreamName: 'pattern', place: 'params', required: true, schema },
      { name: 'search_type', upstreamName: 'searchType', place: 'params', required: false, schema: { type: 'string' } },
    ] as const;
    const asking = introspectionOf([
      fakeOperation('start_search', {
        parameters,
        description: 'Searches by searchType, see read_file and https://x.y/searchType.',
      }),
      fakeOperation('alpha__read_file', { tool: 'read_file' }),
    ]);
    const text = 'Searches by search_type, see alpha__read_file and https://x.y/searchType.';
    const { operation } = await asking({ query: 'operations', name: 'start_search' });
    expect(operation.description).toBe(text);
    expect(operation['parameters']).toHaveProperty(
      '0.description',
      'With search_type "regex"; never the search_type of a/searchType.',
    );
    const { operations } = await asking({ query: 'operations', search: 'start_search' });
    expect(operations[0]?.description).toContain(text);
  });

  it('marks operations that are destructive or worse', async () => {
    const { operations } = await ask({ query: 'operations' });
    const tags = operations.map(({ description }) => /\[[^[]+\]$/.exec(description)?.[0]).filter(Boolean);
    expect(tags).toEqual(['[destructive: needs confirmation]', '[forbidden: denied]']);
  });

  it("says the gateway's version, capabilities and limits", async () => {
    const { _protocol } = await ask({ query: 'operations' });
    expect(_protocol).toMatchObject({
      version: '1.0.0-draft',
      conformance: 'level-2',
      mode: 'semantic',
      capabilities: {
        batch: true,
        field_selection: true,
        aggregations: true,
        computed_fields: true,
        pagination: true,
        relationship_queries: false,
        warnings: true,
        confirmation: true,
        dangerous_operations: true,
      },
      limits: {
        max_request_size: 1_048_576,
        max_response_size: 10_485_760,
        max_string_length: 1_048_576,
        max_array_elements: 10_000,
        max_nesting_depth: 32,
      },
      concurrency: 'fully-concurrent',
      page: { returned: 8, total: 8, after: null },
    });
  });

  it('announces relationship queries where relations are configured', async () => {
    const related = introspectionOf(OPERATIONS, 'semantic', { ...RESULTS, hasRelations: true });
    expect(await related({ query: 'operations' })).toHaveProperty('_protocol.capabilities.relationship_queries', true);
  });

  it('filters by category, family and upstream together', async () => {
    expect(namesOf(await ask({ query: 'operations', category: 'DELETE' }))).toEqual(['delete_issue']);
    expect(namesOf(await ask({ query: 'operations', endpoint: 'execute' }))).toEqual(['set_filters', 'wipe_disk']);
    expect(namesOf(await ask({ query: 'operations', upstream: 'beta', endpoint: 'execute' }))).toEqual(['wipe_disk']);
    expect(namesOf(await ask({ query: 'operations', upstream: 'gateway' }))).toEqual(['introspect']);
  });

  it('searches, best match first, within the filters', async () => {
    expect(namesOf(await ask({ query: 'operations', search: 'issue', category: 'DELETE' }))).toEqual(['delete_issue']);
    expect(namesOf(await ask({ query: 'operations', search: 'read_file' }))[0]).toBe('read_file');
  });

  it('names the families or upstreams when a filter names none of them', async () => {
    await expect(ask({ query: 'operations', endpoint: 'reads' })).rejects.toEqual(
      failure("Unknown endpoint: 'reads'. Use one of: 'create', 'delete', 'execute', 'read', 'update'"),
    );
    await expect(ask({ query: 'operations', upstream: 'gamma' })).rejects.toEqual(
      failure("Unknown upstream: 'gamma'. Use one of: 'alpha', 'beta', 'gateway'"),
    );
    await expect(ask({ query: 'operations', upstream: 'x'.repeat(900_000) })).rejects.toThrow(/^.{1,300}$/);
  });

  it('pages through all operations by the cursor of each page', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const answer: Answer = await ask({ query: 'operations', first: 3, ...(after === null ? {} : { after }) });
      expect(answer._protocol.page).toMatchObject({ returned: answer.operations.length, total: 8 });
      seen.push(...namesOf(answer));
      after = answer._protocol.page.after;
    } while (after !== null);
    expect(seen).toEqual(namesOf(await ask({ query: 'operations' })));
  });

  it('refuses a cursor of other filters', async () => {
    const { _protocol } = await ask({ query: 'operations', first: 1 });
    await expect(ask({ query: 'operations', category: 'READ', after: _protocol.page.after })).rejects.toEqual(
      failure(/does not belong to this query/),
    );
  });

  it('gives equal answers to equal queries', async () => {
    const query = { query: 'operations', search: 'file', first: 2 };
    expect(JSON.stringify(await ask(query))).toBe(JSON.stringify(await ask(query)));
    expect(JSON.stringify(await introspectionOf(OPERATIONS.toReversed())(query))).toBe(
      JSON.stringify(await ask(query)),
    );
  });
});

describe('introspect of one operation', () => {
  it('describes how to call it', async () => {
    const { operation } = await ask({ query: 'operations', name: 'create_file' });
    expect(operation).toMatchObject({
      name: 'create_file',
      semantic_category: 'CREATE',
      endpoint: 'create',
      mcpTool: 'mcp_aql_create',
      permissions: { readOnly: false, destructive: false },
      parameters: [
        { name: 'path', type: 'string', required: true },
        { name: 'content', type: 'string', required: true },
        { name: 'dry_run', type: 'boolean', required: false },
      ],
    });
    expect(operation['examples']).toEqual([
      {
        request: {
          operation: 'create_file',
          params: { path: expect.any(String), content: expect.any(String) },
        },
      },
    ]);
  });

  it('shows an UPDATE with its identifiers beside the input', async () => {
    const { operation } = await ask({ query: 'operations', name: 'update_issue' });
    expect(operation['examples']).toEqual([
      {
        request: {
          operation: 'update_issue',
          params: { issue_id: expect.any(String), input: { title: expect.any(String) } },
        },
      },
    ]);
  });

  it('names the single tool in single mode, and still the family', async () => {
    const { operation } = await introspectionOf(OPERATIONS, 'single')({ query: 'operations', name: 'read_file' });
    expect(operation).toMatchObject({ mcpTool: 'mcp_aql', endpoint: 'read' });
  });

  it('keeps the full description and marks danger', async () => {
    const { operation } = await ask({ query: 'operations', name: 'list_files' });
    expect(operation.description).toBe(OPERATIONS[1]?.description.trim());
    const { operation: wipe } = await ask({ query: 'operations', name: 'wipe_disk' });
    expect(wipe.description).toBe('Does wipe disk. [forbidden: denied]');
  });

  it('takes a qualified name', async () => {
    const { operation } = await ask({ query: 'operations', name: 'beta__update_issue' });
    expect(operation['name']).toBe('update_issue');
  });

  it('is null for an unknown name', async () => {
    expect(await ask({ query: 'operations', name: 'read-file' })).toEqual({ operation: null });
    expect(await ask({ query: 'operations', name: '' })).toEqual({ operation: null });
  });

  it('accepts filters that fit the operation and explains those that do not', async () => {
    const { operation } = await ask({ query: 'operations', name: 'read_file', endpoint: 'read' });
    expect(operation['name']).toBe('read_file');
    await expect(
      ask({ query: 'operations', name: 'read_file', endpoint: 'create', category: 'CREATE' }),
    ).rejects.toEqual(
      failure(
        "Operation 'read_file' has 'category' 'READ' and 'endpoint' 'read'. Leave out the filters when asking by 'name'",
      ),
    );
  });

  it('adds danger, evidence and schema only when asked', async () => {
    const plain = await ask({ query: 'operations', name: 'delete_issue' });
    expect(plain.operation).not.toHaveProperty('danger');
    const { operation } = await ask({
      query: 'operations',
      name: 'delete_issue',
      include: ['danger', 'classification', 'input_schema'],
    });
    expect(operation).toMatchObject({
      danger: { level: 'destructive', reasons: ['by its name'] },
      classification: { confidence: 0.9, evidence: ['the leading word'], upstream: 'beta', tool: 'delete_issue' },
      input_schema: OPERATIONS[4]?.inputSchema,
    });
  });

  it('adds to lists as well', async () => {
    const { operations } = await ask({ query: 'operations', category: 'DELETE', include: ['danger'] });
    expect(operations[0]).toHaveProperty('danger.level', 'destructive');
  });
});

it("shows limits, defaults and own fields of an UPDATE's input without a second look-up", async () => {
  const schemas = {
    size: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'How many. At most nine.' },
    owner: { type: 'object', properties: { userId: { type: 'string' } }, required: ['userId'] },
  };
  const update = fakeOperation('update_list', {
    category: 'UPDATE',
    inputSchema: { type: 'object', properties: schemas },
    parameters: Object.entries(schemas).map(([name, schema]) => {
      return { name, upstreamName: name, place: 'input', required: false, schema };
    }),
  });
  const { operation } = await introspectionOf([update])({ query: 'operations', name: 'update_list' });
  expect(operation['parameters']).toMatchObject([
    {
      name: 'input',
      description:
        'The fields to change (* required): size (integer, 1 to 9, default 3): How many; owner ({userId* (string)})',
    },
    { name: 'dry_run' },
  ]);
});

describe('introspect of controls', () => {
  const RENAMED = fakeOperation('search_notes', { required: ['query'] });
  const COUNTED = fakeOperation('get_note', {
    required: ['path'],
    collection: null,
    computed: { double: { expression: 'size * 2' } },
  });
  const withControls = introspectionOf([...OPERATIONS, RENAMED, COUNTED]);
  const detailsOf = async (name: string) => (await withControls({ query: 'operations', name })).operation;
  const namesIn = (operation: JsonObject) => (operation['parameters'] as { name: string }[]).map(({ name }) => name);

  it('lists controls after the parameters of a collection, with an example and the aggregations', async () => {
    const operation = await detailsOf('list_files');
    expect(namesIn(operation)).toEqual([...CONTROLS]);
    expect(operation).toMatchObject({
      aggregation_support: { supported: true },
      examples: [
        { request: { operation: 'list_files', params: {} } },
        { request: { operation: 'list_files', params: { query: 'example', fields: 'minimal', first: 10 } } },
      ],
    });
  });

  it("keeps the names of the upstream's parameters", async () => {
    const operation = await detailsOf('search_notes');
    expect(namesIn(operation).slice(0, 3)).toEqual(['query', 'result_query', 'filter']);
    expect(operation).toHaveProperty('examples.1.request.params', expect.objectContaining({ result_query: 'example' }));
  });

  it('lists computed fields', async () => {
    expect(await detailsOf('get_note')).toHaveProperty('computed_fields.0.name', 'double');
  });

  it('offers a dry run alone on writes, all controls on READs, and fields alone where an answer certainly holds no list', async () => {
    expect(namesIn(await detailsOf('create_file'))).toEqual(['path', 'content', 'dry_run']);
    expect(namesIn(await detailsOf('read_file'))).toEqual(['path', ...CONTROLS]);
    expect(namesIn(await detailsOf('get_note'))).toEqual(['path', 'fields', 'preset']);
  });

  it('leaves controls out of lists', async () => {
    const { operations } = await withControls({ query: 'operations', search: 'list files' });
    expect(operations.find(({ name }) => name === 'list_files')?.description).toMatch(/^\[alpha\] list_files\(\) - /);
  });

  it('answers in the published shape', { skip: !existsSync(SCHEMA_FILE) }, async () => {
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));
    for (const name of ['list_files', 'search_notes', 'get_note']) {
      const response = { success: true, data: { operation: await detailsOf(name) } };
      expect(validate(JSON.parse(JSON.stringify(response))) ? [] : validate.errors, name).toEqual([]);
    }
  });
});

describe('introspect of a stored result', () => {
  it('passes the request on, without a default page size', async () => {
    const asked = { path: 'items[3]', fields: ['id'], search: 'x', after: 'c', lines: '1-2' };
    expect(await ask({ query: 'result', name: 'res_1' })).toEqual({
      request: { handle: 'res_1' },
      sessionId: 'session',
    });
    expect(await ask({ query: 'result', name: 'res_1', first: 5, ...asked })).toEqual({
      request: { handle: 'res_1', first: 5, ...asked },
      sessionId: 'session',
    });
  });

  it('requires the handle, and refuses parameters about operations', async () => {
    await expect(ask({ query: 'result' })).rejects.toEqual(failure(/needs 'name'/));
    await expect(ask({ query: 'result', name: 'res_1', upstream: 'alpha' })).rejects.toEqual(
      failure(/'upstream' cannot be combined with query 'result'/),
    );
  });
});

describe('introspect of types', () => {
  it('lists the types that the protocol defines', async () => {
    const { types } = await ask({ query: 'types', first: 500 });
    expect(types.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'EndpointPermissions',
        'OperationFailure',
        'OperationInput',
        'OperationResult',
        'OperationSuccess',
        'SemanticCategory',
      ]),
    );
  });

  it('explains every type that it lists, and no other', async () => {
    const { types } = await ask({ query: 'types', first: 500 });
    for (const { name, kind } of types)
      expect((await ask({ query: 'types', name })).type).toMatchObject({ name, kind });
    expect(await ask({ query: 'types', name: 'Nonesuch' })).toEqual({ type: null });
  });

  it('lists all of them where no page is asked for, unchanged', async () => {
    const all = await ask({ query: 'types', first: 500 });
    expect(await ask.outcomeOf({ query: 'types' })).toEqual({ data: all });
  });

  it('says of a page beside the data what comes next', async () => {
    const { types: all } = await ask({ query: 'types' });
    const seen: unknown[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const outcome = await ask.outcomeOf({ query: 'types', first: 2, ...(after === undefined ? {} : { after }) });
      const { data, meta } = outcome as { data: Answer; meta: { page: Answer['_protocol']['page'] } };
      seen.push(...data.types);
      expect(meta.page).toMatchObject({ returned: data.types.length, total: all.length });
      after = meta.page.after;
    }
    expect(seen).toEqual(all);
  });

  it('searches names and descriptions', async () => {
    const { types } = await ask({ query: 'types', search: 'semanticcategory' });
    expect(types.map(({ name }) => name)).toContain('SemanticCategory');
    expect((await ask({ query: 'types', search: 'no such thing' })).types).toEqual([]);
  });
});

describe.skipIf(!existsSync(SCHEMA_FILE))('the published schema of introspect (skipped without ../shared)', () => {
  const schema = () => new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));
  const queries: readonly JsonObject[] = [
    { query: 'operations' },
    { query: 'operations', first: 2 },
    { query: 'operations', search: 'file', upstream: 'alpha' },
    { query: 'operations', name: 'nothing' },
    ...['introspect', ...OPERATIONS.map(({ name }) => name)].map((name) => ({ query: 'operations', name })),
    { query: 'types' },
    { query: 'types', first: 2 },
    { query: 'types', name: 'nothing' },
  ];

  it('holds for every answer', async () => {
    const validate = schema();
    const { types } = await ask({ query: 'types', first: 500 });
    for (const query of [...queries, ...types.map(({ name }) => ({ query: 'types', name }))]) {
      const response = { success: true, data: await ask(query) };
      expect(validate(JSON.parse(JSON.stringify(response))) ? [] : validate.errors, JSON.stringify(query)).toEqual([]);
    }
  });
});

const ITEM = { text: 'x'.repeat(339) };

describe('countAffordable', () => {
  it('counts as many items as the budget allows', () => {
    expect(countAffordable([ITEM, ITEM, ITEM], 250)).toBe(2);
    expect(countAffordable([ITEM, ITEM, ITEM], 10_000)).toBe(3);
  });

  it('counts one item that exceeds the budget, and none of an empty list', () => {
    expect(countAffordable([ITEM, ITEM], 1)).toBe(1);
    expect(countAffordable([], 1)).toBe(0);
  });
});
