import { threadEntry } from '../base/asset.js';
import { readExactResult } from '../base/json/exact-result.js';
import { isJsonObject } from '../base/json/json.js';
import type { GatewayFigures } from '../base/observe/metrics/figures.js';
import type { Observer } from '../base/observe/observation.js';
import { LARGE_BYTES, LargeAnswer } from '../base/protocol/large-answer.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { ContentBlock, Reply } from '../base/protocol/result.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { withoutSchemas } from '../results/detached.js';
import type { ResultService, StoredPart } from '../results/query/result-types.js';
import { readStoredPart } from '../results/stored/read-part.js';
import type { ShapeLargeCall } from './pipeline/pipeline.js';
import type { ResourceLinks } from './primitives/resource-links.js';
import { bytesOf, type LargeAnswerJob, piecesOf, REASONS, type ShapedLarge, unreadable } from './shape-large.js';
import type { ReadPart } from './stored-thread.js';
import { ThreadFault, ThreadPool, transferable } from './thread-pool.js';

/** Shapes large answers, and reads parts of large stored ones, in threads. */
export interface LargeAnswers {
  readonly shape: ShapeLargeCall;
  /** Reads a part of a stored result: at once where the result is small. */
  readonly readPart: (part: StoredPart) => string | Promise<string>;
  /** What the threads have to do at this moment. */
  load(): GatewayFigures['threads'];
  close(): Promise<void>;
}

const THREADS = {
  threads: 2,
  maxMegabytes: 2_048,
  maxMs: 60_000,
  idleMs: 60_000,
};

/** Answers that wait for a thread are refused beyond this, as they hold their bytes until then. */
const MOST_WAITING_BYTES = 512 * 1024 * 1024;
const MOST_READERS_WAITING = 64;

/**
 * With the bytes of an answer, its text, what is kept of it and what a query makes of its values, a thread takes about ten times the
 * largest answer that is permitted by default. Most answers of that size come to half of this.
 */
const MOST_TREE_BYTES = 500_000_000;

interface LargeAnswersDeps {
  readonly settings: () => Pick<GatewayConfig, 'limits' | 'errors'>;
  readonly results: Pick<ResultService, 'detach' | 'attach'>;
  readonly links: Pick<ResourceLinks, 'noteLinks'>;
  readonly observe: Observer;
}

export function openLargeAnswers({ settings, results, links, observe }: LargeAnswersDeps): LargeAnswers {
  const entry = threadEntry('gateway/answer-thread.js');
  const pool = new ThreadPool<LargeAnswerJob, ShapedLarge>({
    ...THREADS,
    entry,
    maxWaiting: MOST_WAITING_BYTES,
    weightOf: ({ answer }) => bytesOf(answer),
    transfersOf: ({ answer }) => transferable(piecesOf(answer)),
  });
  const readers = new ThreadPool<StoredPart, ReadPart>({
    ...THREADS,
    threads: 1,
    maxWaiting: MOST_READERS_WAITING,
    entry: threadEntry('gateway/stored-thread.js'),
  });
  const noteDefect = ({ kind, cause }: ThreadFault): void => {
    if (kind === 'failed') observe({ kind: 'defect', where: 'large answer', cause });
  };
  return {
    async shape(answer, { operation, ...context }, { query, pages }, warnings) {
      const { limits, errors } = settings();
      const parts = answer instanceof LargeAnswer ? answer.parts : answer.parts();
      const bytes = bytesOf(parts);
      const job = {
        answer: parts,
        context: { ...context, operation: withoutSchemas(operation) },
        query,
        pages,
        warnings,
        results: results.detach({ ...context, operation }),
        limits,
        words: errors.upstreamWords,
        maxTreeBytes: MOST_TREE_BYTES,
      };
      const shaped = await pool.run(job).catch((thrown: unknown) => {
        if (!(thrown instanceof ThreadFault)) throw thrown;
        noteDefect(thrown);
        throw unreadable(thrown.kind, operation, bytes);
      });
      if (shaped.defect !== undefined) observe({ kind: 'defect', where: 'large answer', cause: shaped.defect });
      await results.attach({ ...context, operation }, shaped.finished);
      links.noteLinks(operation.upstream, context.caller, shaped.links);
      return toReply(shaped);
    },
    readPart(part) {
      if (part.content.byteLength <= LARGE_BYTES) return readStoredPart(part);
      return readers.run(part).then(takePart, (thrown: unknown) => {
        if (!(thrown instanceof ThreadFault)) throw thrown;
        noteDefect(thrown);
        throw unreadablePart(thrown, part);
      });
    },
    load() {
      const [shaping, reading] = [pool.load, readers.load];
      return { busy: shaping.busy + reading.busy, waiting: shaping.waiting + reading.waiting };
    },
    async close() {
      await Promise.all([pool.close(), readers.close()]);
    },
  };
}

function unreadablePart({ kind }: ThreadFault, { content }: StoredPart): OperationError {
  return new OperationError(
    'INTERNAL_ERROR',
    `The stored answer has ${content.byteLength} bytes, but ${REASONS[kind]}. Ask the operation for less, for example for a page`,
    { reason: 'answer_too_complex', retryable: kind === 'busy' },
  );
}

function takePart(read: ReadPart): string {
  if ('text' in read) return read.text;
  if ('defect' in read) throw new Error(read.defect);
  const { code, message, details } = read.failure;
  throw new OperationError(code, message, details);
}

/** The reply whose text and blocks are read out of its bytes by the few that look at them. */
function toReply({ written, isPassthrough, isError, code, beside }: ShapedLarge): Reply {
  const { _meta: given, ...extra } = readExactResult(beside);
  const meta = isJsonObject(given) ? given : undefined;
  const pieces = written.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  if (isPassthrough) {
    return {
      get text() {
        return Buffer.concat(pieces).toString('utf8');
      },
      passthrough: pieces,
      blocks: [],
      isError,
      code,
      ...(meta === undefined ? {} : { meta }),
    };
  }
  let read: readonly ContentBlock[] | undefined;
  const content = (): readonly ContentBlock[] => {
    read ??= JSON.parse(Buffer.concat(pieces).toString('utf8')) as readonly ContentBlock[];
    return read;
  };
  return {
    get text() {
      return String(content()[0]?.['text']);
    },
    get blocks() {
      return content().slice(1);
    },
    written: pieces,
    isError,
    code,
    ...(meta === undefined ? {} : { meta }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
