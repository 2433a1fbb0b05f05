import { describeFailure, type FailureCode } from '../protocol/describe-failure.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { ToolCallResult } from '../protocol/result.js';

/**
 * What a failing tool's words mean, first match wins. A tool's failure carries no status of its own (MCP has `isError`
 * alone), so an HTTP status it mentions or the usual phrases decide (companion document "errors", upstream mapping).
 */
const MEANINGS: readonly { readonly code: FailureCode; readonly says: RegExp }[] = [
  { code: 'RATE_LIMIT_EXCEEDED', says: /\b429\b|rate.?limit|too many requests/i },
  { code: 'NOT_FOUND_RESOURCE', says: /\b404\b|\bnot found\b|\bno such\b|does not exist|doesn't exist|\bENOENT\b/i },
  { code: 'CONFLICT_ALREADY_EXISTS', says: /\b409\b|already exists|\bEEXIST\b|\bduplicate key\b/i },
  {
    code: 'PERMISSION_DENIED',
    says: /\b40[13]\b|unauthori[sz]ed|\bforbidden\b|(?:permission|access) denied|\bEACCES\b|\bEPERM\b/i,
  },
  { code: 'VALIDATION_INVALID_TYPE', says: /\b4(?:00|22)\b|-32602|invalid (?:argument|param|input|request)/i },
];

/** A tool's own failure (`isError: true`) as the specification's error, with the upstream's words in the details. */
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

/** The words, and the structured form where the tool gave one. */
function upstreamError(result: ToolCallResult, words: string): string | JsonObject {
  if (result.structuredContent === undefined) return words;
  return words === ''
    ? { structured_content: result.structuredContent }
    : { text: words, structured_content: result.structuredContent };
}
