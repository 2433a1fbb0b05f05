import { holdsManyValues, LargeMessage } from '../../protocol/large-answer.js';
import { joinPieces, type Pieces } from '../../protocol/pieces.js';
import { LEAST_SPLIT_BYTES, type SplitAnswer, splitAnswer } from '../split-answer.js';
import { EDGE_BYTES, readMessageId } from './wire-messages.js';

/**
 * How a message is to be read: by a thread where it is large or holds very many values, unread where it is an answer of one long text,
 * otherwise as the text that it is.
 */
export function recogniseMessage(bytes: Pieces | LargeMessage): LargeMessage | SplitAnswer | string {
  if (bytes instanceof LargeMessage) return bytes;
  const [only] = bytes;
  // Most messages are short and came in one piece.
  if (only !== undefined && bytes.length === 1 && only.length < LEAST_SPLIT_BYTES) return only.toString('utf8');
  const answer = splitAnswer(bytes);
  if (answer !== undefined) return answer;
  const joined = joinPieces(bytes);
  // What answers nothing is read here: a thread reads for a call that waits.
  if (holdsManyValues([joined]) && readMessageId(edgesOf(joined)) !== undefined) return LargeMessage.copyOf([joined]);
  return joined.toString('utf8');
}

function edgesOf(bytes: Buffer): { readonly start: Buffer; readonly end: Buffer } {
  return { start: bytes.subarray(0, EDGE_BYTES), end: bytes.subarray(-EDGE_BYTES) };
}
