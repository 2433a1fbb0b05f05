import type { Catalog } from '../catalog/catalog.js';
import { buildTypeRegistry } from '../catalog/type-registry.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import type { OperationHandler } from '../protocol/handler.js';
import type { JsonObject } from '../protocol/json.js';
import type { PayloadLimits } from '../protocol/payload-limits.js';
import { describeBriefly, describeInFull } from './describe-operation.js';
import { checkFilters, passesFilters, requireFilters } from './filter-operations.js';
import { listTypes } from './list-types.js';
import { type IntrospectionQuery, parseQuery } from './parse-query.js';
import { buildProtocolMetadata } from './protocol-metadata.js';
import { searchOperations } from './search-operations.js';
import { takePage } from './take-page.js';

/** What introspection explains: one catalog as one plan exposes it. */
export interface IntrospectionSnapshot {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  readonly limits: PayloadLimits;
}

type QueryOf<Kind extends IntrospectionQuery['kind']> = Extract<IntrospectionQuery, { readonly kind: Kind }>;

/**
 * The handler of `introspect` over one snapshot. Answers are made on demand, so that nothing is rendered that nobody reads,
 * and equal queries have equal answers. Rejects with INTROSPECTION_ERROR, whose message alone says what to do: the
 * published schema allows no details.
 */
export function createIntrospection(snapshot: IntrospectionSnapshot): OperationHandler {
  const { catalog, plan, limits } = snapshot;
  const protocol = buildProtocolMetadata(plan.mode, limits);
  let registry: ReturnType<typeof buildTypeRegistry> | undefined;
  const types = () => (registry ??= buildTypeRegistry(catalog));

  const answer = (query: IntrospectionQuery): JsonObject => {
    switch (query.kind) {
      case 'operations':
        return listOperations(snapshot, protocol, query);
      case 'operation':
        return { operation: findOperation(snapshot, query) };
      case 'types':
        return listTypes(types().list(), query.search, query.page);
      case 'type':
        return { type: types().find(query.name) };
    }
  };
  return async (call) => ({ data: answer(parseQuery(call.arguments)) });
}

function listOperations(
  { catalog, plan }: IntrospectionSnapshot,
  protocol: JsonObject,
  { filters, search, include, page: request }: QueryOf<'operations'>,
): JsonObject {
  checkFilters(filters, catalog, plan);
  const candidates = search === undefined ? catalog.operations : searchOperations(catalog, search);
  const items = candidates.filter((operation) => passesFilters(operation, filters, plan));
  const scope = JSON.stringify(['operations', filters, search]);
  const page = takePage({ items, orderedByName: search === undefined, scope }, request);
  return {
    _protocol: { ...protocol, page: { returned: page.items.length, total: page.total, after: page.after } },
    operations: page.items.map((operation) => describeBriefly(operation, plan, include)),
  };
}

/** Null for a name that nothing has, which includes an upstream's own spelling (introspection document, 4.3). */
function findOperation(
  { catalog, plan }: IntrospectionSnapshot,
  { name, filters, include }: QueryOf<'operation'>,
): JsonObject | null {
  checkFilters(filters, catalog, plan);
  const operation = catalog.find(name);
  if (operation === undefined) return null;
  requireFilters(operation, filters, plan);
  return describeInFull(operation, plan, include);
}
