import { parseInSlices } from '../lib/parse-in-slices.js';
import { runInSlices } from '../lib/turns.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { LargeMessage } from '../protocol/large-answer.js';

/** A large message, which is not read here. */
export class UnreadMessage {
  readonly message: LargeMessage;
  readonly id: unknown;

  constructor(message: LargeMessage, id: unknown) {
    this.message = message;
    this.id = id;
  }
}

/** The message of an answer that is not a call's, such as a long list of tools, parsed in slices. */
export async function readLarge({ message }: UnreadMessage): Promise<JsonObject> {
  const read = await runInSlices(parseInSlices(message.join()));
  return isJsonObject(read) ? read : {};
}
