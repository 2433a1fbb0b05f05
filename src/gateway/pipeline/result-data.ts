import { isDeepStrictEqual } from 'node:util';
import { parseExact, writeExact } from '../../base/json/exact-numbers.js';
import { EXACT_TEXTS, exactTextOf } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isNestedDeeper } from '../../base/json/scan.js';
import { LARGE_BYTES } from '../../base/protocol/large-answer.js';
import { MAX_ANSWER_DEPTH } from '../../base/protocol/limits.js';
import { binaryOf, mendBlocks } from '../../base/protocol/mend-result.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ContentBlock, ToolCallResult } from '../../base/protocol/result.js';
import { hasTokens } from '../../results/stored/fit-tokens.js';

/** An upstream's result as the envelope's `data`, with the blocks that stay native. */
export interface ResultData {
  /** JSON text of `data`. */
  readonly dataText: string;
  /** The same as a value, where it is already parsed and exact to the last digit. */
  readonly value?: unknown;
  /** Whether it is structured content. */
  readonly isStructured?: true;
  /** Blocks that stay native, in order; in `data` they are referred to by their index in the MCP content array. */
  readonly blocks: readonly ContentBlock[];
}

/** Parsing and writing again would change these numbers: more digits than a double holds, or an exponent. */
const FRAGILE_NUMBER = /\d{16}|[\d.]{17}|\d[eE][+-]?\d/;

/** The envelope itself is the first block of the MCP content array. */
const FIRST_NATIVE_INDEX = 1;

/**
 * An upstream's result as data: its structured content, else its only JSON text, else its only text, else all blocks in
 * order. Nothing is dropped: a block that `data` does not contain whole follows as a native block.
 * @param maxTokens texts of native blocks beyond so many are data, which are sent in parts; 0 for any number
 * @param isAsked whether something is asked of the structured content, which then is all that counts
 */
export function toResultData(given: ToolCallResult, maxTokens = 0, isAsked = false): ResultData {
  const result = given.toolResult === undefined ? given : readOlder(given);
  const structured = result.structuredContent ?? undefined;
  const text = onlyText(result.content);
  if (structured === undefined && text !== undefined) return textAsJson(text);
  const exact = EXACT_TEXTS in result ? exactTextOf(result, 'structuredContent') : undefined;
  const dataText = structured === undefined ? undefined : writeStructured(structured, exact);
  if (exact === undefined && text !== undefined && dataText !== undefined && tellsAgain(text, structured, dataText))
    return { dataText, value: structured, isStructured: true, blocks: NO_BLOCKS };
  const content = mendBlocks(result.content);
  if (structured !== undefined) {
    if (dataText !== undefined) {
      const data = fromStructured(structured, dataText, content);
      if (!isAsked && !hasTextsOf(data.blocks, maxTokens))
        return fromLongBlocks(data.blocks, `"structuredContent":${dataText},`);
      return referToBinaries(exact === undefined ? data : { ...data, value: undefined }, result.content);
    }
    if (content.length === 0) throw nestedTooDeeply();
  }
  const [only] = content;
  if (only === undefined) return { dataText: 'null', blocks: [] };
  if (content.length === 1 && isPlainText(only)) return textAsJson(only.text);
  // Texts are data anyhow.
  const native = content.filter(({ type }) => type !== 'text');
  if (!hasTextsOf(native, maxTokens)) return fromLongBlocks(content);
  return referToBinaries(fromBlocks(content), result.content);
}

/** Results of revision 2024-10-07 have one member for everything. */
function readOlder(result: ToolCallResult): ToolCallResult {
  const { toolResult, ...rest } = result;
  if (result.content !== undefined || (result.structuredContent ?? null) !== null) return result;
  const content = [{ type: 'text', text: typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult) }];
  return { ...rest, content };
}

/** Shorter base64 may be any word. */
const LEAST_BINARY = 64;

/** Each picture, sound or file once: where the data, or a text in them, hold what a block beside them holds too, they refer to the block. */
function referToBinaries(data: ResultData, sent: unknown): ResultData {
  let { dataText, blocks } = data;
  for (const [index, block] of data.blocks.entries()) {
    const binary = binaryOf(block);
    if (binary === undefined || binary.length < LEAST_BINARY) continue;
    const reference = referTo(block, index + FIRST_NATIVE_INDEX);
    const inText = `[block ${index + FIRST_NATIVE_INDEX}]`;
    for (const literal of literalsOf(binary, sent)) {
      dataText = dataText.replaceAll(`"${literal}"`, JSON.stringify(reference)).replaceAll(literal, inText);
      blocks = blocks.map((each) =>
        isPlainText(each) && each.text.includes(literal)
          ? { ...each, text: each.text.replaceAll(literal, inText) }
          : each,
      );
    }
  }
  const { value: _whole, ...rest } = data;
  return { ...(dataText === data.dataText ? data : { ...rest, dataText }), blocks };
}

