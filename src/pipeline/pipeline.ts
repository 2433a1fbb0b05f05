import { performance } from 'node:perf_hooks';
import type { Observer } from '../observe/observation.js';
import type { Gatekeeper } from '../policy/gatekeeper.js';
import type { Quota } from '../policy/quota.js';
import type { Operation } from '../protocol/operation.js';
import type { PayloadLimits } from '../protocol/payload-limits.js';
import type { RawCall } from '../protocol/raw-call.js';
import type { Reply } from '../protocol/result.js';
import { authorize } from './authorize.js';
import { decode } from './decode.js';
import { dispatch } from './dispatch.js';
import { limitPayload } from './limit.js';
import { route } from './route.js';
import { shape, shapeFailure, toOperationError } from './shape.js';
import type { Snapshot } from './snapshot.js';
import { throttle } from './throttle.js';
import { validate } from './validate.js';

export interface PipelineDeps {
  readonly gatekeeper: Gatekeeper;
  readonly quota: Quota;
  readonly limits: PayloadLimits;
  readonly observe: Observer;
}

/** The way of one call, from parsed request to written answer. Never rejects. */
export type Pipeline = (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;

/**
 * The hallway: every call passes the same doors in this order, and every call, refused ones included, is told to the
 * observer when it leaves.
 */
export function createPipeline({ gatekeeper, quota, limits, observe }: PipelineDeps): Pipeline {
  return async (raw, snapshot) => {
    const started = performance.now();
    let operation: Operation | undefined;
    let reply: Reply;
    try {
      limitPayload(raw.arguments, limits);
      const routed = await route(await decode(raw, snapshot), snapshot);
      operation = routed.operation;
      const authorized = await authorize(validate(routed, snapshot), gatekeeper);
      const outcome = await dispatch(await throttle(authorized, quota), snapshot);
      reply = shape(operation, outcome, limits);
    } catch (thrown) {
      const error = toOperationError(thrown, operation?.name);
      if (error !== thrown) observe({ kind: 'defect', where: 'pipeline', cause: thrown });
      reply = shapeFailure(error, operation);
    }
    observe({
      kind: 'call',
      operation: operation?.name ?? raw.tool,
      upstream: operation?.upstream ?? '',
      category: operation?.classification.category ?? '',
      code: reply.code,
      durationMs: performance.now() - started,
      sessionId: raw.caller.sessionId,
    });
    return reply;
  };
}
