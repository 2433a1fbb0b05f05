import { isJsonObject } from '../base/json/json.js';
import { GATEWAY_SOURCE } from '../base/protocol/operation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { RawTool, ToolSet } from '../base/protocol/tools.js';
import { OperationSearch } from '../catalog/search/search.js';
import type { GatewayConfig, UpstreamConfig, ViewConfig } from '../config/gateway-config.js';
import { UNUSABLE } from '../config/load/misconfigured.js';
import { toSlug } from '../config/load/server-definition.js';
import type { QuotaService } from '../policy/quota/quota-types.js';
import { recordNoCalls } from '../policy/rules/gatekeeper.js';
import { createRuleEngine } from '../policy/rules/rule-engine.js';
import { createResultService } from '../results/results.js';
import { EXECUTION_OPERATIONS } from './builtin/executions/operations.js';
import type { Inspected } from './gateway.js';
import { type Module, modulesOf, ownOfModule } from './module.js';
import { explainPolicy } from './operator-api.js';
import { createPipeline } from './pipeline/pipeline.js';
import { createFailureReader } from './pipeline/read-tool-failure.js';
import type { Snapshot } from './pipeline/snapshot.js';
import { createDropIgnored } from './pipeline/validate.js';
import { buildSnapshot } from './snapshot.js';
import { describeStatus, findOperation, placeOperations } from './status.js';
import { Views } from './views.js';

/** A captured `tools/list` answer and the name of the upstream that gave it. */
export interface CapturedList {
  readonly name: string;
  readonly json: unknown;
}

/**
 * A gateway over tool lists that were captured earlier: operations can be listed, explained and classified, but not called.
 * It opens no connection and holds no resource.
 */
export function openCapturedGateway(
  config: GatewayConfig,
  toolSets: readonly ToolSet[],
  options: { readonly ignoreAnnotations?: boolean; readonly modules?: readonly Module[] } = {},
): Inspected {
  const trust = new Map(config.upstreams.map(({ slug, trust: level }) => [slug, level]));
  const rules = createRuleEngine(config.policy, (slug) => trust.get(slug) ?? 'untested');
  // No operation can be called, but introspection still explains the controls of answers.
  const results = createResultService(config.results);
  const services = {
    config,
    results,
    search: new OperationSearch(),
    policy: { staticDecision: rules.staticDecision, revokeToken: refuseCall, quotaStatus: unlimitedQuota.status },
  };
  const { enabled: hasExecutions } = config.executions;
  const whole = buildSnapshot({
    ...services,
    toolSets,
    executions: hasExecutions ? { originOf: () => undefined } : undefined,
    own: (shown) => [
      ...(hasExecutions ? EXECUTION_OPERATIONS.map((operation) => ({ operation, handle: refuseCall })) : []),
      ...modulesOf(config, options.modules).flatMap((module) => ownOfModule(module, { handle: refuseCall }, shown)),
    ],
    handlers: {
      over: (_catalog, own) => ({
        handlerOf: (operation) => (operation.upstream === GATEWAY_SOURCE ? own(operation) : refuseCall),
        previewOf: () => undefined,
      }),
    },
    ...(options.ignoreAnnotations === undefined ? {} : { ignoreAnnotations: options.ignoreAnnotations }),
  });
  const views = new Views(config.views, services);
  const open = (snapshot: Snapshot, view: ViewConfig | undefined): Inspected => {
    const pipeline = createPipeline({
      dropIgnored: createDropIgnored([]),
      gatekeeper: {
        admit: () => ({ outcome: 'allowed' }),
        decide: ({ operation, arguments: args, caller }) => rules.decide(operation, args, caller),
        staticDecision: (operation) => rules.staticDecision(operation, view?.name),
        recall: async () => undefined,
        recallOperation: async () => undefined,
      },
      askAhead: async () => undefined,
      catalog: {
        current: () => snapshot,
        currentFor: async () => snapshot,
        afterNews: async () => ({ isRead: false, snapshot }),
      },
      quota: unlimitedQuota,
      limits: config.limits,
      observe: () => undefined,
      recordCall: recordNoCalls,
      results,
      isFirstWarning: () => true,
      slowMs: config.warnings.slowMs,
      explainFailure: createFailureReader(config.errors.upstreamWords),
      shapeLarge: () => Promise.reject(new Error('there is no server')),
    });
    return {
      config: view === undefined ? config : { ...config, endpoint: view.endpoint },
      reload: async () => ({ at: new Date().toISOString(), outcome: 'unchanged' }),
      recordAdmin: () => undefined,
      status: () => describeStatus(snapshot, [], { audit: { state: 'ok' }, store: { state: 'ok' } }),
      inView(name) {
        const opened = views.open(name);
        return opened === undefined ? undefined : open(opened.of(whole), opened.config);
      },
      handle: (call) => pipeline.answer(call, snapshot),
      toolList: async () => snapshot.plan,
      shown: () => snapshot.plan,
      operations: () => placeOperations(snapshot),
      findOperation: (name) => findOperation(snapshot, name),
      search: (query, limit) => snapshot.search(query, limit),
      toolSets: () => toolSets.filter(({ upstream }) => snapshot.catalog.upstreams.includes(upstream)),
      definitions: async () => undefined,
      explainPolicy: (question) =>
        explainPolicy(rules, view === undefined ? question : { ...question, view: view.name }),
    };
  };
  return open(whole, undefined);
}

