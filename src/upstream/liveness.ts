import type { PingBounds } from '../config/gateway-config.js';
import { findFault, UpstreamFault } from './transport/fault.js';

/** How long a server may take to answer a ping before it counts as deaf. */
const PING_MS = 5_000;

/** What is known of a server over its connections. */
export interface PingMemory {
  /** Whether it answers pings at all, as far as one was sent while it was certainly well. */
  answers?: boolean;
  /** The tools and methods during whose calls it has answered one. */
  readonly during: Set<string>;
}

/** What came of a ping; undefined where something else is the matter. */
type Heard = 'answer' | 'silence' | undefined;

interface LivenessOptions {
  readonly bounds: PingBounds;
  readonly connectTimeoutMs: number;
  readonly memory: PingMemory;
  readonly ping: (timeoutMs: number) => Promise<unknown>;
  /** Grows with what arrives from the server. */
  readonly activity: () => number;
  /** The tools and methods whose calls wait for an answer. */
  readonly inFlight: () => readonly string[];
  /** Whether each request has a stream of its own. */
  readonly hasPerRequestStream: boolean;
  readonly isLost: () => boolean;
  readonly onDeaf: (fault: UpstreamFault) => void;
}

/**
 * Proves by pings that a silent server hears. Any answer says so, a refusal included. One that answers none is given up where nothing
 * else explains that: see docs/adr/0039-a-silent-connection-is-proven.md.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #pingMs: number;
  #proof: Promise<void> | undefined;
  #pinging: Promise<Heard> | undefined;
  #nextBeside = 0;
  #heardAt = performance.now();
  #activitySeen = 0;
  readonly #learning: NodeJS.Timeout | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#pingMs = Math.min(PING_MS, options.connectTimeoutMs);
    const { bounds, memory } = options;
    if (bounds.afterIdleMs === 0 || memory.answers !== undefined) return;
    // Long before its silence is judged: a server that has just begun is well.
    this.#learning = setTimeout(() => void this.#learn(), bounds.afterIdleMs / 2).unref();
  }

  /** Something came. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  end(): void {
    clearTimeout(this.#learning);
  }

  /** What a request has to wait for that finds nothing else in flight; undefined where the connection has been heard lately. */
  proofBeforeCall(now: number): Promise<void> | undefined {
    if (this.#proof !== undefined) return this.#proof;
    const { bounds, memory, inFlight } = this.#options;
    if (bounds.afterIdleMs === 0 || now - this.#heardAt < bounds.afterIdleMs) return undefined;
    // What is in flight may keep the server from answering.
    if (memory.answers === false || inFlight().length > 0) return undefined;
    this.#proof = this.#proveIdle().finally(() => {
      this.#proof = undefined;
    });
    return this.#proof;
  }

  async #proveIdle(): Promise<void> {
    if ((await this.#ping()) === 'silence') this.#giveUp('it is deaf: after a pause it answered no ping');
  }

  /** Looks at the calls in flight, several times a second. @param oldest when the call that waits for longest was sent */
  watchCalls(now: number, oldest: number): void {
    const activity = this.#options.activity();
    // A long message takes its time.
    if (activity !== this.#activitySeen) this.#heardAt = now;
    this.#activitySeen = activity;
    const { duringCallMs } = this.#options.bounds;
    if (duringCallMs === 0 || now < this.#nextBeside || now - Math.max(oldest, this.#heardAt) < duringCallMs) return;
    this.#nextBeside = now + duringCallMs;
    void this.#proveBeside();
  }

  /**
   * A server that works in one thread answers nothing meanwhile: its silence proves something only during calls of tools during which it
   * has answered before.
   */
  async #proveBeside(): Promise<void> {
    const { memory, inFlight } = this.#options;
    const before = inFlight();
    const heard = await this.#ping();
    const after = new Set(inFlight());
    const waiting = before.filter((each) => after.has(each));
    if (heard === 'answer') for (const each of waiting) memory.during.add(each);
    if (heard === 'silence' && waiting.length > 0 && [...after].every((each) => memory.during.has(each)))
      this.#giveUp('it is deaf: no answer to a call, nor to a ping beside it, which it has answered before');
  }

  /** After a call that was met with silence for all its time. */
  async proveAfterTimeout(): Promise<void> {
    if ((await this.#ping()) === 'silence') this.#giveUp('it hangs: no answer to a call, nor to a ping');
  }

  async #learn(): Promise<void> {
    const { memory, inFlight } = this.#options;
    if (memory.answers !== undefined || inFlight().length > 0) return;
    const heard = await this.#ping();
    if (heard === 'silence' && inFlight().length === 0) memory.answers ??= false;
  }

  /** One at a time: who asks meanwhile gets the same answer. */
  #ping(): Promise<Heard> {
    this.#pinging ??= this.#send().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async #send(): Promise<Heard> {
    const { ping, activity, memory, hasPerRequestStream, isLost } = this.#options;
    if (isLost()) return undefined;
    const before = activity();
    try {
      await ping(this.#pingMs);
    } catch (error) {
      const fault = findFault(error);
      // On a shared pipe the answer may stand behind a long message that is still arriving.
      const delayed = !hasPerRequestStream && before !== activity();
      if (fault !== undefined) return fault.kind === 'timeout' && !delayed && !isLost() ? 'silence' : undefined;
    }
    memory.answers = true;
    return 'answer';
  }

  #giveUp(what: string): void {
    const { isLost, memory } = this.#options;
    if (isLost()) return;
    // It may have been deaf already when it was taken for one that answers no pings.
    if (memory.answers === false) delete memory.answers;
    this.#options.onDeaf(new UpstreamFault('unresponsive', `${what} within ${this.#pingMs / 1000} s`));
  }
}
