import type { ReadData } from '../collection/result-desk.js';
import type { InputRequired } from '../protocol/consent.js';
import type { HandlerOutcome } from '../protocol/handler.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { PayloadLimits } from '../protocol/payload-limits.js';
import type { ContentBlock, Reply, ToolCallResult, Warning } from '../protocol/result.js';
import { payloadTooLarge } from './limit.js';
import { toResultData } from './tool-result-data.js';
import { fromFailedTool } from './upstream-words.js';

/** A UTF-8 text is never longer in bytes than three times its UTF-16 length. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Makes of an upstream's whole answer what the caller asked for.
 * @param value the answer as a value, where it came as one
 */
export type FinishAnswer = (dataText: string, value: unknown) => ReadData;

/**
 * Writes a handler's outcome as the specification's envelope, once. Throws when the answer exceeds the response limit.
 */
export function shape(
  operation: Operation,
  outcome: HandlerOutcome,
  limits: PayloadLimits,
  finish: FinishAnswer,
): Reply {
  if ('toolResult' in outcome) return limited(shapeToolResult(operation, outcome.toolResult, finish), limits);
  return limited(envelope('dataText' in outcome ? outcome.dataText : JSON.stringify(outcome.data ?? null)), limits);
}

/** Writes what was kept of an earlier answer. */
export function shapeKept({ dataText, warnings }: ReadData, limits: PayloadLimits): Reply {
  return limited(envelope(dataText, [], warnings), limits);
}

function shapeToolResult(operation: Operation, result: ToolCallResult, finish: FinishAnswer): Reply {
  if (result.isError === true) {
    // Images and resources of a failed tool are part of what it said.
    return {
      ...shapeFailure(fromFailedTool(operation, result), operation),
      blocks: nativeBlocks(result),
      ...passThrough(result),
    };
  }
  const { dataText: whole, value, blocks } = toResultData(result);
  const { dataText, warnings } = finish(whole, value);
  return { ...envelope(dataText, blocks, warnings), ...passThrough(result) };
}

/** The answer that says no. */
export function shapeFailure(error: OperationError, operation: Operation | undefined): Reply {
  const failure = error.toFailure();
  const { code, message } = failure.error;
  return {
    text: JSON.stringify(operation?.bareErrors === true ? { success: false, error: { code, message } } : failure),
    blocks: [],
    isError: !error.traits.recoverable,
    code,
  };
}

/** The answer that lets a client ask its user and call again. Its envelope is for whoever reads no `input_required`. */
export function shapeQuestion({ question, state }: InputRequired, operation: Operation | undefined): Reply {
  const refusal = new OperationError(
    'CONFIRMATION_REQUIRED',
    `This operation requires confirmation by the user: ${question}`,
  );
  return { ...shapeFailure(refusal, operation), inputRequired: { question, state } };
}

function envelope(dataText: string, blocks: readonly ContentBlock[] = [], warnings: readonly Warning[] = []): Reply {
  const told = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return { text: `{"success":true,"data":${dataText}${told}}`, blocks, isError: false, code: 'OK' };
}

function nativeBlocks(result: ToolCallResult): readonly ContentBlock[] {
  return Array.isArray(result.content) ? result.content.filter((block) => block.type !== 'text') : [];
}

/** `_meta` and whatever else the upstream's result carries, untouched. */
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

/** Anything thrown that is not an answer yet: a defect, told to the log and to nobody else. */
export function toOperationError(thrown: unknown, operation: string | undefined): OperationError {
  if (thrown instanceof OperationError) return thrown;
  return new OperationError(
    'INTERNAL_ERROR',
    "Internal error: 'the gateway failed to process this call'",
    operation === undefined ? {} : { operation },
    { cause: thrown },
  );
}
