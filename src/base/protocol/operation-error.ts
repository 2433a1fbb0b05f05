import type { JsonObject } from '../json/json.js';
import { ERROR_TABLE, type ErrorCode, type ErrorTraits } from './error-table.js';
import type { OperationFailure } from './result.js';

/**
 * A failure as a caller sees it. Message and details are written for the caller: dynamic values in single quotes, no stack,
 * class name, local path or secret. More information for engineers goes into `cause`, which is logged and never sent.
 */
export class OperationError extends Error {
  readonly code: ErrorCode;
  readonly details: JsonObject;

  constructor(code: ErrorCode, message: string, details: JsonObject = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'OperationError';
    this.code = code;
    this.details = details;
  }

  get traits(): ErrorTraits {
    return ERROR_TABLE[this.code];
  }

  /** The error as the specification's `OperationFailure`; empty details are left out. */
  toFailure(): OperationFailure {
    const { code, message, details } = this;
    return { success: false, error: Object.keys(details).length > 0 ? { code, message, details } : { code, message } };
  }
}

/** A negative answer of the gateway itself: nothing that it knows is what was asked for, and a server that could not be asked may have it. */
export class NothingFound extends OperationError {}
