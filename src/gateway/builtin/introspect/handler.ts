import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../base/json/json.js';
import type { Caller, HandlerOutcome, OperationHandler } from '../../../base/protocol/call.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import type { Operation } from '../../../base/protocol/operation.js';
import type { Absence, Introduction, RawTool } from '../../../base/protocol/tools.js';
import type { Catalog } from '../../../catalog/catalog.js';
import type { EndpointPlan } from '../../../catalog/endpoint/endpoint-plan.js';
import type { OperationSearch } from '../../../catalog/search/search.js';
import type { SafetyMode } from '../../../config/safety-config.js';
import type { ControlSet, StoredResultRequest } from '../../../results/query/result-types.js';
import {
  describeBriefly,
  describeInFull,
  describeWithSignature,
  type OperationView,
  type StaticDecisionOf,
} from './describe-operation.js';
import { checkFilters, chooseHits, passesFilters, requireFilters } from './filter.js';
import { DEFAULT_PAGE_SIZE } from './operation.js';
import { type Overview, readOverview } from './overview.js';
import { type Page, readCursor, takePage } from './page.js';
import { type IntrospectionQuery, type PageRequest, parseQuery } from './parse-query.js';
import { buildProtocolMetadata } from './protocol-metadata.js';
import { describeUpstream, drawMap, MOST_MAPPED, type PrimitiveCounts, type Purpose } from './server-map.js';
import { createRespelling, readToolNames, type ToolNames } from './types/own-spelling.js';
import { buildTypeRegistry, type TypeInfo } from './types/type-registry.js';
import type { Usage } from './usage.js';

/** The parts of policy that introspection shows, and the action that it offers. */
export interface IntrospectionPolicy {
  readonly staticDecision: StaticDecisionOf;
  /** Revokes a token of the caller; resolves with its public id. Rejects with an `OperationError`. */
  readonly revokeToken: (token: string, caller: Caller) => Promise<string>;
  /** The state of the caller's quotas. */
  readonly quotaStatus: (caller: Caller) => Promise<JsonObject>;
}

/** What introspection shows about the answers of operations. */
export interface IntrospectionResults {
  /** The controls that an operation takes now. */
  readonly controlsOf: (operation: Operation) => ControlSet;
  /** Reads a part of a stored result; JSON text. Throws an `OperationError`. */
  readonly readStored: (request: StoredResultRequest, caller: Caller) => string | Promise<string>;
  /** Why an upstream is not connected at this moment; undefined where it is. */
  readonly absenceOf: (upstream: string) => Absence | undefined;
  /** The servers that could not be asked, and may have what is not found, in words; empty where there is none. */
  readonly tellNotHere: () => string;
  /** What a name that no operation has could have meant, in words. */
  readonly explainUnknown: (name: string) => Promise<string>;
  /** What an upstream is for; undefined where neither operator nor server says. */
  readonly purposeOf: (upstream: string) => Purpose | undefined;
  /** The tool of an operation as its upstream sent it; nothing where absent. */
  readonly definitionOf?: (operation: Operation) => RawTool | undefined;
  /** What a server says of itself; nothing where absent. */
  readonly introductionOf?: (upstream: string) => Introduction | undefined;
  /** How many resources and prompts an upstream has, as far as that is known; none where absent. */
  readonly countsOf?: (upstream: string) => PrimitiveCounts;
  /** Finds out what `countsOf` says, within a short time; undefined where it is known. */
  readonly readCounts?: () => Promise<void> | undefined;
  /** What is called most. */
  readonly usage: Usage;
  /** Whether relations are configured. */
  readonly hasRelations: boolean;
  /** What the safety loop does. */
  readonly safetyMode: SafetyMode;
  /** Whether calls may go on in the background. */
  readonly hasExecutions?: boolean;
}

/** What introspection explains: one catalog as one plan exposes it. */
interface IntrospectionSnapshot extends IntrospectionResults {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  readonly limits: PayloadLimits;
  readonly policy: IntrospectionPolicy;
  readonly search: OperationSearch;
}

type QueryOf<Kind extends IntrospectionQuery['kind']> = Extract<IntrospectionQuery, { readonly kind: Kind }>;

/**
 * The handler of `introspect` over one snapshot. Answers are rendered on demand, and equal queries have equal
 * answers. Rejects with INTROSPECTION_ERROR, whose message alone says what to do: the
 * published schema allows no details.
 */
