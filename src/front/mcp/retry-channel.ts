import type { UserChannel } from '../../protocol/consent.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Reply } from '../../protocol/result.js';
import { readConsent, showsForms, writeConsentParams } from './consent-form.js';

export type RetryChannel = Extract<UserChannel, { readonly kind: 'retry' }>;

/** Of a call that brings no answer; one object for all of them. */
const FIRST_ATTEMPT: RetryChannel = { kind: 'retry' };

/** What the gateway calls its question in `inputRequests`; the client repeats it in `inputResponses`. */
const QUESTION = 'consent';

/** The way to the person behind a modern client that shows forms; undefined behind any other. */
export function openRetryChannel(capabilities: unknown): RetryChannel | undefined {
  return showsForms(capabilities) ? FIRST_ATTEMPT : undefined;
}

/**
 * The same for a call that may bring an answer. State without an answer, or an answer to nothing, is a first attempt: the
 * protocol has the server ask again.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function readRetryChannel(
  capabilities: unknown,
  inputResponses: unknown,
  requestState: unknown,
): RetryChannel | undefined {
  const channel = openRetryChannel(capabilities);
  if (channel === undefined || typeof requestState !== 'string') return channel;
  const answer = isJsonObject(inputResponses) ? readConsent(inputResponses[QUESTION]) : undefined;
  return answer === undefined ? channel : { kind: 'retry', returned: { state: requestState, answer } };
}

/** The members of an `input_required` result. */
export function writeInputRequired({ question, state }: NonNullable<Reply['inputRequired']>): JsonObject {
  const request = { method: 'elicitation/create', params: writeConsentParams(question) };
  return { resultType: 'input_required', inputRequests: { [QUESTION]: request }, requestState: state };
}
