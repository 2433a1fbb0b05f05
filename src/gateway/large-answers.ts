import { threadEntry } from '../base/asset.js';
import { readExactResult } from '../base/json/exact-result.js';
import { isJsonObject } from '../base/json/json.js';
import { countMarks, slicePieces } from '../base/json/pieces.js';
import type { GatewayFigures } from '../base/observe/metrics/figures.js';
import type { Observer } from '../base/observe/observation.js';
import { LARGE_BYTES, LargeAnswer } from '../base/protocol/large-answer.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { ContentBlock, Reply } from '../base/protocol/result.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { withoutSchemas } from '../results/detached.js';
import type { ResultService, StoredPart } from '../results/query/result-types.js';
import { readStoredPart } from '../results/stored/read-part.js';
import type { MemoryBudget } from './memory-budget.js';
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
  maxMs: 60_000,
  idleMs: 60_000,
};

/** Answers that wait for a thread are refused beyond this, as they hold their bytes until then. */
const MOST_WAITING_BYTES = 512 * 1024 * 1024;
const MOST_READERS_WAITING = 64;

/** The share of its memory that the values of an answer may take: its bytes, its text and what is kept of it take the rest. */
const TREE_SHARE = 0.25;

/** The bytes of an answer, its text, the text that it becomes and what is kept of it. */
const COPIES = 5;

/** What a value, a line or a cell takes, with what a query keeps beside it; from measurements of lines, rows and lists. */
const VALUE_BYTES = { inJson: 60, inText: 120 } as const;

/** Where signs are counted: all over a long answer, as its beginning may be unlike the rest. */
const SAMPLES = 32;
const SAMPLE_BYTES = 8 * 1024;

interface LargeAnswersDeps {
  readonly settings: () => Pick<GatewayConfig, 'limits' | 'errors'>;
  readonly results: Pick<ResultService, 'detach' | 'attach'>;
  readonly links: Pick<ResourceLinks, 'noteLinks' | 'ofOthers'>;
  readonly observe: Observer;
  readonly budget: MemoryBudget;
}

export function openLargeAnswers({ settings, results, links, observe, budget }: LargeAnswersDeps): LargeAnswers {
  const entry = threadEntry('gateway/answer-thread.js');
  const pool = new ThreadPool<LargeAnswerJob, ShapedLarge>({
    ...THREADS,
    entry,
    maxWaiting: MOST_WAITING_BYTES,
    budget,
    needOf: ({ answer, query }) => memoryFor(piecesOf(answer), query !== undefined),
    weightOf: ({ answer }) => bytesOf(answer),
    transfersOf: ({ answer }) => transferable(piecesOf(answer)),
  });
  const readers = new ThreadPool<StoredPart, ReadPart>({
    ...THREADS,
    threads: 1,
    budget,
    needOf: ({ content }) => memoryFor([content], false),
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
        ofOthers: links.ofOthers(operation.upstream, context.caller),
        maxTreeBytes: Math.floor(budget.total * TREE_SHARE),
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

/** Bytes of memory that reading an answer takes, about; where nothing is asked of it, fewer of its values stand beside each other. */
export function memoryFor(pieces: readonly Uint8Array[], isAsked: boolean): number {
  const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const samples = sampleOf(pieces, bytes);
  const sampled = samples.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const marks = sampled === 0 ? 0 : (countMarks(samples, Number.POSITIVE_INFINITY) * bytes) / sampled;
  const perValue = VALUE_BYTES[samples.some(holdsMembers) ? 'inJson' : 'inText'];
  return Math.ceil(bytes * COPIES + marks * (isAsked ? perValue : perValue / 2));
}

/** Whether there are members of JSON in it, be it in a text within JSON. */
function holdsMembers({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).includes('":');
}

function sampleOf(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  if (bytes <= SAMPLES * SAMPLE_BYTES) return pieces;
  const buffers = pieces.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return Array.from({ length: SAMPLES }, (_, index) => {
    const from = Math.floor((index * (bytes - SAMPLE_BYTES)) / (SAMPLES - 1));
    return slicePieces(buffers, from, from + SAMPLE_BYTES);
  }).flat();
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
      meta,
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
    meta,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
