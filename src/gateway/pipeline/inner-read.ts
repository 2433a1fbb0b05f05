import type { JsonObject } from '../../base/json/json.js';
import type { HandlerCall, RawCall } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationResult, Reply } from '../../base/protocol/result.js';
import type { AuthorizedCall } from './authorize.js';
import type { Snapshot } from './snapshot.js';

/**
 * The call that a handler makes for its caller. It runs through the whole pipeline, so that policy applies to it as to a direct
 * call; it may only read, and its answer is never cut.
 */
export function innerRead(
  { caller, cancellation, trace }: HandlerCall,
  { catalog, plan }: Snapshot,
  target: { readonly upstream: string; readonly name: string; readonly params: JsonObject },
): RawCall {
  const { upstream, name, params } = target;
  const operation = catalog.operations.find((each) => each.upstream === upstream && isCalled(each, name));
  if (operation === undefined) throw unknownInner(upstream, name);
  if (operation.classification.category !== 'READ') throw notReading(operation);
  return {
    tool: plan.toolFor(operation),
    arguments: { operation: operation.qualifiedName, params },
    caller,
    cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    ...(trace === undefined ? {} : { trace: trace.inner('inner read') }),
  };
}

/**
 * The same call once more for another page of its answer. It runs through the whole pipeline, so that policy applies to it, budgets
 * count it and the audit trail records it as a direct call; only the size of its answer is not counted, since it is not sent.
 * @param args in the upstream's spelling
 */
export function innerPage(
  { operation, raw }: Pick<AuthorizedCall, 'operation' | 'raw'>,
  { catalog, plan }: Snapshot,
  args: JsonObject,
): RawCall {
  const current = catalog.find(operation.qualifiedName);
  if (current === undefined) throw unknownInner(operation.upstream, operation.name);
  if (current.classification.category !== 'READ') throw notReading(current);
  const { fixedArguments = {} } = current;
  const params = Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(fixedArguments, name)));
  return {
    tool: plan.toolFor(current),
    arguments: { operation: current.qualifiedName, params },
    caller: raw.caller,
    cancellation: raw.cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    // The call that needs the page holds budget for its own answer: waiting for more would be waiting for itself.
    delivered: false,
    meta: raw.meta,
    ...(raw.trace === undefined ? {} : { trace: raw.trace.inner('page') }),
  };
}

/** The call of an operation of the same upstream that may do more than read; policy judges it as a direct call. */
export function innerCall(
  { caller, cancellation }: Pick<HandlerCall, 'caller' | 'cancellation'>,
  { catalog, plan }: Pick<Snapshot, 'catalog' | 'plan'>,
  { upstream, name, params }: { readonly upstream: string; readonly name: string; readonly params: JsonObject },
): RawCall {
  const operation = catalog.operations.find((each) => each.upstream === upstream && isCalled(each, name));
  if (operation === undefined) throw unknownInner(upstream, name);
  return {
    tool: plan.toolFor(operation),
    arguments: { operation: operation.qualifiedName, params },
    caller,
    cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    delivered: false,
  };
}

function isCalled({ tool, qualifiedName, upstream }: Operation, name: string): boolean {
  return tool === name || qualifiedName === `${upstream}${QUALIFIER}${name}`;
}

/** The data of a call's answer. @throws OperationError where the call failed */
export function readData({ text }: Reply): unknown {
  const result = JSON.parse(text) as OperationResult;
  if (result.success) return result.data;
  const { code, message, details } = result.error;
  throw new OperationError(code, message, details);
}

function unknownInner(upstream: string, name: string): OperationError {
  const details: JsonObject = { upstream, operation: name };
  return new OperationError('NOT_FOUND_OPERATION', `Unknown operation: '${name}' of upstream '${upstream}'`, details);
}

function notReading({ name }: Operation): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: 'operation '${name}' is called by ${GATEWAY_SOURCE} to read, and does not read'`,
    {
      operation: name,
    },
  );
}
