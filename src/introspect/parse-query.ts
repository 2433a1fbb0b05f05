import type { Category } from '../protocol/category.js';
import type { JsonObject } from '../protocol/json.js';
import { OperationError } from '../protocol/operation-error.js';
import { DEFAULT_PAGE_SIZE, type INCLUDES, QUERY_TYPES, SEARCH_BUDGET_TOKENS } from './introspect-operation.js';
import { listInWords } from './list-in-words.js';

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
  readonly after?: string;
}

/** The arguments of `introspect`, told apart by what is asked for. */
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
      readonly page: PageRequest;
      /** What the operations on the page may cost, in tokens. */
      readonly budgetTokens?: number;
    }
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'types'; readonly search?: string; readonly page: PageRequest }
  | { readonly kind: 'revoke_token'; readonly token: string };

/**
 * What each kind of query has no use for, and how the kind is called in an answer. Refused rather than ignored
 * (introspection document, 8.2.1); `first` is nowhere among them, because its default may have been filled in.
 */
const USELESS: Readonly<
  Record<IntrospectionQuery['kind'], { readonly kind: string; readonly params: readonly string[] }>
> = {
  operations: { kind: "query 'operations'", params: ['token'] },
  operation: { kind: "'name'", params: ['search', 'after', 'budget_tokens', 'token'] },
  types: { kind: "query 'types'", params: ['category', 'endpoint', 'upstream', 'include', 'budget_tokens', 'token'] },
  type: {
    kind: "query 'types' by 'name'",
    params: ['category', 'endpoint', 'upstream', 'include', 'search', 'after', 'budget_tokens', 'token'],
  },
  revoke_token: {
    kind: "query 'revoke_token'",
    params: ['name', 'category', 'endpoint', 'upstream', 'include', 'search', 'after', 'budget_tokens'],
  },
};

/** What introspection takes once the catalog's validator has checked names, types and constraints. */
interface Arguments extends OperationFilters {
  readonly query: string;
  readonly name?: string;
  readonly search?: string;
  readonly include?: readonly Include[];
  readonly first?: number;
  readonly after?: string;
  readonly budget_tokens?: number;
  readonly token?: string;
}

/** Reads validated arguments. Throws INTROSPECTION_ERROR for an unknown `query` and for parameters that do not combine. */
export function parseQuery(args: JsonObject): IntrospectionQuery {
  // The validator has held the arguments against the operation's input schema, which this type repeats.
  const {
    query,
    name,
    category,
    endpoint,
    upstream,
    search,
    include = [],
    first,
    after,
    token = '',
    budget_tokens: budget = search === undefined ? undefined : SEARCH_BUDGET_TOKENS,
  } = args as JsonObject & Arguments;
  const kind = kindOf(query, name);
  refuseUseless(kind, args);

  const page = { first: first ?? DEFAULT_PAGE_SIZE, ...(after === undefined ? {} : { after }) };
  const searched = search === undefined ? {} : { search };
  const filters = {
    ...(category === undefined ? {} : { category }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(upstream === undefined ? {} : { upstream }),
  };
  switch (kind) {
    case 'operations':
      return { kind, filters, ...searched, include, page, ...(budget === undefined ? {} : { budgetTokens: budget }) };
    case 'operation':
      return { kind, name: name ?? '', filters, include };
    case 'types':
      return { kind, ...searched, page };
    case 'type':
      return { kind, name: name ?? '' };
    case 'revoke_token':
      return { kind, token };
  }
}

function kindOf(query: string, name: string | undefined): IntrospectionQuery['kind'] {
  if (query === 'operations') return name === undefined ? 'operations' : 'operation';
  if (query === 'types') return name === undefined ? 'types' : 'type';
  if (query === 'revoke_token') return 'revoke_token';
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `Unknown query type: '${query}'. Supported types: ${listInWords(QUERY_TYPES)}`,
  );
}

function refuseUseless(kind: IntrospectionQuery['kind'], args: JsonObject): void {
  const useless = USELESS[kind].params.filter((name) => args[name] !== undefined);
  if (useless.length === 0) return;
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `${listInWords(useless)} cannot be combined with ${USELESS[kind].kind}. Leave out one or the other`,
  );
}
