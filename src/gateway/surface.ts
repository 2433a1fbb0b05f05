import { isJsonObject } from '../base/json/json.js';
import type { Observer } from '../base/observe/observation.js';
import type { BeginTrace, Caller, RawCall } from '../base/protocol/call.js';
import type { HeaderParameter } from '../base/protocol/header-parameters.js';
import { GATEWAY_SOURCE, type Operation } from '../base/protocol/operation.js';
import { REQUEST_ID, type Reply } from '../base/protocol/result.js';
import type { EndpointPlan } from '../catalog/endpoint/endpoint-plan.js';
import { PassthroughTool } from '../catalog/endpoint/passthrough-tools.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { Usage } from './builtin/introspect/usage.js';
import type { OpenBackground } from './executions.js';
import type { FairCalls } from './fair-calls.js';
import { createBatchRunner } from './pipeline/batch/batch.js';
import { type Request, readRequest } from './pipeline/decode.js';
import { createPipeline, type PipelineDeps } from './pipeline/pipeline.js';
import { createFailureReader } from './pipeline/read-tool-failure.js';
import { withMeta } from './pipeline/shape.js';
import type { SearchAnswer, Snapshot } from './pipeline/snapshot.js';
import { createDropIgnored } from './pipeline/validate.js';
import type { AfterNews, Asking, ToolsListener } from './reader-catalog.js';
import { findOperation, type NamedOperation, type PlacedOperation, placeOperations } from './status.js';

/** The snapshots of what callers see: of the whole, or of one view. */
export interface SurfaceCatalog {
  /** @param caller who sees it; undefined for what everybody sees */
  current(caller: Caller | undefined): Snapshot;
  currentFor(caller: Caller | undefined, tool: { readonly upstream: string; readonly tool: string }): Promise<Snapshot>;
  currentOf(asking: Asking, names: () => readonly string[]): Promise<Snapshot>;
  currentOfAll(asking: Asking | undefined): Promise<Snapshot>;
  afterNews(
    caller: Caller | undefined,
    tool: { readonly upstream: string; readonly tool: string } | undefined,
  ): Promise<AfterNews<Snapshot>>;
  onToolsChanged(listener: ToolsListener): () => void;
}

/** The reload that is taking effect: calls that begin meanwhile wait, so that each is judged by one configuration. */
export interface Reloading {
  untilDone: Promise<void> | undefined;
}

export interface SurfaceServices extends Pick<PipelineDeps, 'observe' | 'results' | 'isFirstWarning' | 'shapeLarge'> {
  readonly policy: Pick<PolicyService, 'decisions' | 'recordCall'>;
  /** Whose calls these are; of the whole where absent. */
  readonly view?: string;
  /** The calls that may go on in the background; none where absent. */
  readonly openBackground?: OpenBackground | undefined;
  /** Told whose words a server has answered a failed statement in. */
  readonly noteProduct: (upstream: string, product: string) => void;
  /** What is in force. */
  readonly live: { readonly config: GatewayConfig };
  readonly reloading: Reloading;
  /** The turns of clients. */
  readonly calls: FairCalls;
  /** Absent where calls are not traced. */
  readonly beginTrace?: BeginTrace | undefined;
}

/** The gateway's own MCP tools, as values and as the JSON texts that are sent. */
export type ToolList = Pick<EndpointPlan, 'tools' | 'toolsJson' | 'structuredToolsJson'>;

/** What a server says of how to use it. */
export interface ServerWords {
  readonly upstream: string;
  readonly instructions: string;
}

/** What callers reach over one catalog. */
export interface Surface {
  /** Answers one MCP tool call. Never rejects: every failure is an answer. */
  handle(call: RawCall): Promise<Reply>;
  /**
   * The list of this moment, as a caller sees it or everybody; waits while the first tools of an upstream are read, as many clients ask for it
   * only once.
   */
  toolList(caller: Caller | undefined): Promise<ToolList>;
  /** Which tools are shown at this moment, to everybody. */
  shown(): Pick<EndpointPlan, 'mode' | 'tools'>;
  /** What servers say of how to use them, where their tools are shown as they are; nothing in other modes. */
  serversSay(caller: Caller | undefined): readonly ServerWords[];
  /** The parameters of a tool that calls over HTTP repeat in headers; none of a tool that is not there. */
  headerParametersOf(caller: Caller | undefined, tool: string): readonly HeaderParameter[];
  /** Calls the listener when the tool list's JSON has changed; returns a function that removes the listener. */
  onToolsChanged(listener: ToolsListener): () => void;
  /** Another object after each change of the catalog. */
  revision(): object;
  /** All current operations, ordered by name, each with its family. */
  operations(): readonly PlacedOperation[];
  /** What a name means: its operation, or in words what it could have meant, as a caller would be answered. */
  findOperation(name: string): Promise<NamedOperation>;
  /** The operations that match a request in free text, best first; builds the index at first use. */
  search(query: string, limit: number): Promise<SearchAnswer>;
}

