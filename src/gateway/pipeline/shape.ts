import { isDeepStrictEqual } from 'node:util';
import { parseExact } from '../../base/json/exact-numbers.js';
import { EXACT_TEXTS, exactTextOf } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isNestedDeeper } from '../../base/json/scan.js';
import { escapeAgain } from '../../base/json/json-literal.js';
import { measureJson } from '../../base/json/measure.js';
import type { HandlerOutcome } from '../../base/protocol/call.js';
import type { InputRequired } from '../../base/protocol/consent.js';
import { isQuestionCode } from '../../base/protocol/error-table.js';
import { LARGE_BYTES } from '../../base/protocol/large-answer.js';
import { MAX_ANSWER_DEPTH, type PayloadLimits, payloadTooLarge } from '../../base/protocol/limits.js';
import { binaryOf, mendBlocks } from '../../base/protocol/mend-blocks.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import {
  type ContentBlock,
  RESOURCE_VERSION,
  type Reply,
  type ToolCallResult,
  type Warning,
} from '../../base/protocol/result.js';
import { decodeText, WireAnswer } from '../../base/protocol/wire-answer.js';
import type { ReadData } from '../../results/query/result-types.js';
import { hasTokens } from '../../results/stored/fit-tokens.js';

/** A UTF-8 text is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/** What a built-in operation gave. */
type OwnOutcome = Exclude<HandlerOutcome, { readonly toolResult: unknown } | { readonly native: unknown }>;

/** Writes what a built-in operation gave as the specification's envelope. Here and below, an answer that exceeds the limit is refused. */
export function shapeOwn(outcome: OwnOutcome, limits: PayloadLimits): Reply {
  if ('dataText' in outcome) return limited(envelope(outcome.dataText), limits);
  const { data = null, warnings = [], meta, hint } = outcome;
  const blocks = hint === undefined ? [] : [{ type: 'text', text: hint }];
  return limited(envelope(JSON.stringify(data), blocks, warnings, meta), limits);
}

/** Characters from which on reading an answer takes milliseconds, and so does all that follows. */
export const LARGE_TEXT = 64 * 1024;

/** Characters of an answer's texts and, no further than to where it is large, of its data: an estimate, which costs little. */
export function charactersOf(result: ToolCallResult | WireAnswer): number {
  if (result instanceof WireAnswer) return result.dataBytes;
  const { content, structuredContent } = result;
  const structured = structuredContent === undefined ? 0 : charactersOfData(structuredContent);
  if (!Array.isArray(content)) return structured;
  const texts = content.map((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : ''));
  return texts.reduce((sum, { length }) => sum + length, structured + content.length * BLOCK_CHARACTERS);
}

/** Data that are texts alone, as of most tools that read one thing, need no walk. */
function charactersOfData(data: unknown): number {
  if (!isJsonObject(data)) return measureJson(data, LARGE_TEXT);
  let length = 0;
  for (const value of Object.values(data)) {
    if (typeof value !== 'string') return measureJson(data, LARGE_TEXT);
    length += value.length;
  }
  return length;
}

/** The members around the text of a block. */
const BLOCK_CHARACTERS = 25;

/** Writes an answer from the result store. */
export function shapeStored({ dataText, warnings }: ReadData, limits: PayloadLimits): Reply {
  return limited(envelope(dataText, [], warnings), limits);
}

/** Writes a tool's own failure. Its images and resources are part of the answer. */
export function shapeFailedTool(
  error: OperationError,
  operation: Operation,
  result: ToolCallResult,
  limits: PayloadLimits,
): Reply {
  return limited({ ...shapeFailure(error, operation), blocks: nativeBlocks(result), ...passThrough(result) }, limits);
}

/**
 * Writes an upstream's result.
 * @param data of the result, and its blocks that the data do not hold
 * @param read what the caller gets of the data
 */
