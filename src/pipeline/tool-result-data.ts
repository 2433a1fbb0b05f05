import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { ContentBlock, ToolCallResult } from '../protocol/result.js';

/** An upstream's result as the envelope's `data`, and what stays beside it. */
export interface ResultData {
  /** JSON text of `data`. */
  readonly dataText: string;
  /** Blocks that stay native, in order; in `data` they are referred to by their index in the MCP content array. */
  readonly blocks: readonly ContentBlock[];
}

/** Parsing and writing again would change these numbers: more digits than a double holds, or an exponent. */
const FRAGILE_NUMBER = /\d{16}|\d[eE][+-]?\d/;

/** The envelope itself is the first block of the MCP content array. */
const FIRST_NATIVE_INDEX = 1;

/**
 * What an upstream said, as data: its structured content, else its only JSON text, else its only text, else all blocks in
 * order. Nothing is dropped: a block that `data` does not hold whole follows natively.
 */
export function toResultData(result: ToolCallResult): ResultData {
  const content = Array.isArray(result.content) ? result.content.filter(isBlock) : [];
  if (result.structuredContent !== undefined) return fromStructured(result.structuredContent, content);
  const [only] = content;
  if (only === undefined) return { dataText: 'null', blocks: [] };
  if (content.length === 1 && isPlainText(only)) return { dataText: textAsJson(only.text), blocks: [] };
  return fromBlocks(content);
}

function isBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string';
}

/** A text block that holds its text and nothing else. */
function isPlainText(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  return block.type === 'text' && typeof block['text'] === 'string' && Object.keys(block).length === 2;
}

function fromStructured(structured: unknown, content: readonly ContentBlock[]): ResultData {
  const dataText = JSON.stringify(structured);
  return { dataText, blocks: content.filter((block) => !repeats(block, structured, dataText)) };
}

/**
 * Servers repeat their structured content as a text block for older clients; once is enough. Structured content must be an
 * object, so what is really a list or a text comes wrapped as its only member and unwrapped in the text.
 */
function repeats(block: ContentBlock, structured: unknown, dataText: string): boolean {
  if (!isPlainText(block)) return false;
  if (block.text === dataText) return true;
  const wrapped = onlyMember(structured);
  if (wrapped !== undefined && block.text === wrapped) return true;
  const parsed = parseContainer(block.text);
  return parsed !== undefined && (isDeepStrictEqual(parsed, structured) || isDeepStrictEqual(parsed, wrapped));
}

function onlyMember(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined;
  const members = Object.values(value);
  return members.length === 1 ? members[0] : undefined;
}

/** JSON text is embedded as JSON, any other text as a string. */
function textAsJson(text: string): string {
  const parsed = parseContainer(text);
  if (parsed === undefined) return JSON.stringify(text);
  // Laid out over lines it costs tokens, so it is written compactly, unless that could change a number.
  return text.includes('\n') && !FRAGILE_NUMBER.test(text) ? JSON.stringify(parsed) : text;
}

/** The object or array in a text. A bare number or word stays text: "007" and "1e3" are not numbers to their author. */
function parseContainer(text: string): unknown {
  const start = /^\s*[[{]/.test(text);
  if (!start) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Text that merely begins like JSON is text.
    return undefined;
  }
}

function fromBlocks(content: readonly ContentBlock[]): ResultData {
  const blocks: ContentBlock[] = [];
  const entries = content.map((block) => {
    if (block.type === 'text') return block;
    blocks.push(block);
    return referTo(block, blocks.length - 1 + FIRST_NATIVE_INDEX);
  });
  return { dataText: JSON.stringify({ content: entries }), blocks };
}

/** Where a native block stands, with the few facts that let a model decide whether to look. */
function referTo(block: ContentBlock, index: number): JsonObject {
  const resource = isJsonObject(block['resource']) ? block['resource'] : block;
  const facts = { mimeType: resource['mimeType'], uri: resource['uri'], name: block['name'] };
  return { type: block.type, ...facts, block: index };
}
