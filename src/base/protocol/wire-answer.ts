import type { JsonObject } from '../json/json.js';
import { copyPieces, joinPieces, type Pieces } from '../json/pieces.js';
import { estimateTokens, mayHaveTokens } from '../lib/token-estimate.js';
import type { ToolCallResult } from './result.js';

/** What such an answer consists of, as plain data. */
export interface WireAnswerParts {
  /** The result without its content and its `_meta`. */
  readonly members: JsonObject;
  readonly meta: JsonObject | undefined;
  /** The content of the JSON string that is the result's only text, as it came: well formed, in UTF-8, without credentials. */
  readonly text: Pieces;
  /** Whether the text is one JSON object or array on one line. */
  readonly isJson: boolean;
  /** How many bytes the text takes as JSON: as it is, or as a string. */
  readonly dataBytes: number;
  /** The text block, where `text` is the structured content beside it. */
  readonly block?: Pieces | undefined;
}

/**
 * A successful tool result whose only content is a text, as bytes that have been checked and can be passed on without being
 * decoded. Whatever has to look into it reads it as a value, which costs a parse the first time.
 */
export class WireAnswer {
  readonly meta: JsonObject | undefined;
  /** As in `WireAnswerParts`. */
  readonly members: JsonObject;
  readonly text: Pieces;
  readonly isJson: boolean;
  readonly dataBytes: number;
  readonly block: Pieces | undefined;
  readonly isError = false;
  #result: ToolCallResult | undefined;

  constructor({ members, meta, text, isJson, dataBytes, block }: WireAnswerParts) {
    this.members = members;
    this.meta = meta;
    this.text = text;
    this.isJson = isJson;
    this.dataBytes = dataBytes;
    this.block = block;
  }

  /** The same result as a value. */
  read(): ToolCallResult {
    this.#result ??= {
      ...this.members,
      content: [{ type: 'text', text: decodeText(this.text) }],
      ...(this.meta === undefined ? {} : { _meta: this.meta }),
    };
    return this.#result;
  }

  /** Whether its JSON has so many tokens at most, by estimate; 0 for any number. */
  hasTokens(most: number): boolean {
    if (most === 0 || this.dataBytes <= most / 3) return true;
    if (!mayHaveTokens(this.dataBytes, most)) return false;
    const written = this.isJson ? decodeText(this.text) : joinPieces(this.text).toString();
    return estimateTokens(written, most) <= most;
  }

  withMeta(meta: JsonObject): WireAnswer {
    return new WireAnswer({ ...this, meta: { ...this.meta, ...meta } });
  }

  /** The same with bytes of its own, so that what is kept does not hold on to the whole message. */
  copy(): WireAnswer {
    const { block } = this;
    return new WireAnswer({ ...this, text: [copyPieces(this.text)], block: block && [copyPieces(block)] });
  }

  /** The same for another thread, with bytes of its own, but for the block that says the same as its text. */
  parts(): WireAnswerParts {
    const { members, meta, text, isJson, dataBytes } = this;
    return { members, meta, text: [copyPieces(text)], isJson, dataBytes };
  }
}

/** Of a longer text no more is spelled out beside the text itself. */
const PART_BYTES = 1024 * 1024;
const BACKSLASH = 0x5c;

/** The text that a JSON string holds. @param content what stands between its quotes */
export function decodeText(content: Pieces): string {
  const bytes = joinPieces(content);
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const end = endOfPart(bytes, at + PART_BYTES);
    text += JSON.parse(`"${bytes.toString('utf8', at, end)}"`) as string;
    at = end;
  }
  return text;
}

/** The end of a part that cuts neither a character nor an escape. */
function endOfPart(bytes: Buffer, most: number): number {
  if (most >= bytes.length) return bytes.length;
  let end = most;
  while (isContinuation(bytes[end]) && most - end < LONGEST_CHARACTER) end -= 1;
  const before = bytes.subarray(end - LONGEST_ESCAPE + 1, end).lastIndexOf(BACKSLASH);
  if (before < 0) return end;
  const begun = end - LONGEST_ESCAPE + 1 + before;
  let slashes = 1;
  while (bytes[begun - slashes] === BACKSLASH) slashes += 1;
  // An even number of them are escapes of themselves.
  return slashes % 2 === 0 ? end : begun;
}

/** A backslash, `u` and four digits. */
const LONGEST_ESCAPE = 6;

const LONGEST_CHARACTER = 4;

/** Bytes of a character behind its first one, in UTF-8. */
function isContinuation(byte = 0): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** A tool's result as a value, however it is held. */
export function readToolResult(result: ToolCallResult | WireAnswer): ToolCallResult {
  return result instanceof WireAnswer ? result.read() : result;
}
