import type { HandlerOutcome } from '../protocol/call.js';
import type { InputRequired } from '../protocol/consent.js';
import { describeFailure, type FailureCode, isQuestionCode } from '../protocol/error-table.js';
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
import type { ReadData } from '../results/result-types.js';
import { payloadTooLarge } from './limit.js';
import { toResultData } from './tool-result-data.js';

/**
 * Applies the caller's query to an upstream's whole answer.
 * @param value the answer as a value, where it is already parsed
 */
export type FinishAnswer = (dataText: string, value: unknown) => ReadData | Promise<ReadData>;

/** A UTF-8 text is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes a handler's outcome as the specification's envelope, once. Throws when the answer exceeds the response limit.
 */
export async function shape(
  operation: Operation,
  outcome: HandlerOutcome,
  limits: PayloadLimits,
  finish: FinishAnswer,
): Promise<Reply> {
  if ('toolResult' in outcome) return limited(await shapeToolResult(operation, outcome.toolResult, finish), limits);
  return limited(envelope('dataText' in outcome ? outcome.dataText : JSON.stringify(outcome.data ?? null)), limits);
}

/** Writes an answer from the result store. */
export function shapeStored({ dataText, warnings }: ReadData, limits: PayloadLimits): Reply {
  return limited(envelope(dataText, [], warnings), limits);
}

async function shapeToolResult(operation: Operation, result: ToolCallResult, finish: FinishAnswer): Promise<Reply> {
  if (result.isError === true) {
    // Images and resources of a failed tool are part of its answer.
    return {
      ...shapeFailure(fromFailedTool(operation, result), operation),
      blocks: nativeBlocks(result),
      ...passThrough(result),
    };
  }
  const { dataText: whole, value, blocks } = toResultData(result);
  const { dataText, warnings, isPart = false } = await finish(whole, value);
  const beside = isPart ? blocks.filter(({ type }) => type !== 'text') : blocks;
  return { ...envelope(dataText, beside, warnings, versionOf(result)), ...passThrough(result) };
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
  version?: string,
): Reply {
  const warningsMember = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  const metaMember = version === undefined ? '' : `,"_meta":${JSON.stringify({ version })}`;
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

/** A status as messages write one: "HTTP 404" or "status code 404"; any other number may be an amount. */
const status = (code: string): string => `\\b(?:https?(?:/[\\d.]+)?(?: error)?|status(?: ?code)?)\\W{0,3}${code}\\b`;

/**
 * The error code for the text of a failed tool; the first match wins. MCP has no status besides `isError`, so an HTTP status
 * in the text or a usual phrase decides (companion document "errors", upstream mapping).
 */
const MEANINGS: readonly { readonly code: FailureCode; readonly says: RegExp }[] = [
  {
    code: 'RATE_LIMIT_EXCEEDED',
    says: new RegExp(`${status('429')}|rate.?limit|too many requests`, 'i'),
  },
  {
    code: 'NOT_FOUND_RESOURCE',
    says: new RegExp(
      `${status('404')}|(?<!method )\\bnot found\\b|\\bno such\\b|does not exist|doesn't exist|\\bENOENT\\b`,
      'i',
    ),
  },
  {
    code: 'CONFLICT_ALREADY_EXISTS',
    says: new RegExp(`${status('409')}|\\b409 conflict\\b|already exists|\\bEEXIST\\b|\\bduplicate key\\b`, 'i'),
  },
  {
    code: 'PERMISSION_DENIED',
    says: new RegExp(
      `${status('40[13]')}|unauthori[sz]ed|\\bforbidden\\b|(?:permission|access) denied|\\bEACCES\\b|\\bEPERM\\b`,
      'i',
    ),
  },
  {
    code: 'VALIDATION_INVALID_TYPE',
    says: new RegExp(
      `${status('4(?:00|22)')}|\\b400 bad request\\b|\\b422 unprocessable\\b|-32602|invalid (?:argument|param|input|request)`,
      'i',
    ),
  },
];

/** A tool's own failure (`isError: true`) as the specification's error, with the upstream's text in the details. */
export function fromFailedTool(operation: Operation, result: ToolCallResult): OperationError {
  const words = collectWords(result);
  const code = MEANINGS.find(({ says }) => says.test(words))?.code ?? 'INTERNAL_ERROR';
  return new OperationError(code, describeFailure(code, words), {
    operation: operation.name,
    upstream: operation.upstream,
    upstream_error: upstreamError(result, words),
  });
}

function collectWords(result: ToolCallResult): string {
  const content = Array.isArray(result.content) ? result.content : [];
  return content
    .map((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** The text, and the structured content where the tool gave one. */
function upstreamError(result: ToolCallResult, words: string): string | JsonObject {
  if (result.structuredContent === undefined) return words;
  return words === ''
    ? { structured_content: result.structuredContent }
    : { text: words, structured_content: result.structuredContent };
}
