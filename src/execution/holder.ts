import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { StateStore } from '../store/state-store.js';

/** How often a gateway says that it lives, while it runs something. */
export const BEAT_MS = 5_000;

/** Beats that may be missing before a gateway counts as gone: a busy one is late, and clocks differ. */
const MISSED = 2;

/** With the present one, and the next one of a clock that is ahead. */
const KEPT_SLOTS = MISSED + 2;

/** What stands between the parts of a holder's name. */
const SEPARATOR = ' ';

/** This process, which a later one with its number is not. */
const PROCESS = randomBytes(9).toString('base64url');

interface HolderDeps {
  readonly store: Pick<StateStore, 'increment' | 'count'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For how long the store has worked without a fault, in milliseconds. */
  readonly storeWorksForMs: () => number;
}

/** The gateway that runs executions, as the others of its store know it. */
export class Holder {
  readonly id: string;
  readonly #store: Pick<StateStore, 'increment' | 'count'>;
  readonly #machine = nameMachine();
  readonly #now: () => number;
  readonly #storeWorksForMs: () => number;

  constructor({ store, now, storeWorksForMs }: HolderDeps) {
    this.#store = store;
    this.#now = now;
    this.#storeWorksForMs = storeWorksForMs;
    this.id = [this.#machine, process.pid, PROCESS, randomBytes(9).toString('base64url')].join(SEPARATOR);
  }

  /** Says that this gateway lives. */
  async beat(): Promise<void> {
    const slot = this.#slot();
    const expiresAt = (slot + KEPT_SLOTS) * BEAT_MS;
    await this.#store.increment(counterOf(this.id, slot), 1, { expiresAt });
  }

  /** Whether the gateway of this name still runs. Of a process of this machine that is seen at once, of others by what they say of themselves. */
  async isAlive(id: string): Promise<boolean> {
    if (id === this.id) return true;
    const [machine, pid, run] = id.split(SEPARATOR);
    if (machine === this.#machine && run !== PROCESS && !isRunning(Number(pid))) return false;
    const slot = this.#slot();
    const slots = Array.from({ length: KEPT_SLOTS }, (_, index) => slot + 1 - index);
    const beats = await Promise.all(slots.map((each) => this.#store.count(counterOf(id, each))));
    // While the store was away, nobody could say anything.
    return beats.some((count) => count > 0) || this.#storeWorksForMs() < slots.length * BEAT_MS;
  }

  #slot(): number {
    return Math.floor(this.#now() / BEAT_MS);
  }
}

function counterOf(id: string, slot: number): string {
  return `holder/${id}/${slot}`;
}

/** The machine, with its space of process ids: containers of one machine may share its name, and not its processes. */
function nameMachine(): string {
  try {
    return `${hostname()}:${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether another process has this number. This process's own was that of one before it. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
