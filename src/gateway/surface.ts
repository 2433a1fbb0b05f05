import type { Usage } from '../builtin/introspect/usage.js';
import type { EndpointMode, GatewayConfig } from '../config/gateway-config.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import { PassthroughTool } from '../endpoint/passthrough-tools.js';
import type { Observer } from '../observe/observation.js';
import { createBatchRunner } from '../pipeline/batch/batch.js';
import { type Request, readRequest } from '../pipeline/decode.js';
import { createPipeline } from '../pipeline/pipeline.js';
import type { createFailureReader } from '../pipeline/read-tool-failure.js';
import { withMeta } from '../pipeline/shape.js';
import type { SearchAnswer, Snapshot } from '../pipeline/snapshot.js';
import type { WarnedOnce } from '../pipeline/warnings.js';
import type { PolicyService } from '../policy/policy.js';
import type { RawCall } from '../protocol/call.js';
import type { HeaderParameter } from '../protocol/header-parameters.js';
import { isJsonObject } from '../protocol/json.js';
import { GATEWAY_SOURCE } from '../protocol/operation.js';
import { REQUEST_ID, type Reply } from '../protocol/result.js';
import type { ResultService } from '../results/result-types.js';
import type { openLargeAnswers } from './large-answers.js';
import { findOperation, type NamedOperation, type PlacedOperation, placeOperations } from './status.js';

/** The snapshots of what callers see: of the whole, or of one view. */
export interface SurfaceCatalog {
  current(): Snapshot;
  currentFor(tool: { readonly upstream: string; readonly tool: string }): Snapshot | Promise<Snapshot>;
  currentOf(names: () => readonly string[]): Snapshot | Promise<Snapshot>;
  currentOfAll(): Snapshot | Promise<Snapshot>;
  onToolsChanged(listener: () => void): () => void;
}

export interface SurfaceServices {
  readonly config: Pick<GatewayConfig, 'batch' | 'results' | 'limits' | 'warnings'>;
  readonly policy: Pick<PolicyService, 'gatekeeper' | 'batches' | 'quota' | 'recordCall'>;
  readonly observe: Observer;
  /** Counts what is called. */
  readonly usage: Usage;
  readonly results: ResultService;
  readonly warnedOnce: Pick<WarnedOnce, 'isFirstWarning'>;
  readonly largeAnswers: Pick<ReturnType<typeof openLargeAnswers>, 'shape'>;
  readonly explainFailure: ReturnType<typeof createFailureReader>;
}

/** The gateway's own MCP tools, as values and as the JSON text that is sent. */
export type ToolList = Pick<EndpointPlan, 'tools' | 'toolsJson'>;

/** What callers reach over one catalog. */
export interface Surface {
  /** Answers one MCP tool call. Never rejects: every failure is an answer. */
  handle(call: RawCall): Promise<Reply>;
  /** The list of this moment; waits while the first tools of an upstream are read, as many clients ask for it only once. */
  toolList(): ToolList | Promise<ToolList>;
  /** Which tools are shown at this moment. */
  mode(): EndpointMode;
  /** The parameters of a tool that calls over HTTP repeat in headers; none of a tool that is not there. */
  headerParametersOf(tool: string): readonly HeaderParameter[];
  /** Calls the listener when the tool list's JSON has changed; returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  /** All current operations, ordered by name, each with its family. */
  operations(): readonly PlacedOperation[];
  /** What a name means: its operation, or in words what it could have meant, as a caller would be answered. */
  findOperation(name: string): Promise<NamedOperation>;
  /** The operations that match a request in free text, best first; builds the index at first use. */
  search(query: string, limit: number): Promise<SearchAnswer>;
}

/** Composes what answers calls, over the snapshots of the whole or of a view. */
export function createSurface(catalog: SurfaceCatalog, services: SurfaceServices): Surface {
  const { config, policy, results, warnedOnce, largeAnswers, explainFailure } = services;
  const { gatekeeper, quota, recordCall } = policy;
  const observe = countUses(services.usage, services.observe);
  const { batch: batchSettings, results: resultSettings, limits, warnings } = config;
  const pipeline = createPipeline({
    gatekeeper,
    catalog,
    quota,
    recordCall,
    limits,
    observe,
    results,
    isFirstWarning: warnedOnce.isFirstWarning,
    slowMs: warnings.slowMs,
    explainFailure,
    shapeLarge: largeAnswers.shape,
  });
  const batch = createBatchRunner({
    ...batchSettings,
    callOne: (raw) => pipeline.answer(raw, catalog.current()),
    foresee: (raw) => pipeline.foresee(raw, catalog.current()),
    policy: { ...policy.batches, staticDecision: gatekeeper.staticDecision },
    answerBytes: resultSettings.maxBytes,
    limits,
    observe,
  });
  return {
    async handle(raw) {
      const { plan } = catalog.current();
      const request = readRequest(raw, plan);
      const current = catalog.currentOf(() => namesOf(request, plan));
      const snapshot = current instanceof Promise ? await current : current;
      const reply = await (request.kind === 'batch'
        ? batch(request, snapshot)
        : pipeline.answer(request.call, snapshot));
      const answer = withMeta(reply, { [REQUEST_ID]: request.call.caller.requestId });
      return snapshot.plan.reachOf(raw.tool) === undefined ? { ...answer, protocolError: 'unknown-tool' } : answer;
    },
    mode: () => catalog.current().plan.mode,
    headerParametersOf: (tool) => {
      const reach = catalog.current().plan.reachOf(tool);
      return reach instanceof PassthroughTool ? reach.headerParameters : [];
    },
    toolList: () => {
      const current = catalog.currentOfAll();
      return current instanceof Promise ? current.then(({ plan }) => plan) : current.plan;
    },
    onToolsChanged: catalog.onToolsChanged,
    operations: () => placeOperations(catalog.current()),
    findOperation: (name) => findOperation(catalog.current(), name),
    search: (query, limit) => catalog.current().search(query, limit),
  };
}

/** Passes observations on, and counts the calls of upstreams' operations that succeeded. */
function countUses(usage: Usage, observe: Observer): Observer {
  return (observation) => {
    observe(observation);
    if (observation.kind !== 'call' || observation.code !== 'OK') return;
    if (observation.upstream !== GATEWAY_SOURCE) usage.count(observation.operation);
  };
}

/** The operations that a request names, as far as it is well formed. */
function namesOf(request: Request, plan: EndpointPlan): readonly string[] {
  const reach = plan.reachOf(request.call.tool);
  if (reach instanceof PassthroughTool) return reach.operationNames;
  const requests = request.kind === 'batch' ? request.operations : [request.call.arguments];
  return requests.flatMap((request) => {
    const name = isJsonObject(request) ? request['operation'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}
