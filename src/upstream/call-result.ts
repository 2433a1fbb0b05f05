import { tellDigits } from '../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { TreeSize } from '../base/json/measure.js';
import { parseWithPauses } from '../base/json/parse-in-parts.js';
import { Pauses } from '../base/pauses/pauses.js';
import type { LargeMessage } from '../base/protocol/large-answer.js';
import { UpstreamFault } from './transport/fault.js';
import type { SplitAnswer } from './transport/split-answer.js';

/** The result of a request: as a value, with its text as it came, or unread. */
export type CallResult = JsonObject | SplitAnswer | UnreadMessage;

/** A large message, which is not read here. */
export class UnreadMessage {
  readonly message: LargeMessage;
  readonly id: unknown;

  constructor(message: LargeMessage, id: unknown) {
    this.message = message;
    this.id = id;
  }
}

/** What is no call's answer is parsed in the process itself. 25 MB of tools come to a third of this. */
const MOST_TREE_BYTES = 400_000_000;

/** Bytes that are measured and copied between two pauses: a piece can be a whole answer. */
const READ_AT_ONCE = 1_000_000;

/** The message of an answer that is not a call's, such as a long list of tools. Calls are served while it is parsed. */
export async function readLarge({ message }: UnreadMessage): Promise<JsonObject> {
  const size = new TreeSize();
  const pauses = new Pauses();
  const joined = Buffer.allocUnsafeSlow(message.length);
  let at = 0;
  for (const piece of message.pieces.splice(0)) {
    for (let from = 0; from < piece.length; from += READ_AT_ONCE) {
      const part = piece.subarray(from, from + READ_AT_ONCE);
      if (size.add(part).bytes > MOST_TREE_BYTES)
        throw new UpstreamFault('malformed', `its answer of ${message.length} bytes takes too much memory to be read`);
      at += part.copy(joined, at);
      await pauses.due();
    }
  }
  const parsed = await parseWithPauses(joined, { keepsNumbers: true });
  if (!isJsonObject(parsed)) return {};
  tellDigits(parsed);
  return parsed;
}
