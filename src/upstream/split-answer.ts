import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { readEmbeddedJson } from '../lib/embedded-json.js';
import { endOfString } from '../lib/json-literal.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { MAX_ANSWER_DEPTH } from '../protocol/limits.js';
import { lengthOf, type Pieces, slicePieces } from '../protocol/pieces.js';
import type { ToolCallResult } from '../protocol/result.js';
import { decodeText, WireAnswer } from '../protocol/wire-answer.js';
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

/**
 * An answer to `tools/call` whose only content is one long text, with that text left as it came. Its bytes come out of it only
 * through `release`, which looks for credentials.
 */
export class SplitAnswer {
  readonly id: unknown;
  readonly #message: JsonObject;
  readonly #result: JsonObject;
  readonly #text: Pieces;
  /** How many bytes the text takes, where it is JSON. */
  readonly #jsonBytes: number | undefined;

  constructor(message: JsonObject, result: JsonObject, text: Pieces, jsonBytes: number | undefined) {
    this.id = message['id'];
    this.#message = message;
    this.#result = result;
    this.#text = text;
    this.#jsonBytes = jsonBytes;
  }

  /** The whole message as a value, for whom it is not an answer to a call. */
  whole(): JSONRPCMessage {
    return { ...this.#message, result: this.wholeResult() } as unknown as JSONRPCMessage;
  }

  /** Its result as a value. */
  wholeResult(): ToolCallResult {
    return { ...this.#result, content: [{ type: 'text', text: decodeText(this.#text) }] };
  }

  /** The result without the gateway's own credentials. */
  release(credentials: OwnCredentials): ToolCallResult | WireAnswer {
    const { resultType: _resultType, ...whole } = this.#result;
    if (credentials.mayOccurIn(this.#text)) {
      return credentials.maskAll<ToolCallResult>({
        ...whole,
        content: [{ type: 'text', text: decodeText(this.#text) }],
      });
    }
    const { content: _content, isError: _isError, _meta: meta, ...members } = whole;
    return new WireAnswer({
      members: credentials.maskAll(members),
      meta: isJsonObject(meta) ? credentials.maskAll(meta) : undefined,
      text: this.#text,
      isJson: this.#jsonBytes !== undefined,
      dataBytes: this.#jsonBytes ?? lengthOf(this.#text) + QUOTES,
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
  if (end === undefined || bytes.length - end > MOST_AFTER) return undefined;
  if (!isUtf8(bytes.subarray(start, end))) return undefined;
  const message = parse(`${bytes.toString('utf8', 0, start)}${SLOT}${bytes.toString('utf8', end)}`);
  const result = isJsonObject(message) ? message['result'] : undefined;
  if (!isJsonObject(message) || !isJsonObject(result) || !isOnlySlot(result)) return undefined;
  return new SplitAnswer(message, result, slicePieces(pieces, start, end), json?.textBytes);
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
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON, or a text that was taken out of the middle of one: it is parsed whole.
    return undefined;
  }
}

/** Whether a result has succeeded and holds nothing but the text that was taken out. */
function isOnlySlot({
  content,
  structuredContent,
  isError = false,
  resultType = 'complete',
  _meta,
}: JsonObject): boolean {
  if (structuredContent !== undefined || isError !== false || resultType !== 'complete') return false;
  if (_meta !== undefined && !isJsonObject(_meta)) return false;
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block]: unknown[] = content;
  return isJsonObject(block) && block['type'] === 'text' && block['text'] === SLOT && Object.keys(block).length === 2;
}
