import { performance } from 'node:perf_hooks';
import type { HandlerCall, OperationHandler } from '../base/protocol/call.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { PolicyService } from '../policy/policy.js';

/**
 * Runs a READ that the gateway makes for a caller, as if the caller had made it: policy decides, budgets count it and the audit
 * trail records it. A read that policy would ask about is refused, because nobody is asked in the middle of another call.
 */
export function createGovernedRead(
  inner: OperationHandler,
  { gatekeeper, quota, recordCall }: Pick<PolicyService, 'gatekeeper' | 'quota' | 'recordCall'>,
): OperationHandler {
  const admit = async ({ operation, arguments: args, caller, cancellation }: HandlerCall): Promise<void> => {
    try {
      await gatekeeper.admit({ operation, arguments: args, caller, cancellation });
    } catch (thrown) {
      if (thrown instanceof OperationError && thrown.code === 'PERMISSION_DENIED') throw thrown;
      throw notAllowed(operation.name, thrown);
    }
    await quota.charge({ operation, arguments: args, caller, delivered: false });
  };
  return async (call) => {
    const { operation, arguments: args, caller } = call;
    const started = performance.now();
    const record = (code: string): void =>
      recordCall({ operation, arguments: args, caller, code, durationMs: performance.now() - started });
    try {
      await admit(call);
      const outcome = await inner(call);
      record('toolResult' in outcome && outcome.toolResult.isError === true ? 'INTERNAL_ERROR' : 'OK');
      return outcome;
    } catch (thrown) {
      record(thrown instanceof OperationError ? thrown.code : 'INTERNAL_ERROR');
      throw thrown;
    }
  };
}

function notAllowed(name: string, cause: unknown): OperationError {
  const message = `Permission denied: '${name} needs a confirmation of its own, which cannot be given here'`;
  return new OperationError('PERMISSION_DENIED', message, { operation: name }, { cause });
}