export function createIntrospection(snapshot: IntrospectionSnapshot): OperationHandler {
  const { catalog, plan, limits, policy, controlsOf } = snapshot;
  const protocol = buildProtocolMetadata({
    mode: plan.mode,
    profile: plan.profile,
    limits,
    hasRelations: snapshot.hasRelations,
    safetyMode: snapshot.safetyMode,
    hasVersions: catalog.operations.some(({ merge }) => merge !== undefined),
  });
  let registry: ReturnType<typeof buildTypeRegistry> | undefined;
  const types = () => (registry ??= buildTypeRegistry(catalog));
  let read: Overview | undefined;
  const overview = async (): Promise<Overview> => {
    // Of ten thousand operations it takes a turn: neither what came before nor what is told then is in it.
    if (read === undefined) await nextTurn();
    else return read;
    read ??= readOverview(catalog, plan);
    return nextTurn(read);
  };
  let names: ToolNames | undefined;
  const toolNames = () => (names ??= readToolNames(catalog));

  const viewOf = ({ upstreams }: Overview): OperationView => ({
    plan,
    staticDecision: policy.staticDecision,
    controlsOf,
    absenceOf: snapshot.absenceOf,
    respellingOf: createRespelling(toolNames()),
    hasSeveralUpstreams: upstreams.filter(({ operations }) => operations.length > 0).length > 1,
    definitionOf: snapshot.definitionOf ?? (() => undefined),
    textsOf: (slug) => textsOf(slug, { upstreams }, snapshot.introductionOf?.(slug)),
    productsOf: (slug) => snapshot.usage.productsOf(slug),
    hasExecutions: snapshot.hasExecutions ?? false,
  });

  const answer = async (
    query: Exclude<IntrospectionQuery, { readonly kind: 'operations' | 'result' | 'types' | 'upstreams' }>,
    caller: Caller,
  ): Promise<JsonObject> => {
    switch (query.kind) {
      case 'operation':
        return { operation: findOperation(snapshot, viewOf(await overview()), query) };
      case 'upstream':
        checkFilters({ upstream: query.name }, snapshot);
        await snapshot.readCounts?.();
        return { upstream: describeUpstream((await overview()).upstreams, query.name, snapshot) };
      case 'type':
        return { type: types().find(query.name) };
      case 'quota_status':
        return policy.quotaStatus(caller);
      case 'revoke_token':
        return { revoked: true, token_id: await policy.revokeToken(query.token, caller) };
    }
  };
  return async ({ arguments: args, caller }) => {
    const query = parseQuery(args);
    if (query.kind === 'result') return { dataText: await snapshot.readStored(query.request, caller) };
    if (query.kind === 'types') return listTypes(await types().list(), query);
    if (query.kind === 'upstreams') {
      await snapshot.readCounts?.();
      return mapUpstreams({ ...snapshot, overview: await overview() }, query.page);
    }
    if (query.kind === 'operations') {
      const surveyed = { ...snapshot, overview: await overview() };
      return listOperations(surveyed, viewOf(surveyed.overview), { ...protocol, session_id: caller.sessionId }, query);
    }
    const data = await answer(query, caller);
    if (query.kind !== 'operation' || data['operation'] !== null) return { data };
    return { data, hint: await snapshot.explainUnknown(query.name) };
  };
}

/** A server has hundreds of tools, and says with the first what it is. */
const MOST_TEXTS = 50;

function textsOf(
  upstream: string,
  { upstreams }: Pick<Overview, 'upstreams'>,
  said: Introduction = {},
): readonly string[] {
  const { operations = [] } = upstreams.find(({ slug }) => slug === upstream) ?? {};
  // What is said of an operation for reads alone are the gateway's own words.
  const own = operations.filter(({ classification }) => classification.statement?.only !== true);
  const ofTools = own.slice(0, MOST_TEXTS).flatMap(({ name, description }) => [name, description]);
  return [upstream, ...Object.values(said).filter((text) => text !== undefined), ...ofTools];
}

/** A snapshot whose overview has been read. */
interface SurveyedSnapshot extends IntrospectionSnapshot {
  readonly overview: Overview;
}

async function listOperations(
  snapshot: SurveyedSnapshot,
  view: OperationView,
  protocol: JsonObject,
  { filters, search, include, isProtocolWanted, page: request, budgetTokens }: QueryOf<'operations'>,
): Promise<HandlerOutcome> {
  const { catalog, plan, overview, usage } = snapshot;
  checkFilters(filters, snapshot);
  const isWanted = (operation: Operation): boolean => passesFilters(operation, filters, plan);
  const found = search === undefined ? undefined : await snapshot.search.find(catalog, search, isWanted);
  // Who filters wants the best of what is left.
  const noFit = Object.keys(filters).length === 0 ? found?.noFit : undefined;
  const scope = JSON.stringify(['operations', filters, search]);
  const ranking = await usage.ranking(
    request.after === undefined ? undefined : readCursor(scope, request.after)?.ranking,
  );
  const items = found === undefined ? listed(overview, ranking, isWanted) : chooseHits(found.hits);
  const list = { items, orderedByName: false, scope, ...(search === undefined && { ranking: ranking.number }) };
  // Where one of few is called next, signatures save the look-up of its details; the plain list gives an overview.
  const describe = search === undefined && filters.upstream === undefined ? describeBriefly : describeWithSignature;
  const asked = takePage(list, request).items.map((operation) => describe(operation, view, include));
  const first = budgetTokens === undefined ? asked.length : countAffordable(asked, budgetTokens);
  const page = takePage(list, { ...request, first });
  const isStart = search === undefined && request.after === undefined && Object.keys(filters).length === 0;
  if (isStart) await snapshot.readCounts?.();
  const data: JsonObject = {
    _protocol: {
      ...(isStart || isProtocolWanted ? protocol : { version: protocol['version'] }),
      ...(isStart && { servers: mapUpstreams(snapshot, {}).data }),
      page: { returned: page.items.length, total: page.total, after: page.after },
    },
    operations: asked.slice(0, first),
  };
  const knowsPages = !isStart || request.first !== DEFAULT_PAGE_SIZE || budgetTokens !== undefined;
  const isNegative = noFit !== undefined || items.length === 0;
  const hint = isNegative
    ? `${noFit ?? ''} ${snapshot.tellNotHere()}`.trim()
    : knowsPages || page.after === null
      ? ''
      : tellOfMore(items.slice(page.items.length), page.after);
  return { data, ...(hint !== '' && { hint }) };
}

