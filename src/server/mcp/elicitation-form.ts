import type { ConsentAnswer, UserChannel } from '../../protocol/consent.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Reply } from '../../protocol/result.js';

export type RetryChannel = Extract<UserChannel, { readonly kind: 'retry' }>;

const REQUESTED_SCHEMA = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Approve',
      description: 'Yes: let this one call run. No: refuse it.',
      default: false,
    },
  },
  required: ['approve'],
} as const;

/** The params of `elicitation/create`, the same in both eras: a question and one box to tick. */
export function writeConsentParams(question: string): JsonObject {
  return { message: question, requestedSchema: REQUESTED_SCHEMA };
}

/**
 * What a person answered, from an elicitation's result; undefined when it is none. Sending the form is not a yes: the box
 * must be ticked.
 */
export function readConsent(result: unknown): ConsentAnswer | undefined {
  if (!isJsonObject(result)) return undefined;
  const { action, content } = result;
  if (action === 'accept') return isJsonObject(content) && content['approve'] === true ? 'accept' : 'decline';
  return action === 'decline' || action === 'cancel' ? action : undefined;
}

/**
 * Whether a client's capabilities say that it shows forms to its user. Before modes had names an empty object said so.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 */
export function showsForms(capabilities: unknown): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isJsonObject(elicitation)) return false;
  return elicitation['form'] !== undefined || elicitation['url'] === undefined;
}

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
