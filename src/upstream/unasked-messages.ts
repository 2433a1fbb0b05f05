import type { JsonObject } from '../base/json/json.js';
import type { ProgressUpdate } from '../base/protocol/call.js';

/** Updates that a call may send at once, and how many a second after those. */
const BURST = 20;
const PER_SECOND = 10;

/** By how much of itself progress that does not rise is raised: MCP has it increase with every update. */
const RISE = 1e-6;

/** How much progress of one call is read and relayed. What comes beyond it is dropped: the next update says more. */
export class ProgressAllowance {
  #room = BURST;
  #countedAt: number;
  #last = Number.NEGATIVE_INFINITY;
  #said: unknown;

  /** @param now milliseconds of the monotonic clock. */
  constructor(now: number) {
    this.#countedAt = now;
  }

  hasRoom(now: number): boolean {
    this.#room = Math.min(BURST, this.#room + ((now - this.#countedAt) / 1_000) * PER_SECOND);
    this.#countedAt = now;
    return this.#room >= 1;
  }

  /**
   * Takes room for one update, and gives it as clients read it: what is no number or text is left out, and what repeats or falls is raised
   * above the update before it. Undefined where there is no room, and for what says nothing new.
   */
  take(now: number, { progress, total, message, ...rest }: JsonObject): ProgressUpdate | undefined {
    if (typeof progress !== 'number' || !this.hasRoom(now)) return undefined;
    const rises = progress > this.#last;
    const isNew = typeof message === 'string' && message !== this.#said;
    if (!rises && !isNew) return undefined;
    this.#room -= 1;
    this.#last = rises ? progress : this.#last + Math.max(RISE, Math.abs(this.#last) * RISE);
    this.#said = message;
    return {
      ...rest,
      progress: this.#last,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    };
  }
}

/** The lists of which news of a change was passed on that its reader has not seen yet. */
export class ChangedLists {
  readonly #changed = new Set<string>();

  /** News of a change says the same as the one before it, as long as nothing has been done about that. */
  admit(list: string): boolean {
    if (this.#changed.has(list)) return false;
    this.#changed.add(list);
    queueMicrotask(() => this.#changed.delete(list));
    return true;
  }
}

/** As all SDKs write a notification. Progress that is written in another order is counted after it was parsed. */
export const NOTIFICATION_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\//;

const LIST_CHANGED =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\/(tools|resources|prompts)\/list_changed"/;

/** The list of which a message says that it has changed, read without parsing it; undefined for every other message. */
export function readChangedList(text: string): string | undefined {
  return LIST_CHANGED.exec(text)?.[1];
}

const PROGRESS_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\/progress"/;
const PROGRESS_TOKEN = /"progressToken"\s*:\s*"?(\d+)"?/;

/** The token of a progress notification, read without parsing it; undefined for every other message. */
export function readProgressToken(text: string): number | undefined {
  if (!PROGRESS_START.test(text)) return undefined;
  const token = PROGRESS_TOKEN.exec(text)?.[1];
  return token === undefined ? undefined : Number(token);
}
