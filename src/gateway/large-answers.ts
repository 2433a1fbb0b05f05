import type { GatewayConfig } from '../config/gateway-config.js';
import { ThreadFault, ThreadPool } from '../lib/thread-pool.js';
import type { Observer } from '../observe/observation.js';
import type { ShapeLargeCall } from '../pipeline/pipeline.js';
import { type LargeAnswer, LargeMessage } from '../protocol/large-answer.js';
import { OperationError } from '../protocol/operation-error.js';
import type { ContentBlock, Reply } from '../protocol/result.js';
import { withoutSchemas } from '../results/detached.js';
import type { ResultService } from '../results/result-types.js';
import type { LargeAnswerJob, ShapedLarge } from './shape-large.js';

/** Shapes large answers in threads. */
interface LargeAnswers {
  readonly shape: ShapeLargeCall;
  close(): Promise<void>;
}

/** Tests run the sources, which a thread cannot load: there it is the build that runs. */
const ENTRY = import.meta.url.endsWith('.ts') ? '../../dist/gateway/answer-thread.js' : '../gateway/answer-thread.js';

const THREADS = {
  threads: 2,
  maxWaiting: 64,
  maxMegabytes: 1_024,
  maxMs: 60_000,
  idleMs: 60_000,
};

export function openLargeAnswers(
  { limits, errors }: Pick<GatewayConfig, 'limits' | 'errors'>,
  results: Pick<ResultService, 'detach' | 'attach'>,
  observe: Observer,
): LargeAnswers {
  const entry = new URL(ENTRY, import.meta.url);
  const pool = new ThreadPool<LargeAnswerJob, ShapedLarge>({ ...THREADS, entry });
  return {
    async shape(answer, { operation, ...context }, query, warnings) {
      const job = {
        answer: answer.parts,
        context: { ...context, operation: withoutSchemas(operation) },
        query,
        warnings,
        results: results.detach({ ...context, operation }),
        limits,
        words: errors.upstreamWords,
      };
      const shaped = await pool.run(job).catch((thrown: unknown) => {
        throw thrown instanceof ThreadFault ? unreadable(thrown, answer) : thrown;
      });
      if (shaped.defect !== undefined) observe({ kind: 'defect', where: 'large answer', cause: shaped.defect });
      results.attach({ ...context, operation }, shaped.finished);
      return toReply(shaped);
    },
    close: () => pool.close(),
  };
}

const REASONS: Readonly<Record<ThreadFault['kind'], string>> = {
  ended: 'reading it takes too much memory',
  timeout: 'reading it takes too long',
  busy: 'too many others are being read',
};

function unreadable({ kind }: ThreadFault, { parts }: LargeAnswer): OperationError {
  const { upstream } = parts.call;
  const { length } = new LargeMessage(parts.pieces);
  return new OperationError(
    'INTERNAL_ERROR',
    `The server '${upstream}' gave an answer of ${length} bytes, but ${REASONS[kind]}. The call ran. Ask for less, for example for a page or a shorter range`,
    { upstream, reason: 'answer_too_complex', retryable: kind === 'busy', outcome: 'ran' },
  );
}

/** The reply whose text and blocks are read out of its bytes by the few that look at them. */
function toReply({ written, isError, code, meta, extra }: ShapedLarge): Reply {
  const pieces = written.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
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
    ...(extra === undefined ? {} : { extra }),
  };
}
