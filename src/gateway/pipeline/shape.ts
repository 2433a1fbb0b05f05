import { writeExactMembers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { escapeAgain } from '../../base/json/json-literal.js';
import { measureJson } from '../../base/json/measure.js';
import type { HandlerOutcome } from '../../base/protocol/call.js';
import type { InputRequired } from '../../base/protocol/consent.js';
import { isQuestionCode } from '../../base/protocol/error-table.js';
import { LargeAnswer } from '../../base/protocol/large-answer.js';
import { type PayloadLimits, payloadTooLarge } from '../../base/protocol/limits.js';
import { mendBlocks } from '../../base/protocol/mend-result.js';
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
import type { ReadContext, ReadData } from '../../results/query/result-types.js';
import type { ResultData } from './result-data.js';

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
  return { ...shapeFailure(extended, operation), blocks: reply.blocks, meta, extra };
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
    ...passThrough({ ...answer.members, _meta: meta }),
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
    written,
    passthrough,
    members: own,
    protocolError,
    inputRequired,
    extra,
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

/** A thread takes an answer as a message: this is its id. */
const ID = 0;

/** An answer for a thread, also one that has been read: as the bytes of the message that would carry it. */
export function handOver(
  result: ToolCallResult | WireAnswer,
  { operation, arguments: args }: Pick<ReadContext, 'operation' | 'arguments'>,
): LargeAnswer | WireAnswer {
  if (result instanceof WireAnswer) return result;
  const { upstream, tool, retryable } = operation;
  const pieces = [Buffer.from(`{"id":${ID},"result":{${writeExactMembers({ ...result })}}}`)];
  const failed = { upstream, tool, arguments: args, repeatable: retryable, words: 'clean' as const };
  return new LargeAnswer({ pieces, id: ID, credentials: [], call: failed });
}
