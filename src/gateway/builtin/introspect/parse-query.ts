import type { JsonObject } from '../../../base/json/json.js';
import { echoName } from '../../../base/lib/text.js';
import type { Category } from '../../../base/protocol/operation.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { StoredResultRequest } from '../../../results/query/result-types.js';
import {
  DEFAULT_PAGE_SIZE,
  INCLUDES,
  MOST_HITS,
  QUERY_TYPES,
  SEARCH_BUDGET_TOKENS,
  WHOLE_PROTOCOL,
} from './operation.js';

export type Include = (typeof INCLUDES)[number];

/** Which operations are meant; what is absent does not restrict. */
export interface OperationFilters {
  readonly category?: Category;
  readonly endpoint?: string;
  readonly upstream?: string;
}

export interface PageRequest {
  readonly first: number;
  /** The cursor that came with the page before. */
  readonly after?: string | undefined;
}

/** The arguments of `introspect`, by the kind of query. */
export type IntrospectionQuery =
  | {
      readonly kind: 'operation';
      readonly name: string;
      readonly filters: OperationFilters;
      readonly include: readonly Include[];
    }
  | {
      readonly kind: 'operations';
      readonly filters: OperationFilters;
      readonly search?: string;
      readonly include: readonly Include[];
      /** Whether `_protocol` is wanted whole. */
      readonly isProtocolWanted: boolean;
      readonly page: PageRequest;
      /** What the operations on the page may cost, in tokens. */
      readonly budgetTokens?: number;
    }
  | { readonly kind: 'upstreams'; readonly page: Partial<PageRequest> }
  | { readonly kind: 'upstream'; readonly name: string }
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'types'; readonly search?: string; readonly page: Partial<PageRequest> }
  | { readonly kind: 'result'; readonly request: StoredResultRequest }
  | { readonly kind: 'quota_status' }
  | { readonly kind: 'revoke_token'; readonly token: string };

const OF_OPERATIONS = ['category', 'endpoint', 'upstream', 'include', 'budget_tokens'];
const OF_RESULTS = ['path', 'fields', 'lines'];

/**
 * The parameters that each kind of query does not use, and the name of the kind in messages. They are refused rather than
 * ignored (introspection document, 8.2.1); `first` is never among them, because its default may have been filled in.
 */
const UNUSED: Readonly<
  Record<IntrospectionQuery['kind'], { readonly kind: string; readonly params: readonly string[] }>
> = {
  operations: { kind: "query 'operations'", params: [...OF_RESULTS, 'token'] },
  operation: { kind: "'name'", params: ['search', 'after', 'budget_tokens', ...OF_RESULTS, 'token'] },
  upstreams: { kind: "query 'upstreams'", params: [...OF_OPERATIONS, 'search', ...OF_RESULTS, 'token'] },
  upstream: {
    kind: "query 'upstreams' by 'name'",
    params: [...OF_OPERATIONS, 'search', 'after', ...OF_RESULTS, 'token'],
  },
  types: { kind: "query 'types'", params: [...OF_OPERATIONS, ...OF_RESULTS, 'token'] },
  type: {
    kind: "query 'types' by 'name'",
    params: [...OF_OPERATIONS, 'search', 'after', ...OF_RESULTS, 'token'],
  },
  result: { kind: "query 'result'", params: [...OF_OPERATIONS, 'token'] },
  quota_status: {
    kind: "query 'quota_status'",
    params: ['name', ...OF_OPERATIONS, 'search', 'after', ...OF_RESULTS, 'token'],
  },
  revoke_token: {
    kind: "query 'revoke_token'",
    params: ['name', ...OF_OPERATIONS, 'search', 'after', ...OF_RESULTS],
  },
};

/** What introspection takes once the catalog's validator has checked names, types and constraints. */
interface Arguments extends OperationFilters, Omit<StoredResultRequest, 'handle'> {
  readonly query: string;
  readonly name?: string;
  readonly include?: readonly (Include | typeof WHOLE_PROTOCOL)[];
  readonly budget_tokens?: number;
  readonly token?: string;
}

const REQUEST_MEMBERS = ['path', 'fields', 'search', 'first', 'after', 'lines'] as const;

