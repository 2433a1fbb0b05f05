import { Worker } from 'node:worker_threads';
import { threadEntry } from '../../base/asset.js';
import type { Delivery, EngineFault, ThreadStart, Turn } from './thread-messages.js';

/** What is not computing: starting the thread, loading the engine and reading the messages, on a machine that is busy. */
const GRACE_MS = 10_000;

/** How much longer than it computes a turn may take: others have the processor, too. */
const PATIENCE = 4;

const MIB = 1024 * 1024;
/** Of the thread, for the engine's functions that call themselves. */
const STACK_MEGABYTES = 8;
/** Of the thread's own, beside the engine's memory: its code and the texts that cross the border. */
const HEAP_MEGABYTES = 128;

/** The thread of one program. What the engine cannot interrupt ends with it. */
export class Engine {
  readonly #worker: Worker;
  readonly #turnMs: number;
  #give: ((turn: Turn) => void) | undefined;
  #first: Promise<Turn> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #fault: EngineFault | undefined;
  readonly #onDefect: (cause: unknown) => void;

  constructor(start: ThreadStart, onDefect: (cause: unknown) => void) {
    const { bounds } = start;
    this.#onDefect = onDefect;
    this.#turnMs = PATIENCE * bounds.computeMs + GRACE_MS;
    this.#worker = new Worker(threadEntry('modules/programs/thread.js'), {
      workerData: start,
      env: {},
      execArgv: [],
      // Its output is kept back: on stdio the process's own carries the protocol.
      stdout: true,
      stderr: true,
      resourceLimits: {
        stackSizeMb: STACK_MEGABYTES,
        maxOldGenerationSizeMb: HEAP_MEGABYTES + Math.ceil(bounds.memoryBytes / MIB),
      },
    });
    this.#worker.on('message', (turn: Turn) => this.#settle(turn));
    this.#worker.on('error', (cause) => this.#fail(faultOf(cause), cause));
    this.#worker.on('exit', () => this.#fail('failed', new Error('the thread of a program has ended by itself')));
    this.#worker.unref();
    this.#first = this.#nextTurn();
  }

  /** What the program does until it waits for answers. Never rejects, as all of these: a thread that is gone is the end of its program. */
  begin(): Promise<Turn> {
    return this.#first ?? this.#nextTurn();
  }

  deliver(delivery: Delivery): Promise<Turn> {
    const turn = this.#nextTurn();
    this.#worker.postMessage(delivery);
    return turn;
  }

  /** Ends the thread, whatever it does. */
  close(): void {
    this.#fault ??= 'failed';
    this.#settle(this.#lost());
    void this.#worker.terminate();
  }

  #nextTurn(): Promise<Turn> {
    if (this.#fault !== undefined) return Promise.resolve(this.#lost());
    return new Promise((resolve) => {
      this.#give = resolve;
      // It keeps a process of one call alive: the thread does not.
      this.#timer = setTimeout(() => this.#fail('time', undefined), this.#turnMs);
    });
  }

  #settle(turn: Turn): void {
    clearTimeout(this.#timer);
    const give = this.#give;
    this.#give = undefined;
    give?.(turn);
  }

  #fail(fault: EngineFault, cause: unknown): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    if (fault === 'failed') this.#onDefect(cause);
    this.close();
  }

  #lost(): Turn {
    return { calls: [], console: '', end: { kind: 'fault', fault: this.#fault ?? 'failed' } };
  }
}

function faultOf(cause: Error): EngineFault {
  if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'memory';
  return cause instanceof RangeError ? 'stack' : 'failed';
}
