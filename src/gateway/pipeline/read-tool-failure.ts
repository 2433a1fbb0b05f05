import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { WordsMode } from '../../base/protocol/clean-words.js';
import { deniesTool } from '../../base/protocol/denied-tool.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ToolCallResult } from '../../base/protocol/result.js';
import { readFailure, resourceOf } from '../../base/protocol/upstream-failure.js';
import { productOfFailure } from '../../catalog/told-dialect.js';

/** Says of a tool's own failure (`isError: true`) what it means. */
export type ExplainFailure = (operation: Operation, args: JsonObject, result: ToolCallResult) => OperationError;

/**
 * A tool's own failure as the specification's error, with the upstream's text in the details.
 * @param noteProduct told whose words a failed statement was answered in
 */
export function createFailureReader(
  wordsMode: WordsMode,
  noteProduct?: (upstream: string, product: string) => void,
): ExplainFailure {
  return (operation, args, result) => {
    const request = {
      upstream: operation.upstream,
      arguments: args,
      words: wordsMode,
      resource: resourceOf(operation, args),
    };
    const said = { words: collectWords(result), data: result.structuredContent };
    const isDenied = deniesTool(said.words, { tool: operation.tool, arguments: args });
    const { code, message, words, data, details } = readFailure(
      isDenied ? { ...said, code: 'NOT_FOUND_OPERATION' } : said,
      request,
    );
    const product = productOfFailure(operation, words);
    if (product !== undefined) noteProduct?.(operation.upstream, product);
    return new OperationError(code, message, {
      operation: operation.name,
      upstream: operation.upstream,
      ...(product !== undefined && { speaks: `the SQL of ${product}` }),
      ...details,
      upstream_error: upstreamError(words, data),
    });
  };
}

/** In characters; what failed last is at the end of a long report, and what was tried at its beginning. */
const LONGEST_WORDS = 12_000;

function cutMiddle(text: string): string {
  if (text.length <= LONGEST_WORDS) return text;
  const half = LONGEST_WORDS / 2;
  return `${text.slice(0, half)} ... (${text.length - LONGEST_WORDS} characters left out) ... ${text.slice(-half)}`;
}

function collectWords(result: ToolCallResult): string {
  const content = Array.isArray(result.content) ? result.content : [];
  const words = content
    .map((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
  return cutMiddle(words);
}

/** The text, and the structured content where the tool gave one. */
function upstreamError(words: string, data: unknown): string | JsonObject {
  if (data === undefined) return words;
  const json = JSON.stringify(data);
  if (json.length > LONGEST_WORDS) return { text: words, structured_content: cutMiddle(json) };
  return words === '' ? { structured_content: data } : { text: words, structured_content: data };
}
