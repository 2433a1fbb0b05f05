import type { JsonObject } from '../../base/json/json.js';
import type { HandlerCall, RawCall } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationResult, Reply } from '../../base/protocol/result.js';
import type { AuthorizedCall } from './authorize.js';
import type { Snapshot } from './snapshot.js';

/** An operation of an upstream by the name that the upstream gives its tool, and the parameters of a call of it. */
interface InnerTarget {
  readonly upstream: string;
  readonly name: string;
  readonly params: JsonObject;
}

/**
 * The call that a handler makes for its caller. It runs through the whole pipeline, so that policy applies to it as to a direct
 * call; it may only read, and its answer is never cut.
 */
export function innerRead({ caller, cancellation, trace }: HandlerCall, at: Snapshot, target: InnerTarget): RawCall {
  const operation = requireReading(findInner(at, target));
  return callOf(at, operation, target.params, { caller, cancellation, trace: trace?.inner('inner read') });
}

/**
 * The same call once more for another page of its answer. It runs through the whole pipeline, so that policy applies to it, budgets
 * count it and the audit trail records it as a direct call; only the size of its answer is not counted, since it is not sent.
 * @param args in the upstream's spelling
 */
export function innerPage(
  { operation, raw }: Pick<AuthorizedCall, 'operation' | 'raw'>,
  at: Snapshot,
  args: JsonObject,
): RawCall {
  const current = at.catalog.find(operation.qualifiedName);
  if (current === undefined) throw unknownInner(operation.upstream, operation.name);
  const { fixedArguments = {} } = requireReading(current);
  const params = Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(fixedArguments, name)));
  const { caller, cancellation, meta, trace } = raw;
  // The call that needs the page holds budget for its own answer: waiting for more would be waiting for itself.
  return callOf(at, current, params, { caller, cancellation, meta, trace: trace?.inner('page'), delivered: false });
}

/** The call of an operation of the same upstream that may do more than read; policy judges it as a direct call. */
export function innerCall(
  { caller, cancellation }: Pick<HandlerCall, 'caller' | 'cancellation'>,
  at: Pick<Snapshot, 'catalog' | 'plan'>,
  target: InnerTarget,
): RawCall {
  return callOf(at, findInner(at, target), target.params, { caller, cancellation, delivered: false });
}

/** @param context whose call it is, and what watches it */
function callOf(
  { plan }: Pick<Snapshot, 'plan'>,
  operation: Operation,
  params: JsonObject,
  context: Omit<RawCall, 'tool' | 'arguments' | 'answerTokens'>,
): RawCall {
  const request = { operation: operation.qualifiedName, params };
  return { ...context, tool: plan.toolFor(operation), arguments: request, answerTokens: Number.POSITIVE_INFINITY };
}

function findInner({ catalog }: Pick<Snapshot, 'catalog'>, { upstream, name }: InnerTarget): Operation {
  const operation = catalog.operations.find((each) => each.upstream === upstream && isCalled(each, name));
  if (operation === undefined) throw unknownInner(upstream, name);
  return operation;
}

function requireReading(operation: Operation): Operation {
  if (operation.classification.category === 'READ') return operation;
  const { name } = operation;
  const message = `Permission denied: 'operation '${name}' is called by ${GATEWAY_SOURCE} to read, and does not read'`;
  throw new OperationError('PERMISSION_DENIED', message, { operation: name });
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
