import { isDeepStrictEqual } from 'node:util';
import { isNestedDeeper } from '../lib/json-depth.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { MAX_ANSWER_DEPTH } from '../protocol/limits.js';
import { OperationError } from '../protocol/operation-error.js';
import type { ContentBlock, ToolCallResult } from '../protocol/result.js';

/** An upstream's result as the envelope's `data`, with the blocks that stay native. */
interface ResultData {
  /** JSON text of `data`. */
  readonly dataText: string;
  /** The same as a value, where it is already parsed and exact to the last digit. */
  readonly value?: unknown;
  /** Blocks that stay native, in order; in `data` they are referred to by their index in the MCP content array. */
  readonly blocks: readonly ContentBlock[];
}

/** Parsing and writing again would change these numbers: more digits than a double holds, or an exponent. */
const FRAGILE_NUMBER = /\d{16}|\d[eE][+-]?\d/;

/** The envelope itself is the first block of the MCP content array. */
const FIRST_NATIVE_INDEX = 1;

/**
 * An upstream's result as data: its structured content, else its only JSON text, else its only text, else all blocks in
 * order. Nothing is dropped: a block that `data` does not contain whole follows as a native block.
 */
export function toResultData(result: ToolCallResult): ResultData {
  const content = Array.isArray(result.content) ? result.content.filter(isBlock) : [];
  if (result.structuredContent !== undefined) {
    const dataText = writeStructured(result.structuredContent);
    if (dataText !== undefined) return fromStructured(result.structuredContent, dataText, content);
    if (content.length === 0) throw nestedTooDeeply();
  }
  const [only] = content;
  if (only === undefined) return { dataText: 'null', blocks: [] };
  if (content.length === 1 && isPlainText(only)) return { ...textAsJson(only.text), blocks: [] };
  return fromBlocks(content);
}

function isBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string';
}

/** A text block with no member besides its text. */
function isPlainText(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  return block.type === 'text' && typeof block['text'] === 'string' && Object.keys(block).length === 2;
}

/** The JSON of structured content; undefined where it is nested too deeply for those who read the answer. */
function writeStructured(structured: unknown): string | undefined {
  try {
    const text = JSON.stringify(structured);
    return isNestedDeeper(text, MAX_ANSWER_DEPTH) ? undefined : text;
  } catch (thrown) {
    // Nested deeper than the stack.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function nestedTooDeeply(): OperationError {
  const message = `Internal error: 'the upstream's answer is nested more than ${MAX_ANSWER_DEPTH} levels deep'. Ask for a part of it`;
  return new OperationError('INTERNAL_ERROR', message, { reason: 'nested_too_deeply', limit: MAX_ANSWER_DEPTH });
}

function fromStructured(structured: unknown, dataText: string, content: readonly ContentBlock[]): ResultData {
  if (repeatsItems(structured, content)) return { dataText, value: structured, blocks: [] };
  const repeats = createRepetitionTest(structured, dataText);
  const blocks = content.filter((block) => !(isPlainText(block) && repeats(block.text)));
  return { dataText, value: structured, blocks };
}

/**
 * Servers repeat their structured content as a text block for older clients; the repetition is left out. Structured content
 * must be an object, so a server may wrap a list or a text as a member and send it unwrapped in the text block.
 */
function createRepetitionTest(structured: unknown, dataText: string): (text: string) => boolean {
  const members = isJsonObject(structured) ? Object.entries(structured) : [];
  const [only] = members.length === 1 ? members : [];
  const candidates = [{ value: structured, json: dataText }];
  const texts = new Set(members.map(([, value]) => value).filter((value) => typeof value === 'string'));
  if (only !== undefined) {
    const [key, value] = only;
    // `{"key":VALUE}`: the member's own JSON is a piece of what is written already.
    candidates.push({ value, json: dataText.slice(JSON.stringify(key).length + 2, -1) });
  }
  return (text) => texts.has(text) || sameJson(bareJson(text), candidates);
}

/** Whether the blocks are the items of the only list of structured content, one text each: how some libraries send a list. */
function repeatsItems(structured: unknown, content: readonly ContentBlock[]): boolean {
  const members = isJsonObject(structured) ? Object.values(structured) : [];
  const [items] = members;
  if (members.length !== 1 || !Array.isArray(items) || items.length !== content.length || items.length === 0)
    return false;
  return content.every((block, index) => {
    const item: unknown = items[index];
    if (!isPlainText(block)) return false;
    return block.text === item || sameJson(block.text, [{ value: item, json: JSON.stringify(item) ?? '' }]);
  });
}

/** One line that announces the JSON after it: `Current configuration:`. */
const HEADING = /^[^\n{[`]{1,100}:\s*(?=[{[`])/;

const FENCED = /^```(?:json)?[ \t]*\n([^`]*)\n```\s*$/;

function bareJson(text: string): string {
  const bare = text.replace(HEADING, '');
  return FENCED.exec(bare)?.[1] ?? bare;
}

/** Longer JSON whose members have another order counts as something else: comparing a megabyte would hold up other calls. */
const LONGEST_COMPARED = 100_000;

/** Whether a text is the JSON of one of the candidates, in any layout and with its members in any order. */
function sameJson(text: string, candidates: readonly { readonly value: unknown; readonly json: string }[]): boolean {
  if (candidates.some(({ json }) => json === text)) return true;
  const parsed = parseContainer(text);
  if (parsed === undefined) return false;
  const written = JSON.stringify(parsed);
  return candidates.some(
    // A deep comparison costs many times more than serialising, and texts of different length cannot be equal.
    ({ value, json }) =>
      json.length === written.length &&
      (json === written || (json.length <= LONGEST_COMPARED && isDeepStrictEqual(value, parsed))),
  );
}

/** JSON text is embedded as JSON, any other text as a string. */
function textAsJson(text: string): Pick<ResultData, 'dataText' | 'value'> {
  const parsed = parseContainer(text);
  if (parsed === undefined) return { dataText: JSON.stringify(text), value: text };
  if (FRAGILE_NUMBER.test(text)) return { dataText: text };
  // JSON over several lines costs tokens, so it is written compactly, unless that could change a number.
  return { dataText: text.includes('\n') ? JSON.stringify(parsed) : text, value: parsed };
}

/** The object or array in a text; undefined where it is nested too deeply, so that it stays text. A bare number or word stays text: the author of "007" or "1e3" may not mean a number. */
function parseContainer(text: string): unknown {
  const start = /^\s*[[{]/.test(text);
  if (!start || isNestedDeeper(text, MAX_ANSWER_DEPTH)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Text that only begins like JSON stays text.
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

/** The position of a native block, with the facts that let a model decide whether to read it. */
function referTo(block: ContentBlock, index: number): JsonObject {
  const resource = isJsonObject(block['resource']) ? block['resource'] : block;
  const facts = { mimeType: resource['mimeType'], uri: resource['uri'], name: block['name'] };
  return { type: block.type, ...facts, block: index };
}
