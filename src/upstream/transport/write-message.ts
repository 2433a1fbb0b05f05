import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';

/** A shorter text is not worth a second look. */
const LEAST_LONG = 4 * 1024;
/** What JSON.stringify may have to escape. Searching for it takes less than half of what writing takes. */
const SPECIAL = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
/** Stands for a text while what is around it is written: random, so that no caller can send it. */
const SLOT = randomBytes(16).toString('hex');

/** The JSON of a message, as JSON.stringify writes it. Long texts among the arguments of a call are put in as they are. */
export function writeMessage(message: JSONRPCMessage): string {
  const params: unknown = 'params' in message ? message.params : undefined;
  const args = isJsonObject(params) ? params['arguments'] : undefined;
  if (!isJsonObject(params) || !isJsonObject(args) || !Object.values(args).some(isLong)) return JSON.stringify(message);
  const texts: string[] = [];
  const slotted: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    // An own member of this name too, as a call may have one.
    const held = isLong(value) && !SPECIAL.test(value) ? `${SLOT}${texts.push(value) - 1}.` : value;
    Object.defineProperty(slotted, name, { value: held, enumerable: true });
  }
  if (texts.length === 0) return JSON.stringify(message);
  const written = JSON.stringify({ ...message, params: { ...params, arguments: slotted } });
  return texts.reduce((json, text, at) => json.replace(`${SLOT}${at}.`, () => text), written);
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LEAST_LONG;
}