/** How a block's base64 may stand in JSON: as it is shown, and as its server wrote it. */
function literalsOf(binary: string, sent: unknown): readonly string[] {
  const written = (Array.isArray(sent) ? sent.filter(isBlock) : []).flatMap((block) => binaryOf(block) ?? []);
  const same = written.filter(
    (each) => each !== binary && mendBlocks([{ type: 'image', data: each }])[0]?.['data'] === binary,
  );
  return [...same.map((each) => JSON.stringify(each).slice(1, -1)), binary];
}

/** The text of content that is one plain text and nothing else, as most is. */
function onlyText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [only]: unknown[] = content;
  return isJsonObject(only) && isPlainText(only) ? only.text : undefined;
}

/** Whether the only text of an answer is its structured content, or a text in that, as most servers have it for older clients. */
function tellsAgain(text: string, structured: unknown, dataText: string): boolean {
  return isJsonObject(structured) && (text === dataText || Object.values(structured).includes(text));
}

function isBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string';
}

/** Members of a block that say for whom it is and nothing of what it holds. */
const ABOUT_BLOCK = new Set(['type', 'text', 'annotations', '_meta']);

/** A text block that holds nothing but its text, whatever its annotations say. */
function holdsTextAlone(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  const isText = block.type === 'text' && typeof block['text'] === 'string';
  return isText && Object.keys(block).every((key) => ABOUT_BLOCK.has(key));
}

/** A text block with no member besides its text. */
function isPlainText(block: JsonObject): block is ContentBlock & { readonly text: string } {
  return block['type'] === 'text' && typeof block['text'] === 'string' && Object.keys(block).length === 2;
}

