import { echoName } from '../../../base/lib/text.js';
import { localNameOf, type Operation } from '../../../base/protocol/operation.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import { type Absence, describeAbsence } from '../../../base/protocol/tools.js';
import type { Catalog } from '../../../catalog/catalog.js';
import type { EndpointPlan } from '../../../catalog/endpoint/endpoint-plan.js';
import type { SearchHit } from '../../../catalog/search/rank.js';
import { listInWords, type OperationFilters } from './parse-query.js';

/** The value that each filter is compared with, in the order in which the filters are documented. */
const FACTS: Readonly<Record<keyof OperationFilters, (operation: Operation, plan: EndpointPlan) => string>> = {
  category: (operation) => operation.classification.category,
  endpoint: (operation, plan) => plan.familyOf(operation).name,
  upstream: (operation) => operation.upstream,
};

/** Whether an operation passes every filter that is set. */
export function passesFilters(operation: Operation, filters: OperationFilters, plan: EndpointPlan): boolean {
  return failedFilters(operation, filters, plan).length === 0;
}

/**
 * Throws INTROSPECTION_ERROR when a named operation does not pass the filters that came with its name: null would say that
 * there is no such operation.
 */
export function requireFilters(operation: Operation, filters: OperationFilters, plan: EndpointPlan): void {
  const failed = failedFilters(operation, filters, plan);
  if (failed.length === 0) return;
  const facts = failed.map((filter) => `'${filter}' '${FACTS[filter](operation, plan)}'`).join(' and ');
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `Operation '${operation.name}' has ${facts}. Leave out the filters when asking by 'name'`,
  );
}

interface FilteredView {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  readonly absenceOf: (upstream: string) => Absence | undefined;
}

/**
 * Throws INTROSPECTION_ERROR for a family or an upstream that does not exist, and for an upstream that is not connected and whose
 * operations are not known, rather than answering with an empty list.
 */
export function checkFilters(
  { endpoint, upstream }: OperationFilters,
  { catalog, plan, absenceOf }: FilteredView,
): void {
  if (endpoint !== undefined) {
    checkValue('endpoint', endpoint, new Set(plan.families.map(({ name }) => name)));
  }
  if (upstream !== undefined) {
    const offering = new Set(catalog.operations.map((operation) => operation.upstream));
    checkValue('upstream', upstream, new Set([...offering, ...catalog.upstreams]));
    const absence = offering.has(upstream) ? undefined : absenceOf(upstream);
    if (absence !== undefined) {
      throw new OperationError('INTROSPECTION_ERROR', `Upstream '${upstream}' ${describeAbsence(absence)}`);
    }
  }
}

function checkValue(filter: string, value: string, known: ReadonlySet<string>): void {
  if (known.has(value)) return;
  throw new OperationError(
    'INTROSPECTION_ERROR',
    `Unknown ${filter}: '${echoName(value)}'. Use one of: ${listInWords([...known].toSorted())}`,
  );
}

function failedFilters(
  operation: Operation,
  filters: OperationFilters,
  plan: EndpointPlan,
): readonly (keyof OperationFilters)[] {
  const set = Object.keys(FACTS) as (keyof OperationFilters)[];
  return set.filter((filter) => filters[filter] !== undefined && filters[filter] !== FACTS[filter](operation, plan));
}

/**
 * Hits below this share of the best one are left out. Over the 51 captured servers it costs none of the 449 requests that
 * one of the first eight answers, and of a one-word search it lists a third.
 */
const LEAST_SHARE = 0.55;

/** The hits that are worth a line, best first; operations of one name in several upstreams stand together, where the best is. */
export function chooseHits(hits: readonly SearchHit[]): readonly Operation[] {
  const least = (hits[0]?.score ?? 0) * LEAST_SHARE;
  const twins = new Map<string, Operation[]>();
  for (const { operation, score } of hits) {
    if (score < least) continue;
    const name = localNameOf(operation);
    const others = twins.get(name);
    if (others === undefined) twins.set(name, [operation]);
    else others.push(operation);
  }
  return [...twins.values()].flat();
}
