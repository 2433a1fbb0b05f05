import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { runInSlices } from '../../lib/turns.js';
import { takesLongToWrite, writeInSlices } from '../../lib/write-in-slices.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { LARGE_BYTES } from '../../protocol/large-answer.js';
import type { Pieces } from '../../protocol/pieces.js';

/** The JSON of a message: a text, or bytes in pieces where it is long. A stream encodes and copies a text in one turn, and bytes not at all. */
export type WrittenMessage = string | Pieces;

/** A shorter text is not worth a second look. */
const LEAST_LONG = 4 * 1024;
/** Whether JSON.stringify would write a text as it is. Asking takes a fifth of what writing takes: the engine's parser finds control characters fastest. */
function isPlain(text: string): boolean {
  if (text.includes('"') || text.includes('\\') || !text.isWellFormed()) return false;
  try {
    JSON.parse(`"${text}"`);
    return true;
  } catch {
    return false;
  }
}

/** Arguments that were written before their message. */
const writtenAhead = new WeakMap<JsonObject, Pieces>();

/** Writes the arguments of a call in turns of their own, for the message that will hold them; undefined where that takes no time. */
export function writeAhead(args: JsonObject): Promise<void> | undefined {
  if (!mayTakeLong(Object.values(args)) || !takesLongToWrite(args)) return undefined;
  return runInSlices(writeInSlices(args)).then((pieces) => void writtenAhead.set(args, pieces));
}

/** Without looking into them. */
function mayTakeLong(values: readonly unknown[]): boolean {
  let characters = 0;
  for (const value of values) {
    if (typeof value === 'object' && value !== null) return true;
    if (typeof value === 'string') characters += value.length;
  }
  return characters > LARGE_BYTES;
}

/** Stands for a text while what is around it is written: random, so that no caller can send it. */
const SLOT = randomBytes(16).toString('hex');
const NUMBERED_SLOT = new RegExp(`${SLOT}(\\d+)\\.`, 'g');

/** The JSON of a message, as JSON.stringify writes it. Long texts among the arguments of a call are put in as they are. */
export function writeMessage(message: JSONRPCMessage): WrittenMessage {
  const params: unknown = 'params' in message ? message.params : undefined;
  const args = isJsonObject(params) ? params['arguments'] : undefined;
  if (!isJsonObject(params) || !isJsonObject(args)) return JSON.stringify(message);
  const ahead = writtenAhead.get(args);
  if (ahead !== undefined) {
    const around = JSON.stringify({ ...message, params: { ...params, arguments: SLOT } });
    const [before = '', after = ''] = around.split(`"${SLOT}"`);
    return [Buffer.from(before), ...ahead, Buffer.from(after)];
  }
  if (!Object.values(args).some(isLong)) return JSON.stringify(message);
  const texts: string[] = [];
  const slotted: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    // An own member of this name too, as a call may have one.
    const held = isLong(value) && isPlain(value) ? `${SLOT}${texts.push(value) - 1}.` : value;
    Object.defineProperty(slotted, name, { value: held, enumerable: true });
  }
  if (texts.length === 0) return JSON.stringify(message);
  const written = JSON.stringify({ ...message, params: { ...params, arguments: slotted } });
  return written.replace(NUMBERED_SLOT, (_slot, at: string) => texts[Number(at)] ?? '');
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LEAST_LONG;
}
