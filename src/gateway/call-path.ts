import type { GatewayConfig } from '../config/gateway-config.js';
import { createBatchRunner } from '../pipeline/batch/batch.js';
import type { Request } from '../pipeline/decode.js';
import { createPipeline, type PipelineDeps } from '../pipeline/pipeline.js';
import { createFailureReader } from '../pipeline/read-tool-failure.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { PolicyService } from '../policy/policy.js';
import type { Reply } from '../protocol/result.js';
import type { SurfaceCatalog } from './surface.js';

/** Answers a request, single or batch, with one snapshot. Never rejects. */
export type CallPath = (request: Request, snapshot: Snapshot) => Promise<Reply>;

export type CallPathPolicy = Pick<PolicyService, 'gatekeeper' | 'quota' | 'recordCall' | 'batches'>;

interface CallPathParts extends Pick<PipelineDeps, 'observe' | 'results' | 'isFirstWarning' | 'shapeLarge'> {
  readonly policy: CallPathPolicy;
  readonly catalog: SurfaceCatalog;
}

/** The stages with the settings of one configuration. A call keeps those that it began with. */
export function createCallPath(config: GatewayConfig, { policy, catalog, ...parts }: CallPathParts): CallPath {
  const { gatekeeper, quota, recordCall, batches } = policy;
  const { limits } = config;
  const pipeline = createPipeline({
    ...parts,
    gatekeeper,
    catalog,
    quota,
    recordCall,
    limits,
    slowMs: config.warnings.slowMs,
    explainFailure: createFailureReader(config.errors.upstreamWords),
  });
  const batch = createBatchRunner({
    ...config.batch,
    callOne: (raw) => pipeline.answer(raw, catalog.current()),
    foresee: (raw) => pipeline.foresee(raw, catalog.current()),
    policy: { ...batches, staticDecision: gatekeeper.staticDecision },
    answerBytes: config.results.maxBytes,
    limits,
    observe: parts.observe,
  });
  return (request, snapshot) =>
    request.kind === 'batch' ? batch(request, snapshot) : pipeline.answer(request.call, snapshot);
}