export function shapeRead(
  result: ToolCallResult,
  { isStructured, blocks }: ResultData,
  { dataText, warnings, isPart = false }: ReadData,
  limits: PayloadLimits,
): Reply {
  const beside = isPart ? blocks.filter((block) => !repeatsWhole(block, isStructured === true)) : blocks;
  return limited({ ...envelope(dataText, beside, warnings, envelopeMeta(result)), ...passThrough(result) }, limits);
}

/** Whether a block beside a part of an answer would give what the part leaves out. */
function repeatsWhole({ type, resource }: ContentBlock, isStructured: boolean): boolean {
  if (type === 'text') return true;
  // Structured content is the whole answer; other data refer to their resources.
  return isStructured && type === 'resource' && isJsonObject(resource) && typeof resource['text'] === 'string';
}

/** The JSON-RPC code by which a server says that it needs a capability of the client (MCP 2026-07-28). */
const MISSING_CAPABILITY = -32021;

/**
 * Writes a failure as an answer.
 * @param args of the call, where they are known
 */
export function shapeFailure(error: OperationError, operation: Operation | undefined, args: JsonObject = {}): Reply {
  const failure = error.toFailure();
  const { code, message, details } = failure.error;
  const lacksCapability = operation?.passthrough !== undefined && details?.['upstream_code'] === MISSING_CAPABILITY;
  const { bareErrors } = operation ?? {};
  const isBare = bareErrors !== undefined && !bareErrors.exceptQueries.includes(String(args['query']));
  return {
    text: JSON.stringify(isBare ? { success: false, error: { code, message } } : failure),
    blocks: [],
    isError: !isQuestionCode(code),
    code,
    ...(lacksCapability ? { protocolError: 'missing-capability' } : {}),
  };
}

/** A failure of more bytes stays as it is: reading and writing it again would hold up other calls. */
const MOST_RESHAPED = 256 * 1024;

/** A failure that a thread has written, with what only the gateway's own thread can add to it. */
export function reshapeFailure(
  reply: Reply,
  operation: Operation,
  extend: (error: OperationError) => OperationError,
): Reply {
  const { code, meta, extra, written = [] } = reply;
  const bytes = written.reduce((sum, { length }) => sum + length, 0);
  if (code === 'OK' || bytes > MOST_RESHAPED) return reply;
  const { error } = JSON.parse(reply.text) as { readonly error: { message: string; details?: JsonObject } };
  const failure = new OperationError(code, error.message, error.details ?? {});
  const extended = extend(failure);
  if (extended === failure) return reply;
  const beside = { ...(meta === undefined ? {} : { meta }), ...(extra === undefined ? {} : { extra }) };
  return { ...shapeFailure(extended, operation), blocks: reply.blocks, ...beside };
}

/** The answer that lets a client ask its user and call again. Its envelope is for clients that do not read `input_required`. */
export function shapeQuestion({ question, state }: InputRequired, operation: Operation | undefined): Reply {
  const refusal = new OperationError(
    'CONFIRMATION_REQUIRED',
    `This operation requires confirmation by the user: ${question}`,
  );
  return { ...shapeFailure(refusal, operation), inputRequired: { question, state } };
}

function envelope(
  dataText: string,
  blocks: readonly ContentBlock[] = [],
  warnings: readonly Warning[] = [],
  meta?: JsonObject,
): Reply {
  return {
    text: `${OPENING}${dataText}${closing(warnings, meta)}`,
    blocks,
    isError: false,
    code: 'OK',
    // Every answer gets members in `_meta` later: a copy whose member is there already is made forty times faster.
    meta: undefined,
    extra: undefined,
  };
}

const OPENING = '{"success":true,"data":';

function closing(warnings: readonly Warning[], meta: JsonObject | undefined): string {
  const warningsMember = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  const metaMember = meta === undefined ? '' : `,"_meta":${JSON.stringify(meta)}`;
  return `${warningsMember}${metaMember}}`;
}

