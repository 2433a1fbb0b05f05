import type { HandlerOutcome } from '../protocol/call.js';
import type { WordsMode } from '../protocol/clean-words.js';
import type { InputRequired } from '../protocol/consent.js';
import { isQuestionCode } from '../protocol/error-table.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { PayloadLimits } from '../protocol/limits.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import {
  type ContentBlock,
  RESOURCE_VERSION,
  type Reply,
  type ToolCallResult,
  type Warning,
} from '../protocol/result.js';
import { readFailure, resourceOf } from '../protocol/upstream-failure.js';
import type { ReadData } from '../results/result-types.js';
import { payloadTooLarge } from './limit.js';
import { toResultData } from './tool-result-data.js';

/**
 * Applies the caller's query to an upstream's whole answer.
 * @param value the answer as a value, where it is already parsed
 */
export type FinishAnswer = (dataText: string, value: unknown) => ReadData | Promise<ReadData>;

interface ShapedCall {
  readonly operation: Operation;
  /** As they were sent to the upstream. */
  readonly arguments: JsonObject;
}

interface Shaping {
  readonly limits: PayloadLimits;
  readonly finish: FinishAnswer;
  readonly explainFailure: ExplainFailure;
}

/** A UTF-8 text is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes a handler's outcome as the specification's envelope, once. Throws when the answer exceeds the response limit.
 */
export async function shape(
  { operation, arguments: args }: ShapedCall,
  outcome: HandlerOutcome,
  { limits, finish, explainFailure }: Shaping,
): Promise<Reply> {
  if ('toolResult' in outcome) {
    const { toolResult } = outcome;
    const reply =
      toolResult.isError === true
        ? shapeFailedTool(explainFailure(operation, args, toolResult), operation, toolResult)
        : await shapeToolResult(toolResult, finish);
    return limited(reply, limits);
  }
  if ('dataText' in outcome) return limited(envelope(outcome.dataText), limits);
  return limited(envelope(JSON.stringify(outcome.data ?? null), [], outcome.warnings ?? [], outcome.meta), limits);
}

/** Writes an answer from the result store. */
export function shapeStored({ dataText, warnings }: ReadData, limits: PayloadLimits): Reply {
  return limited(envelope(dataText, [], warnings), limits);
}

/** Images and resources of a failed tool are part of its answer. */
function shapeFailedTool(error: OperationError, operation: Operation, result: ToolCallResult): Reply {
  return { ...shapeFailure(error, operation), blocks: nativeBlocks(result), ...passThrough(result) };
}

async function shapeToolResult(result: ToolCallResult, finish: FinishAnswer): Promise<Reply> {
  const { dataText: whole, value, blocks } = toResultData(result);
  const { dataText, warnings, isPart = false } = await finish(whole, value);
  const beside = isPart ? blocks.filter(({ type }) => type !== 'text') : blocks;
  const version = versionOf(result);
  const meta = version === undefined ? undefined : { version };
  return { ...envelope(dataText, beside, warnings, meta), ...passThrough(result) };
}

/** Writes a failure as an answer. */
export function shapeFailure(error: OperationError, operation: Operation | undefined): Reply {
  const failure = error.toFailure();
  const { code, message } = failure.error;
  return {
    text: JSON.stringify(operation?.bareErrors === true ? { success: false, error: { code, message } } : failure),
    blocks: [],
    isError: !isQuestionCode(code),
    code,
  };
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
  const warningsMember = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  const metaMember = meta === undefined ? '' : `,"_meta":${JSON.stringify(meta)}`;
  return {
    text: `{"success":true,"data":${dataText}${warningsMember}${metaMember}}`,
    blocks,
    isError: false,
    code: 'OK',
  };
}

/** The version that `if_match` takes, where the gateway read the resource: models see the envelope, not MCP's `_meta`. */
function versionOf({ _meta: meta }: ToolCallResult): string | undefined {
  const version = meta?.[RESOURCE_VERSION];
  return typeof version === 'string' ? version : undefined;
}

function nativeBlocks(result: ToolCallResult): readonly ContentBlock[] {
  return Array.isArray(result.content) ? result.content.filter((block) => block.type !== 'text') : [];
}

/** `_meta` and all other members of the upstream's result, unchanged. */
function passThrough(result: ToolCallResult): Pick<Reply, 'meta' | 'extra'> {
  const { content: _content, structuredContent: _structured, isError: _isError, _meta: meta, ...rest } = result;
  const extra: JsonObject = rest;
  return {
    ...(meta === undefined ? {} : { meta }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function limited(reply: Reply, limits: PayloadLimits): Reply {
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

/** Says of a tool's own failure (`isError: true`) what it means. */
export type ExplainFailure = (operation: Operation, args: JsonObject, result: ToolCallResult) => OperationError;

/** A tool's own failure as the specification's error, with the upstream's text in the details. */
export function createFailureReader(wordsMode: WordsMode): ExplainFailure {
  return (operation, args, result) => {
    const request = {
      upstream: operation.upstream,
      arguments: args,
      words: wordsMode,
      resource: resourceOf(operation, args),
    };
    const { code, message, words, data, details } = readFailure(
      { words: collectWords(result), data: result.structuredContent },
      request,
    );
    return new OperationError(code, message, {
      operation: operation.name,
      upstream: operation.upstream,
      ...details,
      upstream_error: upstreamError(words, data),
    });
  };
}

function collectWords(result: ToolCallResult): string {
  const content = Array.isArray(result.content) ? result.content : [];
  return content
    .map((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** The text, and the structured content where the tool gave one. */
function upstreamError(words: string, data: unknown): string | JsonObject {
  if (data === undefined) return words;
  return words === '' ? { structured_content: data } : { text: words, structured_content: data };
}
