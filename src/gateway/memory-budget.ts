import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MB = 1024 * 1024;

/** Of what the process may use, the share that its threads may take together; the rest is the process's own. */
const SHARE = 0.5;

const LEAST = 128 * MB;
const MOST = 2_048 * MB;

/**
 * Bytes that all threads may take together: half of the least of the memory of the machine, what the container leaves the process
 * (cgroups), and its heap's limit (`--max-old-space-size`).
 */
export function memoryOfThreads(limits = ownLimits()): number {
  return Math.min(Math.max(Math.floor(Math.min(...limits) * SHARE), LEAST), MOST);
}

/** Of the budget, what is held by programs at most: answers have the rest, also those that programs wait for. */
const HELD_SHARE = 0.5;

function ownLimits(): readonly number[] {
  const contained = process.constrainedMemory();
  return [totalmem(), getHeapStatistics().heap_size_limit, ...(contained > 0 ? [contained] : [])];
}

/** What the jobs of all threads may take at once, in bytes. Jobs that do not fit wait for others to end. */
export class MemoryBudget {
  readonly total: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #held = 0;

  constructor(total: number = memoryOfThreads()) {
    this.total = total;
  }

  /**
   * Whether so much was free, and is taken now. A job alone begins whatever is held: a program that holds it may wait for this job.
   */
  take(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + this.#held + bytes > this.total) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
    this.#tellFree();
  }

  /** Whether so much was left to programs, and is held now, until `release`. One program alone always begins. */
  hold(bytes: number): boolean {
    if (this.#held > 0 && this.#held + bytes > this.total * HELD_SHARE) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
    this.#tellFree();
  }

  /** Calls a function whenever something is given back. */
  onFree(look: () => void): void {
    this.#waiting.add(look);
  }

  #tellFree(): void {
    for (const look of [...this.#waiting]) look();
  }
}
