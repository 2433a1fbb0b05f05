import type { IntrospectionPolicy } from '../builtin/introspect/handler.js';
import { introspectOperation } from '../builtin/introspect/operation.js';
import { listRelationSources, type RelationSource } from '../builtin/relationships/graph.js';
import type { ViewConfig } from '../config/gateway-config.js';
import { fitEndpointPlanInSlices } from '../endpoint/fit-plan.js';
import type { Sliced } from '../lib/turns.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { QuotaScope } from '../policy/quota/quota-types.js';
import type { Primitives } from '../primitives/primitives.js';
import type { Caller } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../protocol/operation.js';
import { findOperation } from './handlers.js';
import {
  listBuiltins,
  listEnabled,
  openRelations,
  openSnapshot,
  type SnapshotServices,
  type WholeSnapshot,
} from './snapshot.js';
import type { ViewFilter } from './view-filter.js';

/** What a view shows at one moment. */
export interface ViewSnapshot extends Snapshot {
  /** The slugs of the upstreams that exist in it. */
  readonly upstreams: ReadonlySet<string>;
  /** What its token budget left out of its tools. */
  readonly cut?: string;
}

export interface ViewServices extends SnapshotServices {
  readonly primitives?: Pick<Primitives, 'within'>;
  readonly policy: ViewPolicy;
}

interface ViewPolicy extends IntrospectionPolicy {
  readonly staticDecision: (operation: Operation, view?: string) => ReturnType<IntrospectionPolicy['staticDecision']>;
  readonly quotaStatus: (caller: Caller, scope?: QuotaScope) => Promise<JsonObject>;
}

/**
 * Builds what a view shows of a snapshot, in slices. Operations, their names and what finds names and words are the whole's; a view adds
 * which of them it has, and its own tools.
 */
export function* buildViewSnapshotInSlices(
  view: ViewConfig,
  filter: ViewFilter,
  whole: WholeSnapshot,
  services: ViewServices,
): Sliced<ViewSnapshot> {
  const shown = new Set<Operation>();
  for (const operation of whole.catalog.operations) {
    if (operation.upstream !== GATEWAY_SOURCE && filter.has(operation)) shown.add(operation);
    yield;
  }
  yield* leaveOutUnread(shown, whole);
  const offering = new Set([...shown].map(({ upstream }) => upstream));
  const upstreams = new Set(whole.catalog.upstreams.filter((slug) => offering.has(slug) || filter.names(slug)));
  yield;
  const { config } = services;
  const primitives = services.primitives?.within((slug) => upstreams.has(slug));
  const relations = openRelations(listRelationSources(config.upstreams).filter((source) => isShown(source, shown)));
  const own = [...relations, ...(services.executions?.own ?? [])].filter(({ operation }) => filter.hasOwn(operation));
  const builtins = listBuiltins(own, primitives, services.safety).filter(
    (operation) => operation.name === introspectOperation.name || filter.hasOwn(operation),
  );
  const ownByName = new Map(builtins.map((operation) => [operation.name, operation]));
  const show = (operation: Operation): Operation | undefined => {
    if (operation.upstream === GATEWAY_SOURCE) return ownByName.get(operation.name);
    return shown.has(operation) ? operation : undefined;
  };
  const catalog = whole.catalog.within({ show, upstreams });
  yield;
  const endpoint = { ...view.endpoint, categories: view.operations.categories };
  const { plan, cut } = yield* fitEndpointPlanInSlices(catalog, endpoint, {
    budget: view.tokenBudget,
    servers: listEnabled(config.upstreams).filter((slug) => upstreams.has(slug)),
    toolSets: whole.toolSets,
  });
  const isOwn = ({ upstream, primitive }: Operation): boolean => upstream === GATEWAY_SOURCE || primitive !== undefined;
  const { policy } = services;
  const scope: QuotaScope = { operations: catalog.operations, upstreams: [...upstreams] };
  const policyHere: IntrospectionPolicy = {
    staticDecision: (operation) => policy.staticDecision(operation, view.name),
    revokeToken: policy.revokeToken,
    quotaStatus: (caller) => policy.quotaStatus(caller, scope),
  };
  const snapshot = openSnapshot({ ...services, policy: policyHere }, catalog, {
    toolSets: whole.toolSets,
    plan,
    own,
    runnersOver: (handlerOfOwn) => ({
      handlerOf: (operation) => (isOwn(operation) ? handlerOfOwn(operation) : whole.handlerOf(operation)),
      previewOf: whole.previewOf,
    }),
    ...(primitives === undefined ? {} : { primitives }),
  });
  return { ...snapshot, upstreams, ...(cut === undefined ? {} : { cut }) };
}

/** An update that the gateway merges needs its READ, which its errors name: it is in a view together with that one alone. */
function* leaveOutUnread(shown: Set<Operation>, { catalog }: WholeSnapshot): Sliced<void> {
  for (const operation of shown) {
    if (operation.merge === undefined) continue;
    const read = findOperation(catalog, operation.upstream, operation.merge.read);
    if (read !== undefined && !shown.has(read)) shown.delete(operation);
    yield;
  }
}

/** Whether the operation that gives relationships is in the view: it is called as any caller calls it. */
function isShown({ upstream, relation }: RelationSource, shown: ReadonlySet<Operation>): boolean {
  const qualified = `${upstream}${QUALIFIER}${relation.operation}`;
  return [...shown].some(
    (operation) =>
      operation.upstream === upstream &&
      (operation.tool === relation.operation || operation.qualifiedName === qualified),
  );
}
