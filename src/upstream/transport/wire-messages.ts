import { randomBytes } from 'node:crypto';
import {
  isInputRequiredResult,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
} from '@modelcontextprotocol/client';
import { keepExactNumbers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { joinPieces, type Pieces } from '../../base/json/pieces.js';
import { isNestedDeeper, SUSPICIOUS } from '../../base/json/scan.js';
import { holdsManyValues, LARGE_BYTES, LargeMessage, MessageBytes } from '../../base/protocol/large-answer.js';
import { MAX_ANSWER_DEPTH } from '../../base/protocol/limits.js';
import { withoutForgedMeta } from '../../base/protocol/mend-result.js';
import { protocolError, UpstreamFault } from './fault.js';
import { LEAST_SPLIT_BYTES, type SplitAnswer, splitAnswer } from './split-answer.js';

const NEWLINE = 0x0a;
/** How much of a skipped line's beginning and end is kept: enough for the members around its result. */
export const EDGE_BYTES = 256;
/** A line of which so much was skipped has no end. */
const ENDLESS_BYTES = 1024 * 1024 * 1024;

/** What is known of a line that was too long to be kept. */
export interface SkippedLine {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly bytes: number;
}

interface LineLimits {
  /** Bytes a line may have. */
  readonly maxBytes: number;
  /** Called once for a line that is longer, with what came of it so far; the rest of that line is dropped. */
  readonly onOverflow?: (start: Buffer) => void;
  /** Called when a line that was longer has ended. */
  readonly onSkipped?: (line: SkippedLine) => void;
  /** Called once for a line that has more than `endlessBytes`; 1 GiB unless given. */
  readonly onEndless?: () => void;
  readonly endlessBytes?: number;
}

/**
 * Cuts a byte stream into lines without their line feeds; `readline` would cost a string and a regular expression a chunk. Of a line
 * that is too long nothing is kept but its edges.
 *
 * @returns gives the lines that end in the next chunk, each cut when it is asked for. All of them are to be taken before those of
 * the chunk after it.
 */
export function splitByteLines(limits: LineLimits): (chunk: Buffer) => Iterable<Pieces | LargeMessage> {
  const { maxBytes, endlessBytes = ENDLESS_BYTES, onOverflow, onSkipped, onEndless } = limits;
  const line = new MessageBytes();
  const mostWhole = Math.min(maxBytes, LARGE_BYTES);
  let held = 0;
  let skipped: { readonly start: Buffer; end: Buffer } | undefined;

  const hold = (part: Buffer): void => {
    if (part.length === 0) return;
    held += part.length;
    if (skipped !== undefined) {
      skipped.end = lastBytes(skipped.end, part);
      if (held > endlessBytes && held - part.length <= endlessBytes) onEndless?.();
      return;
    }
    line.add(part);
    if (held <= maxBytes) return;
    const begun = line.take();
    const { start, end } = begun instanceof LargeMessage ? begun.edges(EDGE_BYTES) : whole(joinPieces(begun));
    skipped = { start: Buffer.from(start.subarray(0, EDGE_BYTES)), end: lastBytes(Buffer.alloc(0), end) };
    onOverflow?.(start);
  };
  const finish = (): Pieces | LargeMessage | undefined => {
    if (skipped !== undefined) onSkipped?.({ ...skipped, bytes: held });
    const whole = skipped === undefined && held > 0 ? line.take() : undefined;
    held = 0;
    skipped = undefined;
    return whole;
  };

  return function* (chunk) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, at);
      // Most lines come in one piece.
      if (held === 0 && part.length > 0 && part.length <= mostWhole) yield [part];
      else {
        hold(part);
        const ended = finish();
        if (ended !== undefined) yield ended;
      }
      from = at + 1;
      // A chunk may hold nothing but empty lines.
      while (chunk[from] === NEWLINE && held === 0) from += 1;
    }
    if (from < chunk.length) hold(from === 0 ? chunk : chunk.subarray(from));
  };
}

