import { type TransferListItem, Worker } from 'node:worker_threads';
import type { MemoryBudget } from './memory-budget.js';

interface ThreadPoolOptions<Job> {
  /** The module that each thread runs: it answers every message with one message. */
  readonly entry: URL;
  readonly threads: number;
  /** What the jobs that wait for a thread may weigh together; one more is refused. */
  readonly maxWaiting: number;
  /** 1 for each job where absent. */
  readonly weightOf?: (job: Job) => number;
  /** What the threads of several pools may take together. */
  readonly budget: MemoryBudget;
  /** Bytes of memory that a job takes, about. A job that takes more than the whole budget fails. */
  readonly needOf: (job: Job) => number;
  /** The longest that one job may take. */
  readonly maxMs: number;
  /** A thread that has had nothing to do for so long is ended. */
  readonly idleMs: number;
  /** What of a job changes hands instead of being copied. */
  readonly transfersOf?: (job: Job) => readonly TransferListItem[];
}

/** Why a job has no result: its thread used too much memory, failed (the cause says how) or was ended, it took too long, or too many were waiting. */
export class ThreadFault extends Error {
  readonly kind: 'memory' | 'failed' | 'ended' | 'timeout' | 'busy';

  constructor(kind: ThreadFault['kind'], options?: ErrorOptions) {
    super(`thread: ${kind}`, options);
    this.kind = kind;
  }
}

interface Task<Job, Done> {
  readonly job: Job;
  /** Bytes of memory. */
  readonly need: number;
  readonly resolve: (done: Done) => void;
  readonly reject: (fault: ThreadFault) => void;
}

/** Some threads that are started when they are needed, each with one job at a time. One that fails is replaced. */
export class ThreadPool<Job, Done> {
  readonly #options: ThreadPoolOptions<Job>;
  readonly #waiting: Task<Job, Done>[] = [];
  readonly #threads = new Set<Thread<Job, Done>>();

  constructor(options: ThreadPoolOptions<Job>) {
    this.#options = options;
    options.budget.onFree(() => this.#next());
  }

  /** Rejects with a `ThreadFault`. */
  run(job: Job): Promise<Done> {
    return new Promise((resolve, reject) => {
      const task = { job, need: this.#options.needOf(job), resolve, reject };
      if (task.need > this.#options.budget.total) reject(new ThreadFault('memory'));
      else if (this.#weightWith(job) > this.#options.maxWaiting && !this.#mayBegin(task))
        reject(new ThreadFault('busy'));
      else {
        this.#waiting.push(task);
        this.#next();
      }
    });
  }

  /** Whether a job need not wait. */
  #mayBegin({ need }: Task<Job, Done>): boolean {
    if (this.#waiting.length > 0 || !this.#options.budget.take(need)) return false;
    this.#options.budget.giveBack(need);
    return [...this.#threads].some(({ isIdle }) => isIdle) || this.#threads.size < this.#options.threads;
  }

  /** How many threads have a job, and how many jobs wait for one. */
  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: [...this.#threads].filter(({ isIdle }) => !isIdle).length, waiting: this.#waiting.length };
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new ThreadFault('ended'));
    await Promise.all(Array.from(this.#threads, (thread) => thread.end(new ThreadFault('ended'))));
  }

  #weightWith(job: Job): number {
    const { weightOf = () => 1 } = this.#options;
    return this.#waiting.reduce((sum, waiting) => sum + weightOf(waiting.job), weightOf(job));
  }

  #findFree(): Thread<Job, Done> | undefined {
    const idle = [...this.#threads].find(({ isIdle }) => isIdle);
    if (idle !== undefined || this.#threads.size >= this.#options.threads) return idle;
    const thread: Thread<Job, Done> = new Thread(this.#options, {
      onIdle: () => this.#next(),
      onDone: (need) => this.#options.budget.giveBack(need),
      onEnd: () => {
        this.#threads.delete(thread);
        this.#next();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #next(): void {
    for (let [task] = this.#waiting; task !== undefined; [task] = this.#waiting) {
      const thread = this.#findFree();
      if (thread === undefined || !this.#options.budget.take(task.need)) return;
      this.#waiting.shift();
      thread.begin(task);
    }
  }
}

const MB = 1024 * 1024;

/** What a thread takes before it has a job, and more than an estimate says. */
const OWN_MB = 32;

/** A heap that is collected often grows less. */
const YOUNG_MB = 8;

/** A thread whose job took more is ended with it. */
const MOST_KEPT = 64 * MB;

interface ThreadEvents {
  /** A job has ended, which took so many bytes. */
  readonly onDone: (need: number) => void;
  readonly onIdle: () => void;
  readonly onEnd: () => void;
}

class Thread<Job, Done> {
  readonly #options: ThreadPoolOptions<Job>;
  readonly #events: ThreadEvents;
  readonly #worker: Worker;
  #task: Task<Job, Done> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: ThreadPoolOptions<Job>, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
    const { entry, budget } = options;
    // Its output is kept back: on stdio the process's own carries the protocol.
    this.#worker = new Worker(entry, {
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil(budget.total / MB) + OWN_MB,
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
    });
    this.#worker.on('message', (done: Done) => this.#finish(done));
    this.#worker.on('error', (cause) => void this.end(faultOf(cause)));
    // Where it was not ended from here.
    this.#worker.on('exit', () => void this.end(new ThreadFault('failed')));
    this.#worker.unref();
  }

  get isIdle(): boolean {
    return this.#task === undefined && !this.#ended;
  }

  begin(task: Task<Job, Done>): void {
    this.#task = task;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(new ThreadFault('timeout')), this.#options.maxMs);
    this.#worker.postMessage(task.job, this.#options.transfersOf?.(task.job) ?? []);
  }

  /** Ends the thread and fails its job. */
  async end(fault: ThreadFault): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const ending = this.#worker.terminate();
    const task = this.#task;
    this.#task = undefined;
    task?.reject(fault);
    if (task !== undefined) this.#events.onDone(task.need);
    this.#events.onEnd();
    await ending;
  }

  #finish(done: Done): void {
    const task = this.#task;
    this.#task = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(new ThreadFault('ended')), this.#options.idleMs).unref();
    task?.resolve(done);
    if (task === undefined) return;
    // What a heap has grown by is free again only with its thread.
    if (task.need > MOST_KEPT) void this.end(new ThreadFault('ended'));
    this.#events.onDone(task.need);
    this.#events.onIdle();
  }
}

function faultOf(cause: Error): ThreadFault {
  const isMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new ThreadFault(isMemory ? 'memory' : 'failed', { cause });
}

/** Smaller pieces cost little to copy. */
const LEAST_TRANSFERRED = 64 * 1024;

/**
 * The memory of some bytes that changes hands between threads without being copied: the sender has none of it left. What threads share stays,
 * and so does Node's pool of small buffers, in which others lie (64 kB from Node.js 24 on, https://nodejs.org/api/buffer.html#bufferpoolsize).
 */
export function transferable(pieces: readonly Uint8Array[]): readonly ArrayBuffer[] {
  const buffers = pieces.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  const least = Math.max(LEAST_TRANSFERRED, Buffer.poolSize + 1);
  return [...new Set(buffers)].filter(({ byteLength }) => byteLength >= least);
}