function refuseCall(): never {
  throw new OperationError('PERMISSION_DENIED', "Permission denied: 'a captured tool list cannot be called'");
}

/**
 * Captured lists as tool sets of upstreams. A configured upstream of the same name gives its curation and trust; any other
 * counts as validated, because the operator who captured the list vouches for it.
 * @throws TypeError that names a list which contains no tools
 */
export function readCapturedLists(
  lists: readonly CapturedList[],
  configured: readonly UpstreamConfig[],
): { readonly upstreams: readonly UpstreamConfig[]; readonly toolSets: readonly ToolSet[] } {
  const known = new Map(configured.map((upstream) => [upstream.name, upstream]));
  const taken = new Set<string>();
  const upstreams = lists.map(({ name }) => {
    const upstream = known.get(name) ?? { ...UNUSABLE, name, slug: toSlug(name) };
    const slug = firstFree(upstream.slug, taken);
    taken.add(slug);
    return { ...upstream, slug };
  });
  const toolSets = lists.map(({ name, json }, index) => {
    const toolSet = readToolSet(upstreams[index]?.slug ?? name, json);
    if (toolSet === undefined) throw new TypeError(`'${name}' contains no list of tools: expected {"tools": [...]}`);
    return toolSet;
  });
  return { upstreams, toolSets };
}

function firstFree(slug: string, taken: ReadonlySet<string>): string {
  let free = slug;
  for (let next = 2; taken.has(free); next += 1) free = `${slug}_${next}`;
  return free;
}

/** The quotas of a gateway that calls nothing. */
export const unlimitedQuota: QuotaService = {
  isIdle: true,
  charge: () => undefined,
  chargeParts: async () => undefined,
  chargeRepeat: async () => true,
  noteLimits: () => undefined,
  status: () => Promise.resolve({}),
};

/**
 * A captured tool list as an upstream's tool set: an array of tools, or an object with such an array as `tools` (a server's
 * answer, with or without the JSON-RPC envelope). Undefined where there is no list; entries are not checked here.
 */
export function readToolSet(upstream: string, json: unknown): ToolSet | undefined {
  const tools = findTools(json);
  return tools === undefined ? undefined : { upstream, tools: tools as readonly RawTool[] };
}

function findTools(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isJsonObject(json)) return undefined;
  if (Array.isArray(json['tools'])) return json['tools'];
  return isJsonObject(json['result']) ? findTools(json['result']) : undefined;
}
