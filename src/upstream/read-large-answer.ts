import { keepExactNumbers } from '../base/json/exact-result.js';
import { isJsonObject } from '../base/json/json.js';
import type { Pieces } from '../base/json/pieces.js';
import { SUSPICIOUS } from '../base/json/scan.js';
import { type LargeAnswer, LargeMessage } from '../base/protocol/large-answer.js';
import type { ToolCallResult } from '../base/protocol/result.js';
import type { WireAnswer } from '../base/protocol/wire-answer.js';
import { translateFailure } from './translate-failure.js';
import { UpstreamFault } from './transport/fault.js';
import { OwnCredentials, withoutCredentials } from './transport/own-credentials.js';
import { splitAnswer } from './transport/split-answer.js';
import { isTooDeep, readResult, TOO_DEEP } from './transport/wire-messages.js';

/**
 * Reads an answer of any size at once, so not in the thread that serves callers.
 * @param admit is given what is about to be parsed; what it throws ends the reading
 * @throws OperationError for what is no result of the call
 */
export function readLargeAnswer(
  { pieces, id, credentials, call }: LargeAnswer['parts'],
  admit: (bytes: Pieces) => void,
): ToolCallResult | WireAnswer {
  const own = new OwnCredentials(credentials);
  try {
    const bytes = new LargeMessage(pieces).join();
    const split = splitAnswer([bytes]);
    if (split !== undefined && isAnswerTo(split.id, id)) return split.release(own);
    admit([bytes]);
    const text = bytes.toString('utf8');
    if (isTooDeep(text)) throw new UpstreamFault('malformed', TOO_DEEP);
    const value: unknown = JSON.parse(text);
    if (SUSPICIOUS.test(text)) keepExactNumbers(value, text);
    return own.maskAll(readResult(findMessage(value, id)));
  } catch (error) {
    throw withoutCredentials(translateFailure(error, call), own);
  }
}

/** Some servers send the id back as a text. */
function isAnswerTo(given: unknown, id: unknown): boolean {
  return String(given) === String(id);
}

/** The answer to a request, alone or in a batch. */
function findMessage(value: unknown, id: unknown): object {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const found = messages.find((message) => isJsonObject(message) && isAnswerTo(message['id'], id));
  if (isJsonObject(found)) return found;
  throw new UpstreamFault('malformed', 'its answer carries the id of another request');
}
