import type { JsonObject } from '../../base/json/json.js';
import type { HandlerCall, HandlerHost, HandlerOutcome, RawCall } from '../../base/protocol/call.js';
import { isQuestionCode } from '../../base/protocol/error-table.js';
import type { AnswerParts } from '../../base/protocol/inner-call.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { isSameDefinition, operationOfCall } from '../../catalog/operation.js';
import type { Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import type { CollectionQuery } from '../../results/query/result-types.js';
import { quarantined } from './not-found.js';
import type { Snapshot } from './snapshot.js';
import type { ValidatedCall } from './validate.js';

/**
 * A call that policy has admitted. The private field makes the type nominal: an object of the same shape, a spread or
 * a cast from a validated call does not compile, so no call reaches an upstream without `authorize`.
 */
class Authorized {
  readonly #call: ValidatedCall;
  readonly raw: RawCall;
  readonly operation: Operation;
  readonly arguments: JsonObject;
  readonly asked: JsonObject | undefined;
  readonly directives: ValidatedCall['directives'];
  readonly query: CollectionQuery | undefined;
  /** The digest of the changes that a person agreed to; absent where nobody was shown any. */
  readonly agreedChanges: string | undefined;

  constructor(call: ValidatedCall, agreedChanges?: string) {
    this.#call = call;
    this.raw = call.raw;
    this.operation = call.operation;
    this.arguments = call.arguments;
    this.asked = call.asked;
    this.directives = call.directives;
    this.query = call.query;
    this.agreedChanges = agreedChanges;
  }

  /** The same call, which may go on when the request that brought it has its answer. */
  inBackground({ cancellation, onProgress, isDetached }: Detachment): Authorized {
    const { ask: _ask, user: _user, log: _log, ...alone } = this.#call.raw;
    const raw = isDetached
      ? { ...alone, answerTokens: Number.POSITIVE_INFINITY, delivered: false as const }
      : this.#call.raw;
    return new Authorized({ ...this.#call, raw: { ...raw, cancellation, onProgress } }, this.agreedChanges);
  }
}

/** What takes the place of the request that brought a call. */
interface Detachment extends Required<Pick<RawCall, 'cancellation' | 'onProgress'>> {
  /** Whether the request is answered before the call has run: its client can then be asked nothing, and gets the answer later. */
  readonly isDetached: boolean;
}

/** Exported only as a type, so that only this file can create one. */
export type AuthorizedCall = Authorized;

/** The operation that currently has the qualified name of this one, which is from the call's snapshot. */
type CurrentOperation = (operation: Operation) => Operation | undefined | Promise<Operation | undefined>;

/**
 * Asks policy whether the call may run. A call is refused here when the gatekeeper denies it, asks for a confirmation, or
 * got a confirmation for an operation whose definition changed while the call waited.
 * @param preview reads what the call would change, for the person who is asked; absent where that cannot be known
 */
export async function authorize(
  call: ValidatedCall,
  gatekeeper: Gatekeeper,
  currentOperation: CurrentOperation,
  preview?: PolicyRequest['preview'],
): Promise<AuthorizedCall> {
  try {
    const granted = await gatekeeper.admit(policyRequestOf(call, preview));
    if (granted.outcome === 'allowed') return new Authorized(call);
    await requireConfirmed(call.operation, call.arguments, currentOperation);
    return new Authorized(call, granted.changes);
  } catch (thrown) {
    const isQuestion = thrown instanceof OperationError && isQuestionCode(thrown.code);
    throw isQuestion && call.raw.within?.asks === false ? notAskedHere(call.operation, thrown) : thrown;
  }
}

/** Nobody is asked in the middle of another call. */
function notAskedHere({ name }: Operation, cause: OperationError): OperationError {
  const message = `Permission denied: '${name} needs a confirmation of its own, which cannot be given here'`;
  return new OperationError('PERMISSION_DENIED', message, { operation: name }, { cause });
}

/** Reads what a call would change, when it is asked for; undefined where that cannot be known. */
export function previewOf(
  call: ValidatedCall,
  snapshot: Pick<Snapshot, 'previewOf'>,
  host: HandlerHost,
): PolicyRequest['preview'] {
  const read = snapshot.previewOf(call.operation);
  return read && (() => read(handlerCallOf(call, host)));
}

/** The call as policy judges it. */
export function policyRequestOf(
  { raw, operation, arguments: args, directives }: ValidatedCall,
  preview?: PolicyRequest['preview'],
): PolicyRequest {
  const { confirmation, ifMatch, dryRun } = directives;
  const { caller, cancellation, user, consent, within } = raw;
  return {
    operation,
    // The confirmation covers `if_match` too: without it the call would overwrite more. An operation that takes this directive
    // has no parameter of the same name.
    arguments: ifMatch === undefined ? args : { ...args, if_match: ifMatch },
    params: ifMatch === undefined ? directives.params : { ...directives.params, if_match: ifMatch },
    caller,
    cancellation,
    confirmation,
    user,
    consent,
    preview,
    isCovered: within && within.step === 'of the outer call',
    ...(dryRun === true && { isDryRun: true }),
  };
}

/** A person may take minutes to confirm. The confirmation covers the definition they saw, not a later one. */
async function requireConfirmed(
  operation: Operation,
  args: JsonObject,
  currentOperation: CurrentOperation,
): Promise<void> {
  const { name, qualifiedName } = operation;
  const current = await currentOperation(operation);
  if (current !== undefined && isSameDefinition(operation, operationOfCall(current, args))) return;
  throw new OperationError(
    'TOKEN_SCOPE_MISMATCH',
    `Operation '${name}' changed while its confirmation was pending and did not run. Read its details again, then call it without a token to be asked again`,
    { operation: name, token_operation: qualifiedName, requested_operation: qualifiedName },
  );
}

/** Runs an authorised call. A built-in operation and an upstream's tool are both handlers here. */
export function dispatch(
  call: AuthorizedCall,
  snapshot: Pick<Snapshot, 'handlerOf'>,
  host: HandlerHost,
  parts?: AnswerParts,
): Promise<HandlerOutcome> {
  return snapshot.handlerOf(call.operation)(handlerCallOf(call, host, call.agreedChanges, parts));
}

function handlerCallOf(
  {
    operation,
    arguments: args,
    raw,
    directives,
  }: Pick<ValidatedCall, 'operation' | 'arguments' | 'raw' | 'directives'>,
  host: HandlerHost,
  agreedChanges?: string,
  parts?: AnswerParts,
): HandlerCall {
  const { caller, cancellation, trace, meta, ask, log, onProgress, onTask, native, within } = raw;
  // What a client's user answers with a second call belongs to this one alone.
  const user = raw.user?.kind === 'live' ? raw.user : undefined;
  const { ifMatch } = directives;
  // One literal: spread into it, the nine of `raw` take a tenth of a short call.
  return {
    operation,
    arguments: args,
    host,
    parts,
    ifMatch,
    agreedChanges,
    user,
    caller,
    cancellation,
    trace,
    meta,
    ask,
    log,
    onProgress,
    onTask,
    native,
    fresh: within?.cached === false,
  };
}

/**
 * Refuses a call whose operation is not what it was when the call came: it may have waited for its turn, for a connection or in
 * a batch, and what was checked and agreed to was the earlier definition.
 */
export function requireUnchanged(operation: Operation, { catalog }: Pick<Snapshot, 'catalog'>): void {
  const { name, qualifiedName } = operation;
  const current = catalog.find(qualifiedName);
  if (current === operation || (current !== undefined && isSameDefinition(operation, current))) return;
  const resolution = catalog.resolve(qualifiedName);
  if (resolution.kind === 'quarantined') throw quarantined(name, resolution.tool);
  if (current === undefined) {
    const message = `Unknown operation: '${name}'. Its upstream stopped offering it while the call waited, and it did not run`;
    throw new OperationError('NOT_FOUND_OPERATION', message, { operation: name, available: [] });
  }
  const message = `Operation '${name}' changed while the call waited and did not run. Read its details again, then send the call again`;
  throw new OperationError('CONFLICT_VERSION_MISMATCH', message, { operation: name });
}