/** Puts the text of an upstream's answer into the envelope as it came. */
export function shapeUnread(answer: WireAnswer, warnings: readonly Warning[], limits: PayloadLimits): Reply {
  const { text, isJson, dataBytes, meta } = answer;
  const end = closing(warnings, envelopeMeta({ _meta: meta }));
  const bytes = OPENING.length + dataBytes + Buffer.byteLength(end);
  if (bytes > limits.maxResponseSize) throw payloadTooLarge('response_size', bytes, limits);
  const data = isJson ? text : [ESCAPED_QUOTE, ...text.map(escapeAgain), ESCAPED_QUOTE];
  const envelopeText = (): string => {
    const decoded = decodeText(text);
    return `${OPENING}${isJson ? decoded : JSON.stringify(decoded)}${end}`;
  };
  return {
    get text() {
      return envelopeText();
    },
    written: [WRITTEN_OPENING, ...data, Buffer.from(`${JSON.stringify(end).slice(1, -1)}"}]`)],
    blocks: [],
    isError: false,
    code: 'OK',
    ...passThrough({ ...answer.members, ...(meta === undefined ? {} : { _meta: meta }) }),
  };
}

const ESCAPED_QUOTE = Buffer.from('\\"');
const WRITTEN_OPENING = Buffer.from(`[{"type":"text","text":"${JSON.stringify(OPENING).slice(1, -1)}`);

/** The version that `if_match` takes, where the gateway read the resource: models see the envelope, not MCP's `_meta`. */
function envelopeMeta({ _meta: meta }: { readonly _meta?: JsonObject | undefined }): JsonObject | undefined {
  const version = meta?.[RESOURCE_VERSION];
  return typeof version === 'string' ? { version } : undefined;
}