/** Composes what answers calls, over the snapshots of the whole or of a view. */
export function createSurface(catalog: SurfaceCatalog, services: SurfaceServices): Surface {
  const { live, reloading } = services;
  let path: CallPath | undefined;
  const answer = async (raw: RawCall, { answer: answerBy }: CallPath): Promise<Reply> => {
    const trace = services.beginTrace?.(raw);
    const { plan } = catalog.current(raw.caller);
    // A tool that is not there may be one of an upstream whose first list is being read.
    const isShown = plan.reachOf(raw.tool) !== undefined;
    const known = isShown ? plan : (await catalog.currentOf(raw, () => [raw.tool])).plan;
    const request = readRequest(raw, known, trace);
    const snapshot = await catalog.currentOf(raw, () => namesOf(request, known));
    const reply = await answerBy(request, snapshot);
    const answer = withMeta(reply, { [REQUEST_ID]: request.call.caller.requestId });
    raw.notes?.note({ requestId: request.call.caller.requestId, code: reply.code });
    const isKnown = snapshot.plan.reachOf(raw.tool) !== undefined;
    // A batch ends here, and every other call has.
    trace?.end(reply.code, isKnown ? raw.tool : undefined);
    return isKnown || reply.code !== 'NOT_FOUND_OPERATION' ? answer : { ...answer, protocolError: 'unknown-tool' };
  };
  return {
    async handle(received) {
      if (reloading.untilDone !== undefined) await reloading.untilDone;
      if (path?.config !== live.config) path = openPath(catalog, services);
      const current = path;
      return current.calls?.run(received, () => answer(received, current)) ?? answer(received, current);
    },
    shown: () => catalog.current(undefined).plan,
    serversSay: (caller) => wordsOf(catalog.current(caller)),
    headerParametersOf: (caller, tool) => {
      const reach = catalog.current(caller).plan.reachOf(tool);
      return reach instanceof PassthroughTool ? reach.headerParameters : [];
    },
    toolList: async (caller) => (await catalog.currentOfAll(caller && { caller })).plan,
    onToolsChanged: (listener) => catalog.onToolsChanged(listener),
    operations: () => placeOperations(catalog.current(undefined)),
    revision: () => catalog.current(undefined),
    findOperation: (name) => findOperation(catalog.current(undefined), name),
    search: (query, limit) => catalog.current(undefined).search(query, limit),
  };
}

function wordsOf({ plan, catalog, connections }: Snapshot): readonly ServerWords[] {
  if (plan.mode !== 'passthrough') return [];
  const shown = new Set(catalog.operations.map(({ upstream }) => upstream));
  return [...shown].flatMap((upstream) => {
    const instructions = connections.introductionOf(upstream)?.instructions;
    return instructions === undefined ? [] : [{ upstream, instructions }];
  });
}

/** Passes observations on, and counts the calls of upstreams' operations that succeeded. */
export function countUses(usage: Usage, observe: Observer): Observer {
  return (observation) => {
    observe(observation);
    if (observation.kind !== 'call' || observation.code !== 'OK' || observation.isDryRun === true) return;
    if (observation.upstream !== GATEWAY_SOURCE) usage.count(observation.operation);
  };
}

/** The stages with the settings of one configuration. A call keeps those that it began with. */
interface CallPath {
  readonly config: GatewayConfig;
  /** Absent where clients do not authenticate: they cannot be distinguished. */
  readonly calls: FairCalls | undefined;
  /** Answers a request, single or batch, with one snapshot. Never rejects. */
  readonly answer: (request: Request, snapshot: Snapshot) => Promise<Reply>;
}

function openPath(
  catalog: SurfaceCatalog,
  { policy, view, openBackground, calls, noteProduct, live: { config }, ...parts }: SurfaceServices,
): CallPath {
  const { gatekeeper: ofAll, quota, batches } = policy.decisions();
  const { recordCall } = policy;
  const gatekeeper =
    view === undefined
      ? ofAll
      : { ...ofAll, staticDecision: (operation: Operation) => ofAll.staticDecision(operation, view) };
  const { limits } = config;
  const pipeline = createPipeline({
    ...parts,
    openBackground,
    gatekeeper,
    askAhead: (request) => batches.askAhead(request),
    catalog,
    quota,
    recordCall,
    limits,
    slowMs: config.warnings.slowMs,
    dropIgnored: createDropIgnored(config.clients),
    explainFailure: createFailureReader(config.errors.upstreamWords, noteProduct),
  });
  const batch = createBatchRunner({
    ...config.batch,
    calls: pipeline.calls,
    policy: { ...batches, staticDecision: gatekeeper.staticDecision },
    answerTokens: config.results.maxTokens,
    limits,
    observe: parts.observe,
  });
  return {
    config,
    calls: config.clients.length > 0 || config.server.oauth !== undefined ? calls : undefined,
    answer: (request, snapshot) =>
      request.kind === 'batch' ? batch(request, snapshot) : pipeline.answer(request.call, snapshot),
  };
}

/** The operations that a request names, as far as it is well formed. */
function namesOf(request: Request, plan: EndpointPlan): readonly string[] {
  const reach = plan.reachOf(request.call.tool);
  if (reach instanceof PassthroughTool) return reach.operations.map(({ qualifiedName }) => qualifiedName);
  const requests = request.kind === 'batch' ? request.operations : [request.call.arguments];
  return requests.flatMap((request) => {
    const name = isJsonObject(request) ? request['operation'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}
