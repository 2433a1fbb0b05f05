import type { Caller, HandlerCall, InnerCalls, RawCall } from '../../base/protocol/call.js';
import type { InnerCall } from '../../base/protocol/inner-call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Reply } from '../../base/protocol/result.js';
import { mayWrite } from '../../catalog/operation.js';
import type { BatchPolicy, Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import type { Snapshot } from './snapshot.js';

interface InnerCallDeps {
  /** A call may begin minutes after the one that makes it: it gets the catalog of its own moment. */
  readonly current: (caller: Caller) => Snapshot;
  /** The pipeline of a single call. */
  readonly answer: (raw: RawCall) => Promise<Reply>;
  readonly foresee: (raw: RawCall) => Promise<PolicyRequest>;
  readonly askAhead: BatchPolicy['askAhead'];
  readonly gatekeeper: Pick<Gatekeeper, 'staticDecision'>;
}

/** The way of the calls that handlers make: the pipeline of every call, as for the items of a batch. */
export function createInnerCalls({ current, answer, foresee, askAhead, gatekeeper }: InnerCallDeps): InnerCalls {
  return {
    families: ({ caller }) => current(caller).plan.families.map(({ name }) => name),
    reads({ caller }, name) {
      const operation = typeof name === 'string' ? current(caller).catalog.find(name) : undefined;
      return operation !== undefined && !mayWrite(operation);
    },
    send: (outer, call) => answer(rawCallOf(outer, call)),
    async foresee(outer, call) {
      const { operation, params, arguments: args } = await foresee(rawCallOf(outer, call));
      return {
        operation: operation.name,
        category: operation.classification.category,
        params: params ?? args,
        effect: gatekeeper.staticDecision(operation).effect,
      };
    },
    async askAhead(outer, call) {
      try {
        const { token, details } = (await askAhead(await foresee(rawCallOf(outer, call)))) ?? {};
        if (token === undefined) return undefined;
        const message = String(details?.['confirmation_message']);
        const error = new OperationError('CONFIRMATION_REQUIRED', message, { ...details, confirmation_token: token });
        return error.toFailure();
      } catch {
        // What is the matter with it is said when its turn comes.
        return undefined;
      }
    },
  };
}

/** Its answer is never cut, and budgets count what the caller gets of it. */
function rawCallOf({ user, ask, log, meta, trace }: HandlerCall, call: InnerCall): RawCall {
  const { tool, operation, params, caller, cancellation, family, admits } = call;
  return {
    tool,
    arguments: { operation, params },
    caller,
    cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    delivered: false,
    within: { family, admits },
    user,
    ask,
    log,
    meta,
    trace: trace?.inner('inner call'),
  };
}