/** The same, with each line as text. Bytes are decoded once a line is complete, so that characters split over chunks survive. */
export function splitLines(limits: LineLimits): (chunk: Buffer) => Iterable<string> {
  const split = splitByteLines(limits);
  return function* (chunk) {
    for (const line of split(chunk))
      yield (line instanceof LargeMessage ? line.join() : joinPieces(line)).toString('utf8');
  };
}

function whole(bytes: Buffer): Pick<SkippedLine, 'start' | 'end'> {
  return { start: bytes, end: bytes };
}

/** A copy, so that a large chunk is not kept for its end. */
function lastBytes(before: Buffer, part: Buffer): Buffer {
  if (part.length >= EDGE_BYTES) return Buffer.from(part.subarray(-EDGE_BYTES));
  return Buffer.concat([before, part]).subarray(-EDGE_BYTES);
}

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
  if (readMessageId(edgesOf(joined)) !== undefined && holdsManyValues([joined], 'inJson'))
    return LargeMessage.copyOf([joined]);
  return joined.toString('utf8');
}

function edgesOf(bytes: Buffer): { readonly start: Buffer; readonly end: Buffer } {
  return { start: bytes.subarray(0, EDGE_BYTES), end: bytes.subarray(-EDGE_BYTES) };
}

/** `id` before the result, as most SDKs write it. */
const ID_AT_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?:(-?\d+)|"([^"\\]*)")\s*,/;
/** `id` after the result, as the TypeScript SDK writes it. The single brace after it is the message's own. */
const ID_AT_END = /,\s*"id"\s*:\s*(?:(-?\d+)|"([^"\\]*)")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The id of a JSON-RPC answer of which only the edges are known; undefined where they do not hold it. */
export function readMessageId({ start, end }: Pick<SkippedLine, 'start' | 'end'>): string | number | undefined {
  const found = ID_AT_START.exec(start.toString('utf8')) ?? ID_AT_END.exec(end.toString('utf8'));
  if (found === null) return undefined;
  return found[1] === undefined && !NUMERAL.test(found[2] ?? '') ? found[2] : Number(found[1] ?? found[2]);
}

/** Consoles of some platforms begin their output with it, and the first line is the answer that a connection begins with. */
const BYTE_ORDER_MARK = '\ufeff';

/** Notifications and requests that are read of one list of messages: no server has so many to say at once. */
const MOST_UNASKED = 200;

/**
 * The messages that a server sent as one: itself, or the members of a JSON-RPC batch. Answers are never left out; of one that is nested
 * too deeply only the id is read, and its caller gets a failure.
 *
 * @throws SyntaxError where the text is no JSON
 */
export function readMessages(marked: string): readonly JSONRPCMessage[] {
  const text = marked.startsWith(BYTE_ORDER_MARK) ? marked.slice(1) : marked;
  if (isTooDeep(text)) return refuseDeep(text);
  const value: unknown = JSON.parse(text);
  if (SUSPICIOUS.test(text)) keepExactNumbers(value, text);
  if (!Array.isArray(value)) return isJsonObject(value) ? [mendEnvelope(value) as unknown as JSONRPCMessage] : [];
  const messages = value.filter(isJsonObject).map(mendEnvelope);
  let unasked = 0;
  const read = messages.filter((message) => {
    if (message['method'] === undefined) return true;
    unasked += 1;
    return unasked <= MOST_UNASKED;
  });
  return read as unknown as readonly JSONRPCMessage[];
}

const NUMERAL = /^\d{1,15}$/;

/** An answer whose id was made a text, or that has a null beside its result or its error. All ids that the gateway sends are numbers. */
function mendEnvelope(message: JsonObject): JsonObject {
  const { id, result, error } = message;
  if (message['method'] !== undefined) return message;
  if (typeof id === 'string' && NUMERAL.test(id)) message['id'] = Number(id);
  if (error === null && result !== undefined) delete message['error'];
  if (error === null || error === undefined) return message;
  if (result === null) delete message['result'];
  if (!isJsonObject(error) || typeof error['message'] !== 'string') message['error'] = mendError(error);
  return message;
}

