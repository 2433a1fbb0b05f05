import { isJsonObject, type JsonObject } from '../../base/json/json.js';

/** The members of a request that belong to the protocol (specification, sections 4.1 and 4.6.1; operations document, section 7.1). */
const MEMBERS = ['operation', 'params', 'operations'] as const;

export interface Envelope {
  readonly operation?: unknown;
  readonly params?: unknown;
  readonly operations?: unknown;
}

/**
 * What a request says in its own members. Callers that must fill every optional member of a tool's schema, be it with null or with an
 * empty value of its type, do not say anything with that.
 */
export function readEnvelope(request: unknown): Envelope {
  if (!isJsonObject(request)) return {};
  const { operation, params, operations } = request;
  return {
    operation: isEmpty(operation) ? undefined : operation,
    params: isEmpty(params) ? undefined : params,
    operations: isEmpty(operations) ? undefined : operations,
  };
}

/** Whether a member of a request is one of the envelope's that says nothing. */
export function isSilentMember(request: JsonObject, key: string): boolean {
  return MEMBERS.some((member) => member === key) && isEmpty(request[key]);
}

/** Whether a request lists operations and names none itself. */
export function isBatch(request: unknown): request is JsonObject & { readonly operations: readonly unknown[] } {
  const { operation, operations } = readEnvelope(request);
  return operation === undefined && Array.isArray(operations);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
