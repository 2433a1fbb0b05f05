import { Worker } from 'node:worker_threads';
import { threadEntry } from '../base/asset.js';
import { describeFile, type SqliteStoreOptions } from './sqlite-store.js';
import { makeUses, type StateStore, StoreError, type StoreUse } from './state-store.js';
import type { NumberedUse, StoreThreadData, StoreThreadMessage } from './store-thread.js';

interface ThreadedStoreOptions extends Pick<SqliteStoreOptions, 'now' | 'onProblem'> {
  /** How long nothing may be heard of the thread while something waits for it, in milliseconds; 10,000 unless given. */
  readonly silentMs?: number;
}

/** Longer than the thread waits for another process. */
const SILENT_MS = 10_000;

/**
 * Opens a file as a store that a thread of its own uses: what locks the file, or a slow disk, holds up nothing here (ADR 0071).
 * @throws StoreError when the file cannot be used; the message is for the operator.
 */
export async function openSqliteStore(file: string, options: ThreadedStoreOptions): Promise<StateStore> {
  const thread = new StoreThread(file, options);
  const store: StateStore = {
    description: describeFile(file),
    shared: true,
    ...makeUses((use) => thread.run(use)),
    close: () => thread.close(),
  };
  await store.count('');
  return store;
}

interface Waiting {
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (fault: StoreError) => void;
}

/** A thread that is started when it is needed, and anew when it was lost. */
class StoreThread {
  readonly #file: string;
  readonly #options: ThreadedStoreOptions;
  readonly #givenUp = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  readonly #waiting = new Map<bigint, Waiting>();
  #lastId = 0n;
  #worker: Worker | undefined;
  /** Set while something waits. It keeps the process alive meanwhile, as the thread does not. */
  #silence: NodeJS.Timeout | undefined;
  /** Unset before the first answer and once it is closed: then its owner is told, not the log. */
  #works: boolean | undefined;
  #closed = false;

  constructor(file: string, options: ThreadedStoreOptions) {
    this.#file = file;
    this.#options = options;
  }

  run(use: StoreUse): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StoreError('The state store is closed.'));
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    this.#worker.postMessage({ id, now: this.#options.now(), use } satisfies NumberedUse);
    const { silentMs = SILENT_MS } = this.#options;
    this.#silence ??= setTimeout(() => this.#giveUp(`The state store does not answer.`), silentMs);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async close(): Promise<void> {
    const closing = this.run({ method: 'close', args: [] });
    this.#closed = true;
    // A file that does not answer closes with the process.
    await closing.catch(() => undefined);
    this.#works = undefined;
    void this.#worker?.terminate();
  }

  #start(): Worker {
    const data: StoreThreadData = { file: this.#file, givenUp: this.#givenUp };
    // Its output is kept back: on stdio the process's own carries the protocol.
    const worker = new Worker(threadEntry('store/store-thread.js'), { workerData: data, stdout: true, stderr: true });
    worker.on('message', (message: StoreThreadMessage) => this.#hear(message));
    worker.on('error', ({ message }) => this.#giveUp(message));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#giveUp('The thread of the state store has ended.');
    });
    worker.unref();
    return worker;
  }

  #hear(message: StoreThreadMessage): void {
    if (this.#works === false) this.#report('answers again.');
    this.#works = true;
    if ('problem' in message) this.#options.onProblem?.(message.problem);
    else this.#settle(message);
  }

  #settle(answer: Exclude<StoreThreadMessage, { problem: string }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size > 0) this.#silence?.refresh();
    else this.#endSilence();
    if ('fault' in answer) waiting?.reject(new StoreError(answer.fault));
    else waiting?.resolve(answer.outcome);
  }

  /** Refuses all that waits; what the thread has not begun by now it does not begin. */
  #giveUp(why: string): void {
    Atomics.store(this.#givenUp, 0, this.#lastId);
    if (this.#works) {
      this.#report('does not answer: calls that need the state store are refused until it does.');
      this.#works = false;
    }
    this.#endSilence();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new StoreError(why));
  }

  #report(what: string): void {
    this.#options.onProblem?.(`${describeFile(this.#file)} ${what}`);
  }

  #endSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }
}
