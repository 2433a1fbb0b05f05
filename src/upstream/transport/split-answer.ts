import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { type EmbeddedJson, readEmbeddedJson } from '../../base/json/embedded-json.js';
import { mayChangeNumbers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { endOfString } from '../../base/json/json-literal.js';
import { lengthOf, type Pieces, slicePieces } from '../../base/json/pieces.js';
import { isNestedDeeper } from '../../base/json/scan.js';
import { MAX_ANSWER_DEPTH } from '../../base/protocol/limits.js';
import { withoutForgedMeta } from '../../base/protocol/mend-result.js';
import type { ToolCallResult } from '../../base/protocol/result.js';
import { decodeText, WireAnswer } from '../../base/protocol/wire-answer.js';
import type { OwnCredentials } from './own-credentials.js';

/** Shorter messages are parsed, which costs less than looking for their text. */
export const LEAST_SPLIT_BYTES = 8 * 1024;
/** The text begins within these bytes; what stands around it is parsed. */
const MOST_BEFORE = 4 * 1024;
const MOST_AFTER = 64 * 1024;
const TEXT_MEMBER = /"text"\s*:\s*"/;
const SCRATCH_BYTES = 256 * 1024;
/** The bytes that a string takes beside its content. */
const QUOTES = 2;
/** Stands for the text while what is around it is parsed: random, so that no server can write it. */
const SLOT = randomBytes(16).toString('hex');

/** The text of an answer as it came, and what the answer says with it. */
interface SplitText {
  readonly text: Pieces;
  /** The content of a JSON string as which the data go out: the text, or the structured content that repeats it. */
  readonly data: Pieces;
  /** How many bytes the data take, where they are JSON. */
  readonly jsonBytes: number | undefined;
  readonly isStructured: boolean;
}

/**
 * An answer to `tools/call` whose only content is one long text, with that text left as it came. Structured content may stand
 * beside it that says the same. Its bytes come out of it only through `release`, which looks for credentials.
 */
export class SplitAnswer {
  readonly id: unknown;
  readonly #message: JsonObject;
  readonly #result: JsonObject;
  readonly #split: SplitText;

  constructor(message: JsonObject, { structuredContent: _slot, ...result }: JsonObject, split: SplitText) {
    this.id = message['id'];
    this.#message = message;
    this.#result = withoutForgedMeta(result);
    this.#split = split;
  }

  /** The whole message as a value, for whom it is not an answer to a call. */
  whole(): JSONRPCMessage {
    return { ...this.#message, result: this.wholeResult() } as unknown as JSONRPCMessage;
  }

  /** Its result as a value. */
  wholeResult(): ToolCallResult {
    const { text, data, isStructured } = this.#split;
    const content = [{ type: 'text', text: decodeText(text) }];
    return { ...this.#result, content, ...(isStructured && { structuredContent: JSON.parse(decodeText(data)) }) };
  }

  /** The result without the gateway's own credentials. */
  release(credentials: OwnCredentials): ToolCallResult | WireAnswer {
    const { text, data, jsonBytes, isStructured } = this.#split;
    if (credentials.mayOccurIn(data)) {
      const { resultType: _resultType, ...whole } = this.wholeResult();
      return credentials.maskAll<ToolCallResult>(whole);
    }
    const { content: _content, isError: _isError, resultType: _resultType, _meta: meta, ...members } = this.#result;
    return new WireAnswer({
      members: credentials.maskAll(members),
      meta: isJsonObject(meta) ? credentials.maskAll(meta) : undefined,
      text: data,
      isJson: jsonBytes !== undefined,
      dataBytes: jsonBytes ?? lengthOf(data) + QUOTES,
      block: isStructured ? text : undefined,
    });
  }
}

/**
 * Takes the text out of an answer that consists of one. Undefined for every other message, which is to be parsed, and for
 * texts whose bytes are not valid, or spelled in an unusual way.
 */
export function splitAnswer(pieces: Pieces): SplitAnswer | undefined {
  const length = lengthOf(pieces);
  if (length < LEAST_SPLIT_BYTES) return undefined;
  const bytes = layOut(pieces, length);
  const found = TEXT_MEMBER.exec(bytes.toString('latin1', 0, MOST_BEFORE));
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const json = readEmbeddedJson(bytes, start, MAX_ANSWER_DEPTH);
  const end = json?.end ?? endOfString(bytes, start);
  if (end === undefined) return undefined;
  const repetition = json && findRepetition(bytes, start, json);
  if (bytes.length - (repetition?.end ?? end) > MOST_AFTER) return undefined;
  if (!isUtf8(bytes.subarray(start, end))) return undefined;
  const after =
    repetition === undefined
      ? bytes.toString('utf8', end)
      : `${bytes.toString('utf8', end, repetition.start)}"${SLOT}"${bytes.toString('utf8', repetition.end)}`;
  const message = parse(`${bytes.toString('utf8', 0, start)}${SLOT}${after}`);
  const result = isJsonObject(message) ? message['result'] : undefined;
  if (!isJsonObject(message) || !isJsonObject(result) || !isOnlySlot(result)) return undefined;
  const text = slicePieces(pieces, start, end);
  const isStructured = result['structuredContent'] === SLOT;
  // What looked like structured content stood elsewhere.
  if (isStructured !== (repetition !== undefined)) return undefined;
  if (json === undefined || repetition === undefined || repetition.name === '')
    return new SplitAnswer(message, result, { text, data: text, jsonBytes: json?.textBytes, isStructured });
  const data = [escaped(repetition.name), ...text, escaped(MEMBER_END)];
  const jsonBytes = json.textBytes + repetition.name.length + MEMBER_END.length;
  return new SplitAnswer(message, result, { text, data, jsonBytes, isStructured });
}

/** Structured content that repeats the text before it. */
interface Repetition {
  readonly start: number;
  readonly end: number;
  /** Where the text is its only member: what stands before it there. Else empty. */
  readonly name: string;
}

/** How far behind the text structured content may begin. */
const MOST_BETWEEN = 512;
const STRUCTURED_MEMBER = /"structuredContent"\s*:\s*/;
/** A list must be a member of structured content, which is an object. Most names need no escapes. */
const ONLY_MEMBER = /^\{"[ !#-[\]-~]{1,100}":[ ]?/;
const MEMBER_END = '}';

/**
 * Finds structured content that consists of the same bytes as the text, which is JSON, or of one member that does. So the
 * answer need not be parsed to know that it says one thing twice. A character is a byte here: where the text is spelled with
 * escapes of characters (`\u00e9`), bytes do not tell.
 */
function findRepetition(
  bytes: Buffer,
  start: number,
  { end, textBytes, levels }: EmbeddedJson,
): Repetition | undefined {
  const found = STRUCTURED_MEMBER.exec(bytes.toString('latin1', end, end + MOST_BETWEEN));
  if (found === null) return undefined;
  const from = end + found.index + found[0].length;
  const name = ONLY_MEMBER.exec(bytes.toString('latin1', from, from + MOST_BETWEEN))?.[0] ?? '';
  const written = bytes.toString('latin1', start, end);
  if (written.includes('\\u')) return undefined;
  const text = JSON.parse(`"${written}"`) as string;
  const repeats = (at: number): boolean => bytes.toString('latin1', at, at + textBytes) === text;
  if (repeats(from)) return { start: from, end: from + textBytes, name: '' };
  const last = from + name.length + textBytes;
  if (name === '' || levels >= MAX_ANSWER_DEPTH || bytes[last] !== CLOSE_OBJECT) return undefined;
  return repeats(from + name.length) ? { start: from, end: last + MEMBER_END.length, name } : undefined;
}

const CLOSE_OBJECT = 0x7d;

function escaped(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}

/** Where pieces are laid out to be read: used again for each message, and by nothing that goes on after `splitAnswer`. */
let scratch = Buffer.alloc(0);

function layOut(pieces: Pieces, length: number): Buffer {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.max(length, SCRATCH_BYTES));
  let at = 0;
  for (const piece of pieces) at += piece.copy(scratch, at);
  return scratch.subarray(0, length);
}

function parse(text: string): unknown {
  // What is around the text may be nested too deeply; the message is then read, and refused, as a whole. Or hold numbers that are kept there.
  if (isNestedDeeper(text, MAX_ANSWER_DEPTH) || mayChangeNumbers(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON, or a text that was taken out of the middle of one: it is parsed whole.
    return undefined;
  }
}

/** Whether a result has succeeded and holds nothing but the text that was taken out, and structured content that was. */
function isOnlySlot({
  content,
  structuredContent,
  isError = false,
  resultType = 'complete',
  _meta,
}: JsonObject): boolean {
  if ((structuredContent !== undefined && structuredContent !== SLOT) || isError !== false || resultType !== 'complete')
    return false;
  if (_meta !== undefined && !isJsonObject(_meta)) return false;
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block]: unknown[] = content;
  return isJsonObject(block) && block['type'] === 'text' && block['text'] === SLOT && Object.keys(block).length === 2;
}
