import { writeExactMembers } from '../base/json/exact-result.js';
import { estimateTree } from '../base/json/measure.js';
import { lengthOf, type Pieces } from '../base/json/pieces.js';
import type { WordsMode } from '../base/protocol/clean-words.js';
import type { LargeAnswer } from '../base/protocol/large-answer.js';
import type { PayloadLimits } from '../base/protocol/limits.js';
import type { Operation } from '../base/protocol/operation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { Reply, ToolCallResult, Warning } from '../base/protocol/result.js';
import { readToolResult, WireAnswer, type WireAnswerParts } from '../base/protocol/wire-answer.js';
import { type DetachedFinisher, openDetached } from '../results/detached.js';
import type {
  CollectionQuery,
  DetachedList,
  DetachedResults,
  FinishedElsewhere,
  ReadContext,
} from '../results/query/result-types.js';
import { readLargeAnswer } from '../upstream/read-large-answer.js';
import { createFailureReader } from './pipeline/read-tool-failure.js';
import { toResultData } from './pipeline/result-data.js';
import { shapeFailedTool, shapeFailure, shapeRead, shapeUnread, toOperationError } from './pipeline/shape.js';
import { shapePassthrough } from './pipeline/shape-without-envelope.js';
import { linksIn, nameShared } from './primitives/resource-links.js';
import type { ThreadFault } from './thread-pool.js';

/** Everything that shaping one large answer takes, as plain data. */
export interface LargeAnswerJob {
  readonly answer: LargeAnswer['parts'] | WireAnswerParts;
  readonly context: ReadContext;
  readonly query: CollectionQuery | undefined;
  /** The list that the query means, where it was read page by page. */
  readonly pages: DetachedList | undefined;
  readonly warnings: readonly Warning[];
  readonly results: DetachedResults;
  readonly limits: PayloadLimits;
  readonly words: WordsMode;
  /** The URIs of pages and skills that other servers have, too. */
  readonly ofOthers: readonly string[];
  /** An answer whose values take more memory is not parsed: a thread that runs out of memory then may end the process with it. */
  readonly maxTreeBytes: number;
}

/** The answer as its client gets it, as plain data. */
export interface ShapedLarge extends Pick<Reply, 'isError' | 'code'> {
  /** JSON of the reply's `extra`, and of its `meta` as `_meta`: values that are copied from thread to thread lose digits of their numbers. */
  readonly beside: string;
  /** The MCP content array in bytes of JSON; of a result that is passed on its members, as in `Reply.passthrough`. */
  readonly written: readonly Uint8Array[];
  readonly isPassthrough: boolean;
  readonly finished: FinishedElsewhere;
  /** The resources that the answer links to. */
  readonly links: readonly string[];
  /** What went wrong in the gateway itself, for the log. */
  readonly defect?: string;
}

/** Members beside the content are copied from thread to thread, so they are bounded. */
const MOST_BESIDE = 256 * 1024;

/** Reads, queries and writes a large answer at once, so in a thread that serves nobody else. Never rejects. */
export async function shapeLargeAnswer(job: LargeAnswerJob): Promise<ShapedLarge> {
  const { context } = job;
  const { operation } = context;
  const results = openDetached(context, job.results);
  try {
    const { reply, links } = shapeAnswer(job, results);
    const { isError, code } = reply;
    const beside = writeBeside(reply);
    if (beside.length > MOST_BESIDE) throw tooMuchBeside();
    const written = reply.passthrough ?? writeContent(reply);
    return {
      isError,
      code,
      beside,
      written,
      isPassthrough: reply.passthrough !== undefined,
      finished: results.left(),
      links,
    };
  } catch (thrown) {
    const error = toOperationError(thrown, operation.name);
    const reply = shapeFailure(error, operation);
    return {
      isError: reply.isError,
      code: reply.code,
      beside: '{}',
      written: writeContent(reply),
      isPassthrough: false,
      finished: { entries: [] },
      links: [],
      ...(error === thrown
        ? {}
        : { defect: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }),
    };
  }
}

/** The stages of the pipeline after the call has run. Each has a function of its own, so that what it read ends with it. */
function shapeAnswer(
  job: LargeAnswerJob,
  results: DetachedFinisher,
): { readonly reply: Reply; readonly links: readonly string[] } {
  const result = readAnswer(job, results);
  // Bytes that are passed on as they came are one text.
  if (result instanceof WireAnswer) return { reply: shapeResult(result, job, results), links: [] };
  const ofOthers = new Set(job.ofOthers);
  const { upstream } = job.context.operation;
  const named = nameShared(result, 'content', { upstream, isOfOthers: (uri) => ofOthers.has(uri) });
  return { reply: shapeResult(named, job, results), links: linksIn(result.content) };
}