/** Characters of names that are told beside a page: the names of some two hundred operations. */
const NAMES_TOLD = 4_000;

/** Who reads a list without looking for a next page learns what else there is: all names where they fit, else how to go on. */
function tellOfMore(rest: readonly Operation[], after: string): string {
  const names = rest.map(({ name }) => name).join(', ');
  const which = names.length > NAMES_TOLD ? '' : `: ${names}`;
  const next = JSON.stringify({ query: 'operations', after });
  return `This is a page. There are ${rest.length} more operations${which}. The next page: introspect with params ${next}`;
}

/** The wanted operations, those first that are used most. */
function listed(
  { operations, byName }: Overview,
  { names }: { readonly names: readonly string[] },
  isWanted: (operation: Operation) => boolean,
): readonly Operation[] {
  const first = names.flatMap((name) => byName.get(name) ?? []);
  const isFirst = new Set(first);
  return [...first.filter(isWanted), ...operations.filter((each) => !isFirst.has(each) && isWanted(each))];
}

/** The map of the upstreams; disabled ones whose operations are not known are not on it. */
function mapUpstreams(snapshot: SurveyedSnapshot, { first = MOST_MAPPED, after }: Partial<PageRequest>): MapOutcome {
  const { overview, absenceOf, usage } = snapshot;
  const items = overview.upstreams
    .filter(({ slug, operations }) => operations.length > 0 || absenceOf(slug)?.stopped !== 'disabled')
    .map((upstream) => ({ ...upstream, name: upstream.slug }));
  const page = takePage(
    { items, orderedByName: true, scope: JSON.stringify(['upstreams']) },
    { first: Math.min(first, MOST_MAPPED), after },
  );
  return {
    data: drawMap(page.items, { ...snapshot, mostUsed: usage.present.names }),
    ...pageFacts(page),
  };
}

interface MapOutcome {
  readonly data: JsonObject;
  readonly meta?: JsonObject;
}

/** Beside the data, where the published schema has no place for paging facts; nothing where one page holds all. */
function pageFacts({ items, total, after }: Page<unknown>): Pick<MapOutcome, 'meta'> {
  return items.length < total ? { meta: { page: { returned: items.length, total, after } } } : {};
}

/** Null for an unknown name, which includes an upstream's own spelling (introspection document, 4.3); a warning explains it. */
function findOperation(
  { catalog, plan, absenceOf }: IntrospectionSnapshot,
  view: OperationView,
  { name, filters, include }: QueryOf<'operation'>,
): JsonObject | null {
  checkFilters(filters, { catalog, plan, absenceOf });
  const operation = catalog.find(name);
  if (operation === undefined) return null;
  requireFilters(operation, filters, plan);
  return describeInFull(operation, view, include);
}

/** Characters of JSON to a token: names in snake_case and English sentences take somewhat more than three. */
const CHARACTERS_PER_TOKEN = 3.5;

/** How many of the first items fit a budget in tokens, estimated by their characters; at least one. */
export function countAffordable(items: readonly JsonObject[], budgetTokens: number): number {
  let left = budgetTokens * CHARACTERS_PER_TOKEN;
  const tooMuch = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return tooMuch < 0 ? items.length : Math.max(1, tooMuch);
}

/**
 * Types, which come ordered by name, all of them unless a page is asked for; with a search only those whose name and description
 * contain every word of it.
 */
function listTypes(types: readonly TypeInfo[], { search, page: request }: QueryOf<'types'>): HandlerOutcome {
  const words = search?.toLowerCase().match(/\S+/g) ?? [];
  const items = types.filter((type) => holdsEvery(type, words));
  const scope = JSON.stringify(['types', search]);
  const page = takePage({ items, orderedByName: true, scope }, { first: items.length, ...request });
  return { data: { types: page.items }, ...pageFacts(page) };
}

function holdsEvery({ name, description = '' }: TypeInfo, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
