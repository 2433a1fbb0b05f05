import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Occupancy } from './responder.js';

/** How many values there may be, and how long an unused one stays. */
interface IdleMapBounds {
  /** A value that is unused for so long is dropped. */
  readonly idleMs: number;
  readonly max: number;
  readonly maxPerOwner: number;
}

/** What was added to a full map: `owner` where its own share is used up, `all` where the whole map is. */
export type Fullness = 'owner' | 'all';

/** The explanation of a refusal for want of space. */
export function explainFullness(
  full: Fullness,
  { maxSessions, maxSessionsPerClient }: GatewayConfig['server'],
): string {
  return full === 'owner'
    ? `You have ${Math.min(maxSessionsPerClient, maxSessions)} sessions, as many as one client or address may have. End one with DELETE, or try again later; the operator can raise server.maxSessionsPerClient.`
    : `Every one of ${maxSessions} sessions is in use. Try again later; the operator can raise server.maxSessions.`;
}

export function toBounds({ sessionIdleMs, maxSessions, maxSessionsPerClient }: GatewayConfig['server']) {
  return { idleMs: sessionIdleMs, max: maxSessions, maxPerOwner: maxSessionsPerClient };
}

/** A value that has been used within this time is never dropped for another. */
const IN_USE_MS = 60_000;

interface Entry<Value> {
  readonly value: Value;
  readonly owner: string;
}

/**
 * Values that are dropped after an idle time. Each belongs to an owner: an authenticated client or a network address. A full
 * map drops a value that was unused for a minute or has never come back, and only one of the new value's owner or of an owner that has at
 * least as many: who opens many loses their own, not those of others.
 */
export class IdleMap<Value extends Occupancy> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: IdleMapBounds;
  readonly #onExpired: (value: Value) => void;
  readonly #isUnproven: (value: Value) => boolean;

  /**
   * @param onExpired called with each value that was dropped for being idle.
   * @param isUnproven whether a value may be of a client that never comes back: such values go first, and need not be idle for a minute.
   */
  constructor(
    bounds: IdleMapBounds,
    onExpired: (value: Value) => void,
    isUnproven: (value: Value) => boolean = () => false,
  ) {
    this.#bounds = bounds;
    this.#onExpired = onExpired;
    this.#isUnproven = isUnproven;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** Adds a value. Says what is full where it cannot be added. `now` in milliseconds since the epoch. */
  add(key: string, value: Value, owner: string, now: number): Fullness | undefined {
    const { max, maxPerOwner } = this.#bounds;
    const own = this.#counts.get(owner) ?? 0;
    const full = own >= maxPerOwner ? 'owner' : this.#entries.size >= max ? 'all' : undefined;
    if (full !== undefined && !this.#makeSpace(full === 'owner' ? owner : undefined, own, now)) return full;
    this.#entries.set(key, { value, owner });
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
    return undefined;
  }

  /** Takes a value out; false when it is not there. */
  remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const count = (this.#counts.get(entry.owner) ?? 1) - 1;
    if (count === 0) this.#counts.delete(entry.owner);
    else this.#counts.set(entry.owner, count);
    return true;
  }

  /** Takes everything out. */
  clear(): void {
    this.#entries.clear();
    this.#counts.clear();
  }

  /** Drops everything that has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void {
    for (const [key, { value }] of this.#entries) {
      if (value.open === 0 && now - value.lastUsedAt >= this.#bounds.idleMs) this.#drop(key, value);
    }
  }

  /**
   * Drops one unused value: of those whose owner has most, one that never came back, else the one unused for longest.
   * @param owner whose value it must be; anybody's with at least `least` values where left out.
   */
  #makeSpace(owner: string | undefined, least: number, now: number): boolean {
    let best: Candidate<Value> | undefined;
    for (const [key, { value, owner: whose }] of this.#entries) {
      if (value.open > 0 || (owner !== undefined && whose !== owner)) continue;
      const isUnproven = this.#isUnproven(value);
      if (!isUnproven && now - value.lastUsedAt < IN_USE_MS) continue;
      const candidate = { key, value, isUnproven, count: this.#counts.get(whose) ?? 0 };
      if (candidate.count >= least && (best === undefined || goesBefore(candidate, best))) best = candidate;
    }
    if (best === undefined) return false;
    this.#drop(best.key, best.value);
    return true;
  }

  #drop(key: string, value: Value): void {
    this.remove(key);
    this.#onExpired(value);
  }
}

/** A value that may be dropped. */
interface Candidate<Value> {
  readonly key: string;
  readonly value: Value;
  readonly isUnproven: boolean;
  /** How many values its owner has. */
  readonly count: number;
}

function goesBefore(one: Candidate<Occupancy>, other: Candidate<Occupancy>): boolean {
  if (one.count !== other.count) return one.count > other.count;
  if (one.isUnproven !== other.isUnproven) return one.isUnproven;
  return one.value.lastUsedAt < other.value.lastUsedAt;
}
