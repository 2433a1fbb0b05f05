import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { AskAbilities } from '../../base/protocol/ask.js';
import type { ConsentAnswer, UserChannel } from '../../base/protocol/consent.js';
import type { Reply } from '../../base/protocol/result.js';
import { object, optional, record, text } from './params-form.js';

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

/**
 * The channel to the user of a modern client that shows forms; undefined for any other client. A call with state but no answer, or an
 * answer but no state, is a first attempt: the protocol requires the server to ask again.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function readRetryChannel({ form }: AskAbilities, retry: Retry | undefined): RetryChannel | undefined {
  if (!form) return undefined;
  if (retry === undefined || typeof retry.state !== 'string') return FIRST_ATTEMPT;
  const answer = isJsonObject(retry.responses) ? readConsent(retry.responses[QUESTION]) : undefined;
  return answer === undefined ? FIRST_ATTEMPT : { kind: 'retry', returned: { state: retry.state, answer } };
}

/** What a request brings that is sent again with answers (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr). */
export interface Retry {
  readonly responses: unknown;
  readonly state: unknown;
}

/** The methods that may be answered with questions; elsewhere the members have another meaning. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const RETRY = object({ inputResponses: optional(record(object())), requestState: optional(text) });

/** What is wrong with what a request brings of an earlier answer. */
export function findRetryFaults({ responses: inputResponses, state: requestState }: Retry): readonly string[] {
  return RETRY({ inputResponses, requestState }, '');
}

export function readRetry({ inputResponses: responses, requestState: state }: JsonObject): Retry | undefined {
  return responses === undefined && state === undefined ? undefined : { responses, state };
}

export function withoutRetry({ inputResponses: _responses, requestState: _state, ...params }: JsonObject): JsonObject {
  return params;
}

/** The members of an `input_required` result. */
export function writeInputRequired(input: NonNullable<Reply['inputRequired']>): JsonObject {
  const requests = 'requests' in input ? input.requests : { [QUESTION]: writeConsentRequest(input.question) };
  return { resultType: 'input_required', inputRequests: requests, requestState: input.state };
}

function writeConsentRequest(question: string): JsonObject {
  return { method: 'elicitation/create', params: writeConsentParams(question) };
}