/** Reads validated arguments. Throws INTROSPECTION_ERROR for an unknown `query` and for parameters that do not combine. */
export function parseQuery(args: JsonObject): IntrospectionQuery {
  // The validator has checked the arguments with the operation's input schema, which this type repeats.
  const {
    query,
    name,
    category,
    endpoint,
    upstream,
    search,
    include: included = [],
    first,
    after,
    token,
    budget_tokens: budget = search === undefined || first !== undefined ? undefined : SEARCH_BUDGET_TOKENS,
  } = args as JsonObject & Arguments;
  const kind = kindOf(query, name) ?? refuseUnknown(args);
  refuseUnused(kind, args);

  const include = INCLUDES.filter((extra) => included.includes(extra));
  const isProtocolWanted = included.includes(WHOLE_PROTOCOL);
  const asked = { ...(first === undefined ? {} : { first }), ...(after === undefined ? {} : { after }) };
  const searched = search === undefined ? {} : { search };
  const filters = {
    ...(category === undefined ? {} : { category }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(upstream === undefined ? {} : { upstream }),
  };
  switch (kind) {
    case 'operations':
      return {
        kind,
        filters,
        ...searched,
        include,
        isProtocolWanted,
        page: { first: search === undefined ? DEFAULT_PAGE_SIZE : MOST_HITS, ...asked },
        ...(budget === undefined ? {} : { budgetTokens: budget }),
      };
    case 'operation':
      if (isProtocolWanted) refuseProtocol();
      return { kind, name: name ?? '', filters, include };
    case 'upstreams':
      return { kind, page: asked };
    case 'upstream':
      return { kind, name: name ?? '' };
    case 'types':
      return { kind, ...searched, page: asked };
    case 'type':
      return { kind, name: name ?? '' };
    case 'result':
      return { kind, request: readResultRequest(name, args) };
    case 'quota_status':
      return { kind };
    case 'revoke_token':
      return { kind, token: requireToken(token) };
  }
}

function refuseProtocol(): never {
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `'include' '${WHOLE_PROTOCOL}' cannot be combined with 'name'. Send it with a list of operations`,
  );
}

function requireToken(token: string | undefined): string {
  if (token !== undefined) return token;
  const message =
    "Missing required parameter 'token'. Expected: string (the confirmation token to take back, as the question gave it)";
  throw new OperationError('VALIDATION_MISSING_PARAM', message, { param_name: 'token', operation: 'introspect' });
}

/** The handle of the stored answer that a query reads; undefined for every other query. */
export function handleOf({ query, name }: JsonObject): string | undefined {
  return query === 'result' && typeof name === 'string' ? name : undefined;
}

function kindOf(query: string, name: string | undefined): IntrospectionQuery['kind'] | undefined {
  if (query === 'operations') return name === undefined ? 'operations' : 'operation';
  if (query === 'upstreams') return name === undefined ? 'upstreams' : 'upstream';
  if (query === 'types') return name === undefined ? 'types' : 'type';
  return query === 'result' || query === 'quota_status' || query === 'revoke_token' ? query : undefined;
}

/** What callers ask for whose other protocols call it so. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['operation', 'operations'],
  ['tool', 'operations'],
  ['tools', 'operations'],
  ['map', 'upstreams'],
  ['server', 'upstreams'],
  ['servers', 'upstreams'],
  ['upstream', 'upstreams'],
  ['type', 'types'],
]);

function refuseUnknown(args: JsonObject): never {
  const query = String(args['query']);
  const meant = MEANT.get(query.toLowerCase());
  const hint = meant === undefined ? '' : `. Did you mean ${writeCall({ ...args, query: meant })}?`;
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `Unknown query type: '${echoName(query)}'. Supported types: ${listInWords(QUERY_TYPES)}${hint}`,
  );
}

const LONGEST_CALL = 300;

function without(args: JsonObject, left: string): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== left));
}

/** The parameters as they would be answered, where they are short. */
function writeCall(params: JsonObject): string {
  const text = JSON.stringify(params);
  return text.length > LONGEST_CALL ? JSON.stringify({ query: params['query'] }) : text;
}

/** There is no default page size, because a reader of a big result wants as much as fits. */
function readResultRequest(handle: string | undefined, args: JsonObject & Partial<Arguments>): StoredResultRequest {
  if (handle === undefined) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `query 'result' needs 'name': the handle of the answer too big to send whole, as in ${writeCall({ ...args, name: 'res_…' })}. Without one, call the operation again`,
    );
  }
  const given = REQUEST_MEMBERS.filter((member) => args[member] !== undefined);
  return Object.assign({ handle }, ...given.map((member) => ({ [member]: args[member] })));
}

function refuseUnused(kind: IntrospectionQuery['kind'], args: JsonObject): void {
  // An empty list of additions asks for nothing, and may be a default that was filled in.
  const given = Array.isArray(args['include']) && args['include'].length === 0 ? without(args, 'include') : args;
  const unused = UNUSED[kind].params.filter((name) => given[name] !== undefined);
  if (unused.length === 0) return;
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !unused.includes(name)));
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `${listInWords(unused)} cannot be combined with ${UNUSED[kind].kind}. Leave out one or the other, as in ${writeCall(rest)}`,
  );
}

/** Values in single quotes, as the specification wants them in messages: `'read', 'update'`. */
export function listInWords(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}
