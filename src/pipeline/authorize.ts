import type { Gatekeeper } from '../policy/admission.js';
import { isSameDefinition } from '../policy/confirmation/token-types.js';
import type { RawCall } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { CollectionQuery } from '../results/result-types.js';
import type { ValidatedCall } from './validate.js';

/**
 * A call that policy has let through. The private field makes the type nominal: an object of the same shape, a spread or
 * a cast from a validated call does not compile, so nothing reaches an upstream around `authorize`.
 */
class Authorized {
  readonly #call: ValidatedCall;

  constructor(call: ValidatedCall) {
    this.#call = call;
  }

  get raw(): RawCall {
    return this.#call.raw;
  }

  get operation(): Operation {
    return this.#call.operation;
  }

  get arguments(): JsonObject {
    return this.#call.arguments;
  }

  get directives(): ValidatedCall['directives'] {
    return this.#call.directives;
  }

  get query(): CollectionQuery | undefined {
    return this.#call.query;
  }
}

/** Exported as a type alone: only this file can make one. */
export type AuthorizedCall = Authorized;

/** The operation that has a qualified name at this moment, whatever the call began with. */
export type CurrentOperation = (qualifiedName: string) => Operation | undefined;

/**
 * Asks policy. A call is refused here when the gatekeeper says no, asks for a confirmation, or got one for an operation that
 * has become another one meanwhile.
 */
export async function authorize(
  call: ValidatedCall,
  gatekeeper: Gatekeeper,
  currentOperation: CurrentOperation,
): Promise<AuthorizedCall> {
  const { raw, operation, arguments: args, directives } = call;
  const { confirmation, ifMatch } = directives;
  const { caller, cancellation, user } = raw;
  const permit = gatekeeper.admit({
    operation,
    // A condition on the call is part of what is agreed to: without it the call does more. No operation that takes one has a
    // parameter of its name.
    arguments: ifMatch === undefined ? args : { ...args, if_match: ifMatch },
    caller,
    cancellation,
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(user === undefined ? {} : { user }),
  });
  if (permit instanceof Promise) {
    await permit;
    requireUnchanged(operation, currentOperation);
  }
  return new Authorized(call);
}

/** A person may take minutes. What they agreed to is what they were shown, not what the upstream has made of it since. */
function requireUnchanged(operation: Operation, currentOperation: CurrentOperation): void {
  const { name, qualifiedName } = operation;
  const current = currentOperation(qualifiedName);
  if (current !== undefined && isSameDefinition(operation, current)) return;
  throw new OperationError(
    'TOKEN_SCOPE_MISMATCH',
    `Operation '${name}' changed while its confirmation was waited for, and did not run. Read its details again, then call it without a token to be asked anew`,
    { operation: name, token_operation: qualifiedName, requested_operation: qualifiedName },
  );
}
