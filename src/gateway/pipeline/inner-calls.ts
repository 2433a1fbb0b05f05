import { parseCarried } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type {
  Caller,
  HandlerOutcome,
  InnerCall,
  InnerCalls,
  OuterCall,
  RawCall,
  UpstreamCall,
} from '../../base/protocol/call.js';
import { type AnswerParts, INNER_TREATMENTS, type Within } from '../../base/protocol/inner-call.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationResult, Reply } from '../../base/protocol/result.js';
import { findOperation } from '../../catalog/catalog.js';
import { mayWrite } from '../../catalog/operation.js';
import type { BatchPolicy, Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import { EXECUTION_OPERATIONS } from '../builtin/executions/operations.js';
import { shapeFailure } from './shape.js';
import type { Snapshot } from './snapshot.js';

interface InnerCallDeps {
  /** A call may begin minutes after the one that makes it: it gets the catalog of its own moment. */
  readonly current: (caller: Caller) => Snapshot;
  /** The pipeline of a single call. */
  readonly answer: (raw: RawCall, snapshot: Snapshot) => Promise<Reply>;
  readonly foresee: (raw: RawCall, snapshot: Snapshot) => Promise<PolicyRequest>;
  readonly askAhead: BatchPolicy['askAhead'];
  readonly gatekeeper: Pick<Gatekeeper, 'staticDecision'>;
}

/** With what the gateway's own parts ask of calls before their turns. */
export interface PipelineCalls extends InnerCalls {
  /** The call as policy would judge it now. Rejects where it would be refused before that. */
  judge(outer: OuterCall, call: InnerCall): Promise<PolicyRequest>;
}

export function createInnerCalls({ current, answer, foresee, askAhead, gatekeeper }: InnerCallDeps): PipelineCalls {
  const judge: PipelineCalls['judge'] = (outer, call) => foresee(rawCallOf(outer, call), current(outer.caller));
  const sendTo = (outer: OuterCall, call: UpstreamCall, take?: RawCall['take']): Promise<Reply> => {
    const snapshot = current(outer.caller);
    const found = findCall(call, snapshot);
    if (found instanceof OperationError) return Promise.resolve(shapeFailure(found, undefined));
    return answer({ ...rawCallOf(outer, found), take }, snapshot);
  };
  return {
    families: ({ caller }) => current(caller).plan.families.map(({ name }) => name),
    reads({ caller }, name, params) {
      const operation = typeof name === 'string' ? current(caller).catalog.find(name) : undefined;
      return operation !== undefined && !mayWrite(operation, isJsonObject(params) ? params : {});
    },
    send: (outer, call) => answer(rawCallOf(outer, call), current(outer.caller)),
    sendTo,
    read: async (outer, call) => dataOf(await sendTo(outer, call)),
    async fetch(outer, call) {
      let outcome: HandlerOutcome | undefined;
      const reply = await sendTo(outer, call, (given) => {
        outcome = given;
      });
      return outcome ?? { data: dataOf(reply) };
    },
    judge,
    recall({ caller, parts: noted }, parts) {
      const { isReachable, operationsOf } = current(caller);
      for (const [origin, characters] of Object.entries(parts))
        for (const operation of operationsOf(origin)) notePart(noted, operation, characters);
      return Object.keys(parts).every(isReachable);
    },
    async foresee(outer, call) {
      const { operation, params, arguments: args } = await judge(outer, call);
      return {
        operation: operation.name,
        category: operation.classification.category,
        params: params ?? args,
        effect: gatekeeper.staticDecision(operation).effect,
      };
    },
    async askAhead(outer, call) {
      try {
        const { token, details } = (await askAhead(await judge(outer, call))) ?? {};
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
export function admitInner({ admits, readsOnly, reachesExecutions }: Within, operation: Operation): void {
  const { name, qualifiedName, classification } = operation;
  if (readsOnly && classification.category !== 'READ')
    throw refuse(name, `operation '${name}' is called by ${GATEWAY_SOURCE} to read, and does not read`);
  if (!reachesExecutions && EXECUTION_OPERATIONS.some((own) => own.qualifiedName === qualifiedName))
    throw refuse(name, 'executions are for whoever waits for them, and a call within a call does not go on without it');
  admits?.(operation);
}

function refuse(operation: string, reason: string): OperationError {
  return new OperationError('PERMISSION_DENIED', `Permission denied: '${reason}'`, { operation, reason });
}

/** The data of a call's answer, for what reads and sends on: a number that no value holds is its digits. @throws OperationError where the call failed */
export function dataOf({ text }: Reply): unknown {
  const result = parseCarried(text) as OperationResult;
  if (result.success) return result.data;
  const { code, message, details } = result.error;
  throw new OperationError(code, message, details);
}

/** Its answer is never cut, unless the call says so: it becomes part of the outer one. */
function rawCallOf(outer: OuterCall, call: InnerCall): RawCall {
  const { caller, cancellation, user, ask, log, meta, trace, parts } = outer;
  const { kind, tool, request, family, admits, consent, onProgress } = call;
  const { answerTokens = Number.POSITIVE_INFINITY } = call;
  const treatment = INNER_TREATMENTS[kind];
  return {
    tool,
    arguments: request,
    caller,
    cancellation,
    answerTokens,
    within: { ...treatment, family, admits, parts },
    // What a client's user answers with a second call cannot be matched to a call within it.
    user: treatment.asks && user?.kind === 'live' ? user : undefined,
    ask,
    log,
    meta,
    consent,
    onProgress,
    trace: trace?.inner(treatment.span),
  };
}

/** An operation of an upstream is called as a caller calls it: by its own name, with what the operator has not fixed. */
function findCall(
  { kind, upstream, name, params }: UpstreamCall,
  { catalog, plan }: Snapshot,
): InnerCall | OperationError {
  const operation = findOperation(catalog, upstream, name);
  if (operation === undefined) {
    const details: JsonObject = { upstream, operation: name };
    return new OperationError('NOT_FOUND_OPERATION', `Unknown operation: '${name}' of upstream '${upstream}'`, details);
  }
  const { qualifiedName, fixedArguments = {} } = operation;
  const free = Object.fromEntries(Object.entries(params).filter(([each]) => !Object.hasOwn(fixedArguments, each)));
  return { kind, tool: plan.toolFor(operation), request: { operation: qualifiedName, params: free } };
}
