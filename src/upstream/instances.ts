import type { Cancellation } from '../base/protocol/cancellation.js';
import type { InstanceBounds } from '../config/gateway-config.js';
import { UpstreamFault } from './transport/fault.js';

/** One connection of several to a server, which belongs to one owner, or waits for its first. */
export interface Instance<T> {
  readonly connection: T;
  readonly owner: string | undefined;
}

/** One that was used within this time is never ended for another owner. */
const IN_USE_MS = 60_000;
/** What callers are told to wait for where every instance has a call in flight. */
const BUSY_RETRY_MS = 5_000;

/** Why a connection is ended. */
type EndReason = 'idle' | 'made_room' | 'asked';

interface InstancesOptions<T> {
  readonly bounds: InstanceBounds;
  /** Begins another connection. @param owner whose it is; undefined where it waits for its first */
  readonly open: (owner: string | undefined) => T;
  /** Never rejects. When it resolves, nothing is left of the connection. */
  readonly close: (connection: T) => Promise<void>;
  /** Called when a connection is given up, before it is closed. */
  readonly onEnd: (connection: T, owner: string | undefined, why: EndReason) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

interface Waiting {
  readonly cancellation: Cancellation;
  readonly timeoutMs: number;
}

interface Entry<T> {
  readonly connection: T;
  owner: string | undefined;
  inFlight: number;
  lastUsedAt: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The connections to one server of which each belongs to one owner, who takes over one that waits or begins another. What one owner
 * has had is closed at the end and never given to another.
 */
export class Instances<T> {
  readonly #options: InstancesOptions<T>;
  readonly #now: () => number;
  readonly #owned = new Map<string, Entry<T>>();
  readonly #waiting = new Set<Entry<T>>();
  readonly #ending = new Map<Entry<T>, Promise<void>>();
  #isClosed = false;

