import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { AskAbilities } from '../../base/protocol/ask.js';
import type { ConsentAnswer, UserChannel } from '../../base/protocol/consent.js';
import type { Reply } from '../../base/protocol/result.js';

type RetryChannel = Extract<UserChannel, { readonly kind: 'retry' }>;

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

/** The params of `elicitation/create`, the same in both eras: a question and one check box. */
export function writeConsentParams(question: string): JsonObject {
  return { message: question, requestedSchema: REQUESTED_SCHEMA };
}

/**
 * Reads a person's answer from an elicitation's result; undefined when the result is not one. Sending the form alone is no
 * consent: the box must be ticked.
 */
export function readConsent(result: unknown): ConsentAnswer | undefined {
  if (!isJsonObject(result)) return undefined;
  const { action, content } = result;
  if (action === 'accept') return isJsonObject(content) && content['approve'] === true ? 'accept' : 'decline';
  return action === 'decline' || action === 'cancel' ? action : undefined;
}

/** The channel of a call that brings no answer; one object for all such calls. */
const FIRST_ATTEMPT: RetryChannel = { kind: 'retry' };

/** The gateway's name for its question in `inputRequests`; the client repeats it in `inputResponses`. */
const QUESTION = 'consent';

/** The channel to the user of a modern client that shows forms; undefined for any other client. */
export function openRetryChannel({ form }: AskAbilities): RetryChannel | undefined {
  return form ? FIRST_ATTEMPT : undefined;
}

/**
 * The same for a call that may bring an answer. A call with state but no answer, or an answer but no state, is a first
 * attempt: the protocol requires the server to ask again.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function readRetryChannel(
  abilities: AskAbilities,
  inputResponses: unknown,
  requestState: unknown,
): RetryChannel | undefined {
  const channel = openRetryChannel(abilities);
  if (channel === undefined || typeof requestState !== 'string') return channel;
  const answer = isJsonObject(inputResponses) ? readConsent(inputResponses[QUESTION]) : undefined;
  return answer === undefined ? channel : { kind: 'retry', returned: { state: requestState, answer } };
}

/** The members of an `input_required` result. */
export function writeInputRequired(input: NonNullable<Reply['inputRequired']>): JsonObject {
  const requests = 'requests' in input ? input.requests : { [QUESTION]: writeConsentRequest(input.question) };
  return { resultType: 'input_required', inputRequests: requests, requestState: input.state };
}

function writeConsentRequest(question: string): JsonObject {
  return { method: 'elicitation/create', params: writeConsentParams(question) };
}
