import { Worker } from 'node:worker_threads';

interface ThreadPoolOptions {
  /** The module that each thread runs: it answers every message with one message. */
  readonly entry: URL;
  readonly threads: number;
  /** Jobs that wait for a thread; one more is refused. */
  readonly maxWaiting: number;
  readonly maxMegabytes: number;
  /** The longest that one job may take. */
  readonly maxMs: number;
  /** A thread that has had nothing to do for so long is ended. */
  readonly idleMs: number;
}

/** Why a job has no result: its thread ended, it took too long, or too many were waiting. */
export class ThreadFault extends Error {
  readonly kind: 'ended' | 'timeout' | 'busy';

  constructor(kind: ThreadFault['kind'], options?: ErrorOptions) {
    super(`thread: ${kind}`, options);
    this.kind = kind;
  }
}

interface Task<Job, Done> {
  readonly job: Job;
  readonly resolve: (done: Done) => void;
  readonly reject: (fault: ThreadFault) => void;
}

/** Some threads that are started when they are needed, each with one job at a time. One that fails is replaced. */
export class ThreadPool<Job, Done> {
  readonly #options: ThreadPoolOptions;
  readonly #waiting: Task<Job, Done>[] = [];
  readonly #idle: Worker[] = [];
  readonly #timers = new Map<Worker, NodeJS.Timeout>();
  readonly #all = new Set<Worker>();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Rejects with a `ThreadFault`. */
  run(job: Job): Promise<Done> {
    return new Promise((resolve, reject) => {
      const task = { job, resolve, reject };
      const thread = this.#take();
      if (thread !== undefined) this.#begin(thread, task);
      else if (this.#waiting.length < this.#options.maxWaiting) this.#waiting.push(task);
      else reject(new ThreadFault('busy'));
    });
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new ThreadFault('ended'));
    await Promise.all(Array.from(this.#all, (thread) => thread.terminate()));
  }

  #take(): Worker | undefined {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      clearTimeout(this.#timers.get(idle));
      return idle;
    }
    return this.#all.size < this.#options.threads ? this.#start() : undefined;
  }

  #start(): Worker {
    const { entry, maxMegabytes } = this.#options;
    // Its output is kept back: on stdio the process's own carries the protocol.
    const thread = new Worker(entry, {
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    });
    thread.unref();
    this.#all.add(thread);
    return thread;
  }

  #begin(thread: Worker, { job, resolve, reject }: Task<Job, Done>): void {
    const end = (fault: ThreadFault): void => {
      thread.removeAllListeners();
      // A thread that is being ended may still report.
      thread.on('error', () => {});
      clearTimeout(timer);
      this.#all.delete(thread);
      void thread.terminate();
      reject(fault);
      this.#next();
    };
    const timer = setTimeout(() => end(new ThreadFault('timeout')), this.#options.maxMs);
    thread.once('error', (cause) => end(new ThreadFault('ended', { cause })));
    thread.once('exit', () => end(new ThreadFault('ended')));
    thread.once('message', (done: Done) => {
      thread.removeAllListeners();
      clearTimeout(timer);
      this.#rest(thread);
      resolve(done);
      this.#next();
    });
    thread.postMessage(job);
  }

  #rest(thread: Worker): void {
    this.#idle.push(thread);
    const forget = (): void => {
      this.#all.delete(thread);
      const place = this.#idle.indexOf(thread);
      if (place >= 0) this.#idle.splice(place, 1);
      this.#timers.delete(thread);
    };
    thread.on('error', forget);
    const timer = setTimeout(() => {
      forget();
      void thread.terminate();
    }, this.#options.idleMs);
    this.#timers.set(thread, timer.unref());
  }

  #next(): void {
    const [task] = this.#waiting;
    const thread = task === undefined ? undefined : this.#take();
    if (task === undefined || thread === undefined) return;
    this.#waiting.shift();
    thread.removeAllListeners();
    this.#begin(thread, task);
  }
}