/** The reply with further members in `_meta`. What it decodes when it is asked for stays undecoded. */
export function withMeta(reply: Reply, members: JsonObject): Reply {
  const meta = reply.meta === undefined ? members : { ...reply.meta, ...members };
  const { isError, code, protocolError, inputRequired, extra, written, passthrough, members: own } = reply;
  if (written === undefined && passthrough === undefined && own === undefined) return { ...reply, meta };
  return {
    get text() {
      return reply.text;
    },
    get blocks() {
      return reply.blocks;
    },
    isError,
    code,
    meta,
    ...(written === undefined ? {} : { written }),
    ...(passthrough === undefined ? {} : { passthrough }),
    ...(own === undefined ? {} : { members: own }),
    ...(protocolError === undefined ? {} : { protocolError }),
    ...(inputRequired === undefined ? {} : { inputRequired }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function nativeBlocks(result: ToolCallResult): readonly ContentBlock[] {
  return mendBlocks(result.content).filter((block) => block.type !== 'text');
}

/** `_meta` and all other members of the upstream's result, unchanged. */
function passThrough(result: ToolCallResult): Pick<Reply, 'meta' | 'extra'> {
  const {
    content: _content,
    structuredContent: _structured,
    isError: _isError,
    toolResult: _older,
    ...members
  } = result;
  const { _meta: meta, ...rest } = members;
  return { meta, extra: Object.keys(rest).length === 0 ? undefined : rest };
}

/** The reply, unless it has more bytes than answers may have. */
export function limited(reply: Reply, limits: PayloadLimits): Reply {
  const blocks = reply.blocks.length === 0 ? '' : JSON.stringify(reply.blocks);
  const units = reply.text.length + blocks.length;
  if (units * MAX_BYTES_PER_UNIT <= limits.maxResponseSize) return reply;
  const bytes = Buffer.byteLength(reply.text) + Buffer.byteLength(blocks);
  if (bytes > limits.maxResponseSize) throw payloadTooLarge('response_size', bytes, limits);
  return reply;
}

/** Any other thrown value is a defect: only the log contains it, never an answer. */
export function toOperationError(thrown: unknown, operation: string | undefined): OperationError {
  if (thrown instanceof OperationError) return thrown;
  return new OperationError(
    'INTERNAL_ERROR',
    "Internal error: 'the gateway failed to process this call'",
    operation === undefined ? {} : { operation },
    { cause: thrown },
  );
}

/** An upstream's result as the envelope's `data`, with the blocks that stay native. */
interface ResultData {
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
const FRAGILE_NUMBER = /\d{16}|\d[eE][+-]?\d/;

/** The envelope itself is the first block of the MCP content array. */
const FIRST_NATIVE_INDEX = 1;

/**
 * An upstream's result as data: its structured content, else its only JSON text, else its only text, else all blocks in
 * order. Nothing is dropped: a block that `data` does not contain whole follows as a native block.
 * @param maxTokens texts of native blocks beyond so many are data, which are sent in parts; 0 for any number
 * @param isAsked whether something is asked of the structured content, which then is all that counts
 */
export function toResultData(given: ToolCallResult, maxTokens = 0, isAsked = false): ResultData {
  const result = readOlder(given);
  const structured = result.structuredContent ?? undefined;
  const text = structured === undefined ? onlyText(result.content) : undefined;
  if (text !== undefined) return textAsJson(text);
  const content = mendBlocks(result.content);
  if (structured !== undefined) {
    const exact = EXACT_TEXTS in result ? exactTextOf(result, 'structuredContent') : undefined;
    const dataText = exact === undefined ? writeStructured(structured) : notTooDeep(exact);
    if (dataText !== undefined) {
      const data = fromStructured(structured, dataText, content);
      if (!isAsked && !hasTextsOf(data.blocks, maxTokens))
        return fromLongBlocks(data.blocks, { structuredContent: structured });
      return referToBinaries(exact === undefined ? data : { ...data, value: undefined }, result.content);
    }
    if (content.length === 0) throw nestedTooDeeply();
  }
  const [only] = content;
  if (only === undefined) return { dataText: 'null', blocks: [] };
  if (content.length === 1 && isPlainText(only)) return textAsJson(only.text);
  // Texts are data anyhow.
  const native = content.filter(({ type }) => type !== 'text');
  if (!hasTextsOf(native, maxTokens)) return fromLongBlocks(content, {});
  return referToBinaries(fromBlocks(content), result.content);
}

/** Results of revision 2024-10-07 have one member for everything. */
function readOlder(result: ToolCallResult): ToolCallResult {
  const { toolResult, ...rest } = result;
  if (toolResult === undefined || result.content !== undefined || (result.structuredContent ?? null) !== null)
    return result;
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
  return isBlock(only) && isPlainText(only) ? only.text : undefined;
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
function isPlainText(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  return block.type === 'text' && typeof block['text'] === 'string' && Object.keys(block).length === 2;
}

/** The JSON of structured content; undefined where it is nested too deeply for those who read the answer. */
function writeStructured(structured: unknown): string | undefined {
  try {
    return notTooDeep(JSON.stringify(structured));
  } catch (thrown) {
    // Nested deeper than the stack.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function notTooDeep(text: string): string | undefined {
  return isTooDeep(text) ? undefined : text;
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
  return hasTokens(blocks.map((block) => textOf(block) ?? '').join('\n'), maxTokens);
}

function textOf({ text, resource }: ContentBlock): string | undefined {
  const held = isJsonObject(resource) ? resource['text'] : text;
  return typeof held === 'string' ? held : undefined;
}

/** All that is text, resources too, as data; other blocks stay native. */
function fromLongBlocks(content: readonly ContentBlock[], beside: JsonObject): ResultData {
  const blocks = content.filter((block) => textOf(block) === undefined);
  const entries = content.map((block) =>
    textOf(block) === undefined ? referTo(block, blocks.indexOf(block) + FIRST_NATIVE_INDEX) : block,
  );
  return { dataText: JSON.stringify({ ...beside, content: entries }), blocks };
}

/** The position of a native block, with the facts that let a model decide whether to read it. */
function referTo(block: ContentBlock, index: number): JsonObject {
  const resource = isJsonObject(block['resource']) ? block['resource'] : block;
  const facts = { mimeType: resource['mimeType'], uri: resource['uri'], name: block['name'] };
  return { type: block.type, ...facts, block: index };
}
