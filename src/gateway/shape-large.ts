import { createFailureReader, shape, shapeFailure, toOperationError } from '../pipeline/shape.js';
import type { WordsMode } from '../protocol/clean-words.js';
import type { LargeAnswer } from '../protocol/large-answer.js';
import type { PayloadLimits } from '../protocol/limits.js';
import { OperationError } from '../protocol/operation-error.js';
import type { Reply, Warning } from '../protocol/result.js';
import { openDetached } from '../results/detached.js';
import type { CollectionQuery, DetachedResults, FinishedElsewhere, ReadContext } from '../results/result-types.js';
import { readLargeAnswer } from '../upstream/read-large-answer.js';

/** Everything that shaping one large answer takes, as plain data. */
export interface LargeAnswerJob {
  readonly answer: LargeAnswer['parts'];
  readonly context: ReadContext;
  readonly query: CollectionQuery | undefined;
  readonly warnings: readonly Warning[];
  readonly results: DetachedResults;
  readonly limits: PayloadLimits;
  readonly words: WordsMode;
}

/** The answer as its client gets it, as plain data. */
export interface ShapedLarge extends Pick<Reply, 'isError' | 'code' | 'meta' | 'extra'> {
  /** The MCP content array in bytes of JSON. */
  readonly written: readonly Uint8Array[];
  readonly finished: FinishedElsewhere;
  /** What went wrong in the gateway itself, for the log. */
  readonly defect?: string;
}

/** Members beside the content are copied from thread to thread, so they are bounded. */
const MOST_BESIDE = 256 * 1024;

/** Reads, queries and writes a large answer at once, so in a thread that serves nobody else. Never rejects. */
export async function shapeLargeAnswer(job: LargeAnswerJob): Promise<ShapedLarge> {
  const { context, query, warnings, limits, words } = job;
  const { operation, arguments: args } = context;
  const results = openDetached(context, job.results);
  try {
    const reply = await shape(
      { operation, arguments: args },
      { toolResult: readLargeAnswer(job.answer) },
      {
        limits,
        explainFailure: createFailureReader(words),
        pass: (isAtMost) => (results.passesUnread(query, isAtMost) ? warnings : undefined),
        finish(dataText, value) {
          const data = results.finish(query, dataText, value);
          return { ...data, warnings: [...warnings, ...data.warnings] };
        },
        shapeLarge: () => Promise.reject(new Error('a large answer was not read')),
      },
    );
    const { isError, code, meta, extra } = reply;
    const beside = { ...(meta === undefined ? {} : { meta }), ...(extra === undefined ? {} : { extra }) };
    if (JSON.stringify(beside).length > MOST_BESIDE) throw tooMuchBeside();
    return { isError, code, ...beside, written: writeContent(reply), finished: results.left() };
  } catch (thrown) {
    const error = toOperationError(thrown, operation.name);
    const reply = shapeFailure(error, operation);
    return {
      isError: reply.isError,
      code: reply.code,
      written: writeContent(reply),
      finished: { entries: [] },
      ...(error === thrown
        ? {}
        : { defect: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }),
    };
  }
}

function writeContent(reply: Reply): readonly Uint8Array[] {
  if (reply.written !== undefined) return reply.written;
  return [Buffer.from(JSON.stringify([{ type: 'text', text: reply.text }, ...reply.blocks]))];
}

function tooMuchBeside(): OperationError {
  return new OperationError(
    'VALIDATION_PAYLOAD_TOO_LARGE',
    `Payload exceeds metadata_size limit of ${MOST_BESIDE}: the answer holds more beside its content. Ask for less`,
    { limit_type: 'metadata_size', limit_value: MOST_BESIDE, unit: 'bytes', outcome: 'ran' },
  );
}