/** The JSON of structured content; undefined where it is nested too deeply for those who read the answer. @param exact as it came, where a double would change its numbers */
function writeStructured(structured: unknown, exact: string | undefined): string | undefined {
  try {
    const text = exact ?? JSON.stringify(structured);
    return isTooDeep(text) ? undefined : text;
  } catch (thrown) {
    // Nested deeper than the stack.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Each level takes two brackets: most texts are too short to be nested too deeply. */
function isTooDeep(text: string): boolean {
  return text.length > 2 * MAX_ANSWER_DEPTH && isNestedDeeper(text, MAX_ANSWER_DEPTH);
}

function nestedTooDeeply(): OperationError {
  const message = `Internal error: 'the upstream's answer is nested more than ${MAX_ANSWER_DEPTH} levels deep'. Ask for a part of it`;
  return new OperationError('INTERNAL_ERROR', message, { reason: 'nested_too_deeply', limit: MAX_ANSWER_DEPTH });
}

function fromStructured(structured: unknown, dataText: string, content: readonly ContentBlock[]): ResultData {
  if (repeatsItems(structured, content)) return { dataText, value: structured, isStructured: true, blocks: [] };
  const repeats = createRepetitionTest(structured, dataText);
  const retells = createRetellingTest(dataText);
  const blocks = content.filter((block) => !(holdsTextAlone(block) && (repeats(block.text) || retells(block.text))));
  return { dataText, value: structured, isStructured: true, blocks };
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
  return (text) => texts.has(text) || sameJson(bareJson(text), candidates) || repeatsMember(text, members, dataText);
}

/** Shorter texts cost little, and may say something with words that the data have, too. */
const LEAST_RETOLD = 500;
/** Words that only a text for people has: `Page`, `Title`. */
const MOST_LABELS = 5;

/** Whether a long text tells the structured content in another layout: it has no number and next to no word of its own. */
function createRetellingTest(dataText: string): (text: string) => boolean {
  let known: ReadonlySet<string> | undefined;
  return (text) => {
    if (text.length < LEAST_RETOLD || Math.max(text.length, dataText.length) > LONGEST_COMPARED) return false;
    // An escaped line end would be the first letter of a word.
    known ??= new Set(wordsIn(dataText.replace(/\\[nrt]/g, ' ')));
    const own = new Set<string>();
    for (const word of wordsIn(text)) {
      if (known.has(word)) continue;
      own.add(word);
      if (own.size > MOST_LABELS || /\d/.test(word)) return false;
    }
    return true;
  };
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a text is the JSON of one member among others: what a person reads of a configuration beside hints for programs. */
function repeatsMember(text: string, members: readonly (readonly [string, unknown])[], dataText: string): boolean {
  const containers = members.filter(([, value]) => typeof value === 'object' && value !== null);
  const bare = bareJson(text);
  const isShort = Math.max(dataText.length, text.length) <= LONGEST_COMPARED && containers.length <= MOST_COMPARED;
  if (members.length < 2 || !isShort || !/^\s*[[{]/.test(bare)) return false;
  return sameJson(
    bare,
    containers.map(([, value]) => ({ value, json: JSON.stringify(value) })),
  );
}

/** Members of which each may be what a text repeats. */
const MOST_COMPARED = 20;

/** Whether the blocks are the items of the only list of structured content, one text each: how some libraries send a list. */
function repeatsItems(structured: unknown, content: readonly ContentBlock[]): boolean {
  const members = isJsonObject(structured) ? Object.values(structured) : [];
  const [items] = members;
  if (members.length !== 1 || !Array.isArray(items) || items.length !== content.length || items.length === 0)
    return false;
  return content.every((block, index) => {
    const item: unknown = items[index];
    if (!holdsTextAlone(block)) return false;
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
  const parsed = parseContainer(text, parseExact);
  if (parsed === undefined) return false;
  const written = writeExact(parsed);
  return candidates.some(
    // A deep comparison costs many times more than serialising, and texts of different length cannot be equal.
    ({ value, json }) =>
      json.length === written.length &&
      (json === written || (json.length <= LONGEST_COMPARED && isDeepStrictEqual(value, parsed))),
  );
}

/** JSON text is embedded as JSON, any other text as a string. */
function textAsJson(text: string): ResultData {
  const isFragile = FRAGILE_NUMBER.test(text);
  // Of a long text one set of values is enough.
  const readsExactly = isFragile && text.length > LARGE_BYTES;
  const parsed = parseContainer(text, readsExactly ? parseExact : JSON.parse);
  if (parsed === undefined) return { dataText: JSON.stringify(text), value: text, blocks: NO_BLOCKS };
  if (isFragile) return { dataText: text, ...(readsExactly && { value: parsed }), blocks: NO_BLOCKS };
  // JSON over several lines costs tokens, so it is written compactly, unless that could change a number.
  return { dataText: text.includes('\n') ? JSON.stringify(parsed) : text, value: parsed, blocks: NO_BLOCKS };
}

const NO_BLOCKS: readonly ContentBlock[] = [];

/** The object or array in a text; undefined where it is nested too deeply, so that it stays text. A bare number or word stays text: the author of "007" or "1e3" may not mean a number. */
function parseContainer(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const start = /^\s*[[{]/.test(text);
  if (!start || isTooDeep(text)) return undefined;
  try {
    return parse(text);
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
  const value = { content: entries };
  // What refers to a block may have members that are not written.
  return { dataText: JSON.stringify(value), ...(blocks.length === 0 && { value }), blocks };
}

/** Whether the texts of blocks have so many tokens at most. */
function hasTextsOf(blocks: readonly ContentBlock[], maxTokens: number): boolean {
  return blocks.length === 0 || hasTokens(blocks.map((block) => textOf(block) ?? '').join('\n'), maxTokens);
}

function textOf({ text, resource }: ContentBlock): string | undefined {
  const held = isJsonObject(resource) ? resource['text'] : text;
  return typeof held === 'string' ? held : undefined;
}

/** All that is text, resources too, as data; other blocks stay native. */
function fromLongBlocks(content: readonly ContentBlock[], before = ''): ResultData {
  const blocks = content.filter((block) => textOf(block) === undefined);
  const entries = content.map((block) =>
    textOf(block) === undefined ? referTo(block, blocks.indexOf(block) + FIRST_NATIVE_INDEX) : block,
  );
  return { dataText: `{${before}"content":${JSON.stringify(entries)}}`, blocks };
}

/** The position of a native block, with the facts that let a model decide whether to read it. */
function referTo(block: ContentBlock, index: number): JsonObject {
  const resource = isJsonObject(block['resource']) ? block['resource'] : block;
  const facts = { mimeType: resource['mimeType'], uri: resource['uri'], name: block['name'] };
  return { type: block.type, ...facts, block: index };
}
