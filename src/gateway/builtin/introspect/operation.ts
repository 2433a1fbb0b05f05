import type { JsonObject, JsonSchema } from '../../../base/json/json.js';
import { CATEGORIES, GATEWAY_SOURCE, type Operation, type Parameter } from '../../../base/protocol/operation.js';
import { finishOperation } from '../../../catalog/operation.js';

/** What can be asked about (specification 7.3). */
export const QUERY_TYPES = ['operations', 'upstreams', 'types', 'result', 'quota_status', 'revoke_token'] as const;

/** What the published schema has no answers to. */
const UNPUBLISHED: readonly (typeof QUERY_TYPES)[number][] = ['upstreams', 'result', 'quota_status', 'revoke_token'];

/** What `include` adds to an operation beyond the published schema. */
export const INCLUDES = ['danger', 'classification', 'input_schema', 'definition', 'typescript'] as const;

/** What `include` adds to a list of operations: `_protocol` whole. */
export const WHOLE_PROTOCOL = 'protocol';

export const DEFAULT_PAGE_SIZE = 50;
const LARGEST_PAGE = 500;
const LONGEST_SEARCH = 500;

/** Hits of a search where the caller asks for no other number: the right one is seldom further down. */
export const MOST_HITS = 8;

/** Tokens that they may take where the caller sets neither a number nor a budget; most signatures need far less. */
export const SEARCH_BUDGET_TOKENS = 1_000;

/** The parameters as introspection shows them and, but for `query`, as they are validated. */
const PARAMETER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  query: {
    type: 'string',
    enum: [...QUERY_TYPES],
    description:
      "The kind of query: 'upstreams' maps the servers and their purposes; the operations to call; the types of their " +
      "parameters and results; 'result' reads on in one too big to send whole, 'quota_status' gives your budgets, 'revoke_token' takes a confirmation token back",
  },
  name: {
    type: 'string',
    description:
      'Exact name of one operation, upstream or type, for its details; an unknown name gives null. Of a result: its handle',
  },
  category: {
    type: 'string',
    enum: [...CATEGORIES],
    description: 'Operations of this semantic category only',
  },
  endpoint: { type: 'string', description: "Operations of this endpoint family only, for example 'read'" },
  upstream: { type: 'string', description: 'Operations served by this upstream only' },
  search: {
    type: 'string',
    minLength: 1,
    maxLength: LONGEST_SEARCH,
    description:
      "Your task, in your own words, for example 'who is free on tuesday'; operations come best match first, " +
      'with their parameters (those with ? are optional). In a result: the text to find',
  },
  budget_tokens: {
    type: 'integer',
    minimum: 1,
    description:
      'Operations on the page may take about so many tokens, estimated by their characters; one is always shown. ' +
      `With search and without first ${SEARCH_BUDGET_TOKENS} where absent`,
  },
  include: {
    type: 'array',
    items: { type: 'string', enum: [...INCLUDES, WHOLE_PROTOCOL] },
    default: [],
    description:
      "Adds to each operation: 'danger' (level and reasons), 'classification' (confidence, evidence, upstream and tool), " +
      "'input_schema' (the upstream's own JSON Schema), 'definition' (the rest of its tool's definition: title, output schema, icons, the page of an MCP App), 'typescript' (a call within run_program as a signature); 'protocol' adds to a list version, capabilities and limits",
  },
  token: { type: 'string', description: "The confirmation token to take back with 'revoke_token'" },
  first: {
    type: 'integer',
    minimum: 1,
    maximum: LARGEST_PAGE,
    description: `Items on a page. Where absent ${DEFAULT_PAGE_SIZE}, with search ${MOST_HITS}, of types all, of a result as many as fit`,
  },
  after: {
    type: 'string',
    description:
      "Where the next page starts: '_protocol.page.after' of the last answer about operations; for upstreams and types '_meta.page.after'; " +
      "for a result 'next.after'",
  },
  path: {
    type: 'string',
    description: "A part of a result: keys with dots, indexes in brackets, for example 'items[3].body'",
  },
  fields: {
    type: ['string', 'array'],
    items: { type: 'string' },
    description: 'Fields of a result: a preset, or a list such as ["id", "author.login"]. Not with search or lines',
  },
  lines: { type: 'string', description: "Lines of a text result, from 1, for example '10-20'" },
};

/**
 * The schema that arguments are validated with. An unknown `query` passes: the specification gives it a code of its own, which the
 * handler answers with.
 */
const INPUT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { ...PARAMETER_SCHEMAS, query: { type: 'string' } },
  required: ['query'],
  additionalProperties: false,
};

const TEXT: JsonSchema = { type: 'string' };

const named = (...members: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(members.map((member) => [member, TEXT])),
});

/** What it answers with, by the query; 'result' gives a part of that result. */
const OUTPUT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    operations: { type: 'array', items: named('name', 'semantic_category', 'endpoint', 'description') },
    operation: { type: ['object', 'null'], description: 'Parameters, returns, examples; null for an unknown name' },
    types: { type: 'array', items: named('name', 'kind', 'description') },
    type: { type: ['object', 'null'], description: 'Fields, values or members; null for an unknown name' },
    upstreams: {
      type: 'object',
      description: 'One line for each: purpose, operations by family, the most useful, state',
    },
    upstream: { type: ['object', 'null'], description: 'Its operations by family; null for an unknown name' },
    next: { ...TEXT, description: 'How to go on from the map' },
    _protocol: {
      type: 'object',
      description: 'Version and page; whole on the first page of all operations; beside operations',
    },
    quotas: { type: 'array', items: { type: 'object' }, description: "Of 'quota_status'" },
    revoked: { type: 'boolean', description: "Of 'revoke_token'" },
  },
};

/** The one operation that every adapter must have (specification 7.2): the catalog explained to a model. */
export const introspectOperation: Operation = finishOperation({
  name: 'introspect',
  qualifiedName: 'introspect',
  upstream: GATEWAY_SOURCE,
  tool: 'introspect',
  classification: {
    category: 'READ',
    danger: { level: 'safe', reasons: ['reads the catalog of operations and nothing else'] },
    confidence: 1,
    evidence: ['built into the gateway'],
  },
  description:
    'Find operations and learn how to call them: a map of the servers, lists, filtered and searched, or the details of one ' +
    'operation or type. ' +
    'Also reads on in results too big to send whole',
  parameters: Object.entries(PARAMETER_SCHEMAS).map(
    ([name, schema]): Parameter => ({
      name,
      upstreamName: name,
      place: 'params',
      required: name === 'query',
      schema,
    }),
  ),
  identifiers: [],
  strict: true,
  inputSchema: INPUT_SCHEMA,
  outputSchema: OUTPUT_SCHEMA,
  retryable: true,
  groupedBy: null,
  bareErrors: { exceptQueries: UNPUBLISHED },
  examples: [
    example('Everything on one page', { query: 'upstreams' }),
    example('Find operations by their purpose', { query: 'operations', search: 'log a bug' }),
    example('How to call one operation', { query: 'operations', name: 'introspect' }),
    example('The parts of a type', { query: 'types', name: 'OperationInput' }),
  ],
});

function example(description: string, params: JsonObject): { description: string; request: JsonObject } {
  return { description, request: { operation: 'introspect', params } };
}
