import type { GatewayConfig } from '../config/gateway-config.js';
import { createBatchRunner } from '../pipeline/batch/batch.js';
import { createPipeline, type PipelineDeps } from '../pipeline/pipeline.js';
import { createFailureReader } from '../pipeline/read-tool-failure.js';
import type { PolicyService } from '../policy/policy.js';
import type { LiveCatalog } from './live-catalog.js';

/** What answers requests. Never rejects. */
export interface CallPath {
  readonly single: ReturnType<typeof createPipeline>['answer'];
  readonly batch: ReturnType<typeof createBatchRunner>;
}

interface CallPathParts extends Pick<PipelineDeps, 'observe' | 'results' | 'isFirstWarning' | 'shapeLarge'> {
  readonly policy: PolicyService;
  readonly catalog: LiveCatalog;
}

/** The stages with the settings of one configuration. A call keeps those that it began with. */
export function createCallPath(config: GatewayConfig, { policy, catalog, ...parts }: CallPathParts): CallPath {
  const { gatekeeper, quota, batches } = policy.decisions();
  const { recordCall } = policy;
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
  return { single: pipeline.answer, batch };
}
