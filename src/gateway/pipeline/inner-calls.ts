import { isJsonObject } from '../../base/json/json.js';
import type { Caller, HandlerCall, InnerCalls, RawCall } from '../../base/protocol/call.js';
import type { AnswerParts, InnerCall, Within } from '../../base/protocol/inner-call.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Reply } from '../../base/protocol/result.js';
import { mayWrite } from '../../catalog/operation.js';
import type { BatchPolicy, Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import { EXECUTION_OPERATIONS } from '../builtin/executions/operations.js';
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
    reads({ caller }, name, params) {
      const operation = typeof name === 'string' ? current(caller).catalog.find(name) : undefined;
      return operation !== undefined && !mayWrite(operation, isJsonObject(params) ? params : {});
    },
    send: (outer, call) => answer(rawCallOf(outer, call)),
    recall({ caller, parts: noted }, parts) {
      const { isReachable, operationsOf } = current(caller);
      for (const [origin, characters] of Object.entries(parts))
        for (const operation of operationsOf(origin)) notePart(noted, operation, characters);
      return Object.keys(parts).every(isReachable);
    },
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

/**
 * Notes an answer in the call that it was given to, with what it was made of itself.
 * @param partsOf where a stored answer is read on, the operations of that one
 */
export function noteAnswer(
  noted: AnswerParts | undefined,
  made: { readonly operation: Operation; readonly partsOf: readonly Operation[]; readonly parts: AnswerParts },
  characters: number,
): void {
  const given = made.partsOf.length === 0 ? [made.operation] : made.partsOf;
  for (const part of given) notePart(noted, part, Math.ceil(characters / given.length));
  for (const part of made.parts.keys()) notePart(noted, part, 0);
}

function notePart(parts: AnswerParts | undefined, operation: Operation, characters: number): void {
  parts?.set(operation, (parts.get(operation) ?? 0) + characters);
}

/** Throws where a call may not be made within another one. @param operation as the call uses it */
export function admitInner({ admits }: Within, operation: Operation): void {
  if (EXECUTION_OPERATIONS.some(({ qualifiedName }) => qualifiedName === operation.qualifiedName)) {
    const reason = 'executions are for whoever waits for them, and a call within a call does not go on without it';
    throw new OperationError('PERMISSION_DENIED', `Permission denied: '${reason}'`, {
      operation: operation.name,
      reason,
    });
  }
  admits(operation);
}

/** Its answer is never cut: it becomes part of the outer one, which budgets count. */
function rawCallOf({ user, ask, log, meta, trace, parts }: HandlerCall, call: InnerCall): RawCall {
  const { tool, operation, params, caller, cancellation, family, admits } = call;
  return {
    tool,
    arguments: { operation, params },
    caller,
    cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    within: { family, admits, parts },
    user,
    ask,
    log,
    meta,
    trace: trace?.inner('inner call'),
  };
}
