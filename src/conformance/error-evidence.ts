import type { JsonObject } from '../base/json/json.js';
import type { DocumentedOperation } from './catalog-view.js';
import type { ErrorCase, RoutingCase } from './evidence.js';
import { isRead } from './parameter-evidence.js';
import type { Probe } from './probe.js';

/** A call that has to be refused, and what the refusal has to name. */
interface Refusal {
  readonly name: string;
  readonly must_mention: readonly string[];
  readonly tool: string;
  readonly args: unknown;
}

/** Calls that are wrong in every way that can be tried without an upstream: none of them runs anything but a READ. */
export async function gatherErrors(
  probe: Probe,
  operations: readonly DocumentedOperation[],
): Promise<readonly ErrorCase[]> {
  const cases: ErrorCase[] = [];
  for (const { name, must_mention, tool, args } of listRefusals(operations)) {
    cases.push({ name, must_mention, response: await probe.send(tool, args) });
  }
  return cases;
}

function listRefusals(operations: readonly DocumentedOperation[]): readonly Refusal[] {
  const introspect = operations.find(({ name }) => name === 'introspect');
  const reads = operations.filter((operation) => isRead(operation) && operation !== introspect);
  return [
    ...(introspect === undefined ? [] : malformed(introspect.tool)),
    ...reads.flatMap(wrongTypes),
    ...reads.flatMap(wrongControls),
  ];
}

/** Requests that are no request, and introspections of nothing. */
function malformed(tool: string): readonly Refusal[] {
  const introspect = (params: JsonObject): JsonObject => ({ operation: 'introspect', params });
  const wrong = (name: string, must_mention: readonly string[], args: unknown): Refusal => ({
    name,
    must_mention,
    tool,
    args,
  });
  return [
    wrong('unknown operation', ['conformance_no_operation'], { operation: 'conformance_no_operation', params: {} }),
    wrong('a request without an operation', ['operation'], { params: {} }),
    wrong('params that are a text', ['params', 'object'], { operation: 'introspect', params: 'query' }),
    wrong('params that are a list', ['params', 'object'], { operation: 'introspect', params: ['query'] }),
    wrong('a batch that is a text', ['operations', 'array'], { operations: 'introspect' }),
    wrong('an empty batch', ['operations'], { operations: [] }),
    wrong('introspection of nothing', ['query'], introspect({ query: 'conformance' })),
    wrong('a page of no items', ['first'], introspect({ query: 'operations', first: 0 })),
    wrong('a cursor that was never given', ['after'], introspect({ query: 'operations', after: 'conformance' })),
    wrong('a category that does not exist', ['category'], introspect({ query: 'operations', category: 'CONFORMANCE' })),
    wrong(
      'an endpoint that does not exist',
      ['conformance'],
      introspect({ query: 'operations', endpoint: 'conformance' }),
    ),
    wrong(
      'an upstream that does not exist',
      ['conformance'],
      introspect({ query: 'operations', upstream: 'conformance' }),
    ),
    wrong('a parameter of another query', ['lines'], introspect({ query: 'operations', lines: '1-2' })),
    wrong('a type by search and name', ['search'], introspect({ query: 'types', name: 'OperationInput', search: 'x' })),
    wrong(
      'a token that was never given',
      ['token'],
      introspect({ query: 'revoke_token', token: 'conf_conformance_conformance' }),
    ),
    wrong('a token that is left out', ['token'], introspect({ query: 'revoke_token' })),
    wrong('a result that is not kept', ['conformance'], introspect({ query: 'result', name: 'conformance' })),
  ];
}

/** A value of another type for each parameter of a READ. */
function wrongTypes({ name, tool, parameters, example }: DocumentedOperation): readonly Refusal[] {
  return parameters.flatMap(({ name: parameter, type }) => {
    const value = WRONG_VALUES[type];
    if (value === undefined) return [];
    const params = { ...example, [parameter]: value };
    return [
      {
        name: `${name}.${parameter} of a wrong type`,
        must_mention: [parameter],
        tool,
        args: { operation: name, params },
      },
    ];
  });
}

const WRONG_VALUES: Readonly<Record<string, unknown>> = {
  string: { conformance: true },
  number: 'conformance',
  integer: 'conformance',
  boolean: 'conformance',
  array: 'conformance',
  object: 'conformance',
};

/** Cursors, pages and filters that make no sense, where introspection documents them as the gateway's and not the upstream's. */
function wrongControls({ name, tool, parameters, example }: DocumentedOperation): readonly Refusal[] {
  const documented = new Set(parameters.map((parameter) => parameter.name));
  const isControl = (key: string): boolean => documented.has(key) && !documented.has(`result_${key}`);
  const tried = WRONG_CONTROLS.filter(({ params }) => Object.keys(params).every(isControl));
  return tried.map(({ what, params, must_mention }) => ({
    name: `${name}: ${what}`,
    must_mention,
    tool,
    args: { operation: name, params: { ...example, ...params } },
  }));
}

const WRONG_CONTROLS: readonly {
  readonly what: string;
  readonly params: JsonObject;
  readonly must_mention: string[];
}[] = [
  { what: 'first with last', params: { first: 1, last: 1 }, must_mention: ['first', 'last'] },
  { what: 'after without first', params: { after: 'conformance' }, must_mention: ['after', 'first'] },
  { what: 'a page below the first', params: { page: 0, page_size: 5 }, must_mention: ['page'] },
  { what: 'a negative offset', params: { limit: 5, offset: -1 }, must_mention: ['offset'] },
  { what: 'an offset beside a page', params: { offset: 1, page: 1 }, must_mention: ['offset', 'page'] },
  { what: 'a filter that is a text', params: { filter: 'conformance' }, must_mention: ['filter'] },
  { what: 'an unknown aggregate', params: { aggregate: { x: { conformance: true } } }, must_mention: ['conformance'] },
];

/** Each operation through the tool of another family, with an unknown parameter besides, so that nothing runs. */
export async function gatherRouting(
  probe: Probe,
  operations: readonly DocumentedOperation[],
): Promise<readonly RoutingCase[]> {
  const cases: RoutingCase[] = [];
  for (const { name, tool } of operations) {
    const wrongTool =
      probe.tools.find((other) => other !== tool && operations.some((known) => known.tool === other)) ??
      emptyFamily(probe.tools, tool);
    if (wrongTool === undefined) continue;
    const params = { conformance_unknown_parameter: 1 };
    cases.push({
      operation: name,
      tool,
      wrongTool,
      response: await probe.send(wrongTool, { operation: name, params }),
    });
  }
  return cases;
}

/** The tool of a family without operations. The one that takes every operation has a name with which theirs begin. */
function emptyFamily(tools: readonly string[], tool: string): string | undefined {
  return tools.find((other) => other !== tool && !tool.startsWith(other));
}
