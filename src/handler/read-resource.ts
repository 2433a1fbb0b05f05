import { valueAt } from '../config/json-path.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../protocol/handler.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { ToolCallResult } from '../protocol/result.js';
import { brokenCuration } from './plan-read.js';
import { parsePath } from './resource.js';

/** A tool's own failure (`isError`) as an error in the upstream's words. */
export type ExplainFailure = (operation: Operation, result: ToolCallResult) => OperationError;

export interface ResourceReaderDeps {
  readonly inner: OperationHandler;
  readonly explainFailure: ExplainFailure;
}

/** Reads the object that an update is about to change. Rejects with an `OperationError` that says that nothing was written. */
export type ReadResource = (update: Operation, read: HandlerCall) => Promise<JsonObject>;

export function createResourceReader({ inner, explainFailure }: ResourceReaderDeps): ReadResource {
  const runRead = async (update: Operation, read: HandlerCall): Promise<HandlerOutcome> => {
    try {
      const outcome = await inner(read);
      if ('toolResult' in outcome && outcome.toolResult.isError === true) {
        throw explainFailure(read.operation, outcome.toolResult);
      }
      return outcome;
    } catch (error) {
      throw error instanceof OperationError ? notAttempted(update, read.operation, error) : error;
    }
  };
  return async (update, read) => {
    const answer = readAnswer(await runRead(update, read));
    const path = update.merge?.path ?? '';
    const resource = valueAt(answer, parsePath(path));
    if (isJsonObject(resource)) return resource;
    const place = path === '' ? 'the answer' : `${path} in the answer`;
    throw brokenCuration(
      update,
      'merge.path',
      `does not lead to an object: ${place} of ${read.operation.name} is none`,
    );
  };
}

function notAttempted(update: Operation, read: Operation, error: OperationError): OperationError {
  return new OperationError(
    error.code,
    `The update was not attempted, because '${read.name}' could not read what is there. ${error.message}`,
    { ...error.details, operation: update.name, read_operation: read.name, outcome: 'not_run' },
    { cause: error },
  );
}

/** What an answer says as far as it is JSON: the structured content, else the only text. */
function readAnswer(outcome: HandlerOutcome): unknown {
  if ('data' in outcome) return outcome.data;
  if ('dataText' in outcome) return parseJson(outcome.dataText);
  const { structuredContent, content } = outcome.toolResult;
  if (structuredContent !== undefined) return structuredContent;
  const texts = Array.isArray(content) ? content.filter(({ type }) => type === 'text') : [];
  return texts.length === 1 ? parseJson(texts[0]?.['text']) : undefined;
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    // Prose is no object; the caller says so.
    return undefined;
  }
}