  constructor(options: InstancesOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Those that are not ending. */
  running(): readonly T[] {
    return [...this.#owned.values(), ...this.#waiting].map(({ connection }) => connection);
  }

  /** Takes a connection that exists already, for the first owner who comes. */
  adopt(connection: T): void {
    this.#waiting.add(this.#admit(connection, undefined));
    this.#replenish();
  }

  /**
   * The owner's connection, in use until `leave`. Waits for one that is ending where there are as many as there may be.
   * @throws UpstreamFault of kind `full` when all are in use by others
   */
  async enter(owner: string, wait: Waiting): Promise<Instance<T>> {
    for (;;) {
      if (this.#isClosed) throw new UpstreamFault('unavailable', 'the gateway is closing');
      const { cancelled, reason } = wait.cancellation;
      if (cancelled) throw new UpstreamFault('cancelled', reason ?? 'cancelled');
      const entry = this.#owned.get(owner) ?? this.#takeWaiting(owner) ?? this.#begin(owner);
      if (entry !== undefined) {
        entry.inFlight += 1;
        return entry;
      }
      if (this.#ending.size === 0) this.#makeSpace();
      await waitFor(Promise.race(this.#ending.values()), {
        ms: wait.timeoutMs,
        cancellation: wait.cancellation,
        otherwise: () => this.#full(),
      });
    }
  }

  /** The owner's connection, where there is one. */
  find(owner: string): T | undefined {
    return this.#owned.get(owner)?.connection;
  }

  /** A call of the instance has ended. */
  leave(instance: Instance<T>): void {
    const entry = instance as Entry<T>;
    entry.inFlight -= 1;
    entry.lastUsedAt = this.#now();
  }

  /** Ends what the owner has, with the calls in flight. */
  end(owner: string): void {
    const entry = this.#owned.get(owner);
    if (entry !== undefined) this.#end(entry, 'asked');
  }

  /** Ends all; nothing is left when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const entry of [...this.#owned.values(), ...this.#waiting]) this.#end(entry, 'asked');
    await Promise.all(this.#ending.values());
  }

  get #count(): number {
    return this.#owned.size + this.#waiting.size + this.#ending.size;
  }

  #takeWaiting(owner: string): Entry<T> | undefined {
    const [entry] = this.#waiting;
    if (entry === undefined) return undefined;
    this.#waiting.delete(entry);
    entry.owner = owner;
    entry.lastUsedAt = this.#now();
    this.#owned.set(owner, entry);
    this.#replenish();
    return entry;
  }

  #begin(owner: string): Entry<T> | undefined {
    if (this.#count >= this.#options.bounds.max) return undefined;
    const entry = this.#admit(this.#options.open(owner), owner);
    this.#owned.set(owner, entry);
    this.#replenish();
    return entry;
  }

  /** Begins those that wait for their owners. */
  #replenish(): void {
    const { open, bounds } = this.#options;
    while (!this.#isClosed && this.#waiting.size < bounds.spare && this.#count < bounds.max) {
      this.#waiting.add(this.#admit(open(undefined), undefined));
    }
  }

  #admit(connection: T, owner: string | undefined): Entry<T> {
    const entry: Entry<T> = { connection, owner, inFlight: 0, lastUsedAt: this.#now(), idle: undefined };
    this.#watch(entry, this.#idleMs);
    return entry;
  }

  get #idleMs(): number {
    return this.#options.bounds.idleSeconds * 1_000;
  }

  /** Calls set no timers: one is set anew when it finds that the instance has been used meanwhile. */
  #watch(entry: Entry<T>, ms: number): void {
    if (this.#idleMs === 0) return;
    entry.idle = setTimeout(() => this.#judgeIdle(entry), ms).unref();
  }

  #judgeIdle(entry: Entry<T>): void {
    const restMs = entry.lastUsedAt + this.#idleMs - this.#now();
    const isSpare = this.#waiting.has(entry) && this.#waiting.size <= this.#options.bounds.spare;
    if (entry.inFlight > 0 || isSpare) this.#watch(entry, this.#idleMs);
    else if (restMs > 0) this.#watch(entry, Math.ceil(restMs));
    else this.#end(entry, 'idle');
  }

  /** Ends the one that was unused for longest. @throws UpstreamFault when none was unused for long enough */
  #makeSpace(): void {
    const [longest] = this.#unused();
    if (longest === undefined || this.#now() - longest.lastUsedAt < IN_USE_MS) throw this.#full();
    this.#end(longest, 'made_room');
  }

  /** The owned ones without a call in flight, the one that was used last at the end. */
  #unused(): readonly Entry<T>[] {
    const unused = [...this.#owned.values()].filter(({ inFlight }) => inFlight === 0);
    return unused.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
  }

  #full(): UpstreamFault {
    const { max, idleSeconds } = this.#options.bounds;
    const freeMs = idleSeconds === 0 ? IN_USE_MS : Math.min(IN_USE_MS, idleSeconds * 1_000);
    const [longest] = this.#unused();
    const retryAfterMs =
      longest === undefined ? BUSY_RETRY_MS : Math.max(0, Math.ceil(longest.lastUsedAt + freeMs - this.#now()));
    return new UpstreamFault('full', `all ${max} instances are in use`, { maxInstances: max, freeMs, retryAfterMs });
  }

  #end(entry: Entry<T>, why: EndReason): void {
    clearTimeout(entry.idle);
    if (entry.owner !== undefined) this.#owned.delete(entry.owner);
    this.#waiting.delete(entry);
    this.#options.onEnd(entry.connection, entry.owner, why);
    const ended = this.#options.close(entry.connection).then(() => {
      this.#ending.delete(entry);
      this.#replenish();
    });
    this.#ending.set(entry, ended);
  }
}

interface Patience {
  readonly ms: number;
  readonly cancellation: Cancellation;
  /** What the wait ends with when patience does. */
  readonly otherwise: () => UpstreamFault;
}

/** Waits for an event that never fails, for so long. Rejects with an `UpstreamFault` when cancelled or out of time. */
export function waitFor(event: Promise<unknown>, { ms, cancellation, otherwise }: Patience): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(otherwise()), ms);
    const settle = (end: () => void) => (): void => {
      clearTimeout(timer);
      end();
    };
    void event.then(settle(resolve));
    cancellation.onCancel(settle(() => reject(new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled'))));
  });
}
