import type { CollectionQuery } from '../collection/collection-query.js';
import type { Gatekeeper } from '../policy/admission.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { RawCall } from '../protocol/raw-call.js';
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

/** Asks policy. A call is refused here when the gatekeeper says no, or asks for a confirmation. */
export async function authorize(call: ValidatedCall, gatekeeper: Gatekeeper): Promise<AuthorizedCall> {
  const { raw, operation, arguments: args, directives } = call;
  const { confirmation } = directives;
  const { caller, cancellation, user } = raw;
  const permit = gatekeeper.admit({
    operation,
    arguments: args,
    caller,
    cancellation,
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(user === undefined ? {} : { user }),
  });
  if (permit instanceof Promise) await permit;
  return new Authorized(call);
}
