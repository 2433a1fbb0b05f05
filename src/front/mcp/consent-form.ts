import type { ConsentAnswer } from '../../protocol/consent.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';

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