/** An error whose words are elsewhere than in a text called `message`. */
function mendError(error: unknown): JsonObject {
  const { message = error, ...rest } = isJsonObject(error) ? error : {};
  const words = isJsonObject(message) && typeof message['message'] === 'string' ? message['message'] : message;
  return { ...rest, message: typeof words === 'string' ? words : JSON.stringify(words) };
}

/** The result in an answer. Throws what the answer says of a failure. */
export function readResult({ result, error }: { readonly result?: unknown; readonly error?: unknown }): JsonObject {
  if (isJsonObject(error)) throw protocolError(error);
  if (!isJsonObject(result)) throw new UpstreamFault('malformed', describeNoResult(result));
  const answer = result['_meta'] === undefined ? result : withoutForgedMeta(result);
  if (isInputRequiredResult(answer))
    throw new UpstreamFault('input-required', 'it asks the client for input', { input: answer });
  if (!('resultType' in answer)) return answer;
  // `resultType: "complete"` belongs to the envelope of protocol 2026-07-28, not to the tool's result.
  const { resultType: _type, ...rest } = answer;
  return rest;
}

function describeNoResult(result: unknown): string {
  if (result === undefined) return 'its answer has neither result nor error';
  return `its result is no object but ${JSON.stringify(result).slice(0, 200)}`;
}

/** An error that names no request, or one that no client sends, is of the request on whose response it came. */
export function asAnswerTo(requestId: RequestId, message: JSONRPCResponse): JSONRPCResponse {
  const isOfNone = 'error' in message && typeof message.id !== 'number' && message.id !== requestId;
  return isOfNone ? { ...message, id: requestId } : message;
}

/** What a message has around what it carries: the result, a content block or structured content, and some for the batch. */
const ENVELOPE_LEVELS = 8;
const DEEPEST = MAX_ANSWER_DEPTH + ENVELOPE_LEVELS;

/** Whether a message is nested so deeply that what reads or writes it level by level would exhaust the stack. */
export function isTooDeep(text: string): boolean {
  // Each level takes two brackets: most texts are too short.
  return text.length > 2 * DEEPEST && isNestedDeeper(text, DEEPEST);
}

/** Why an answer that is too deep is none. */
export const TOO_DEEP = `the answer is nested more than ${MAX_ANSWER_DEPTH} levels deep: ask for a part of it`;

/** Characters of a deeply nested text that are parsed for the ids in it: a level costs the parser several times what a text does. */
const MOST_DEEP_PARSED = 65_536;

/** The caller of such an answer learns why there is none; nothing else of the message is read. */
function refuseDeep(text: string): readonly JSONRPCMessage[] {
  if (text.length <= MOST_DEEP_PARSED) {
    const value: unknown = JSON.parse(text);
    return [value].flat().flatMap((message) => (isAnswer(message) ? refuse(message['id']) : []));
  }
  const start = Buffer.from(text.slice(0, EDGE_BYTES));
  return refuse(readMessageId({ start, end: Buffer.from(text.slice(-EDGE_BYTES)) }));
}

function isAnswer(message: unknown): message is JsonObject {
  return isJsonObject(message) && message['method'] === undefined;
}

function refuse(id: unknown): readonly JSONRPCMessage[] {
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  return [{ jsonrpc: '2.0', id, error: { code: -32603, message: TOO_DEEP } }];
}

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

/** Stands for a text while what is around it is written: random, so that no caller can send it. */
const SLOT = randomBytes(16).toString('hex');
const NUMBERED_SLOT = new RegExp(`${SLOT}(\\d+)\\.`, 'g');

/** The JSON of a message, as JSON.stringify writes it. Long texts among the arguments of a call are put in as they are. */
export function writeMessage(message: JSONRPCMessage): WrittenMessage {
  const params: unknown = 'params' in message ? message.params : undefined;
  const args = isJsonObject(params) ? params['arguments'] : undefined;
  if (!isJsonObject(params) || !isJsonObject(args)) return JSON.stringify(message);
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