function shapeResult(result: ToolCallResult | WireAnswer, job: LargeAnswerJob, results: DetachedFinisher): Reply {
  const { context, query, pages, warnings, limits, words } = job;
  const { operation, arguments: args } = context;
  if (operation.passthrough !== undefined) {
    const code =
      result.isError === true ? createFailureReader(words)(operation, args, readToolResult(result)).code : 'OK';
    return shapePassthrough(result, { code, warnings, limits });
  }
  if (result instanceof WireAnswer) return shapeUnread(result, warnings, limits);
  if (result.isError === true) {
    return shapeFailedTool(createFailureReader(words)(operation, args, result), operation, result, limits);
  }
  const data = toResultData(result, context.answerTokens ?? job.results.settings.maxTokens, query !== undefined);
  const read = results.finish(query, data, pages);
  return shapeRead(result, data, { ...read, warnings: [...warnings, ...read.warnings] }, limits);
}

/** The result as a value, without the bytes that it came in; as it came where all of it is sent. */
function readAnswer(
  { answer, context, query, maxTreeBytes }: LargeAnswerJob,
  results: DetachedFinisher,
): ToolCallResult | WireAnswer {
  const bytes = bytesOf(answer);
  const admit = (pieces: Pieces): void => {
    if (estimateTree(pieces) > maxTreeBytes) throw unreadable('memory', context.operation, bytes);
  };
  const result = 'pieces' in answer ? readLargeAnswer(answer, admit) : openWire(answer);
  if (!(result instanceof WireAnswer)) return result;
  const isPassedOn = context.operation.passthrough !== undefined;
  if (isPassedOn || results.passesUnread(query, result)) return result;
  admit(result.text);
  return readToolResult(result);
}

/** Its bytes are no buffers any more when they come from another thread. */
function openWire(parts: WireAnswerParts): WireAnswer {
  const text = parts.text.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return new WireAnswer({ ...parts, text });
}

/** The bytes of an answer, in other words what a thread is handed. */
export function bytesOf(answer: LargeAnswerJob['answer']): number {
  return lengthOf(piecesOf(answer));
}

/** Where they lie. */
export function piecesOf(answer: LargeAnswerJob['answer']): Pieces {
  return 'pieces' in answer ? answer.pieces : answer.text;
}

function writeContent(reply: Reply): readonly Uint8Array[] {
  if (reply.written !== undefined) return reply.written;
  return [Buffer.from(JSON.stringify([{ type: 'text', text: reply.text }, ...reply.blocks]))];
}

function writeBeside({ meta, extra = {} }: Reply): string {
  const members = [writeExactMembers(extra), ...(meta === undefined ? [] : [`"_meta":{${writeExactMembers(meta)}}`])];
  return `{${members.filter((each) => each !== '').join(',')}}`;
}

function tooMuchBeside(): OperationError {
  return new OperationError(
    'VALIDATION_PAYLOAD_TOO_LARGE',
    `Payload exceeds metadata_size limit of ${MOST_BESIDE}: the answer holds more beside its content. Ask for less`,
    { limit_type: 'metadata_size', limit_value: MOST_BESIDE, unit: 'bytes', outcome: 'ran' },
  );
}

export const REASONS: Readonly<Record<ThreadFault['kind'], string>> = {
  memory: 'reading it takes more memory than the gateway has for it',
  failed: 'the gateway failed to read it',
  ended: 'the gateway stopped before it was read',
  timeout: 'reading it takes too long',
  busy: 'too many others are being read',
};

/** The failure of a call whose answer cannot be read: it ran, so that only what may run twice is retryable. */
export function unreadable(
  kind: ThreadFault['kind'],
  { upstream, retryable }: Pick<Operation, 'upstream' | 'retryable'>,
  bytes: number,
): OperationError {
  return new OperationError(
    'INTERNAL_ERROR',
    `The server '${upstream}' gave an answer of ${bytes} bytes, but ${REASONS[kind]}. The call ran. Ask for less, for example for a page or a shorter range`,
    { upstream, reason: 'answer_too_complex', retryable: kind === 'busy' && retryable, outcome: 'ran' },
  );
}
