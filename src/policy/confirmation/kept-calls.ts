import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { StateStore } from '../../store/state-store.js';
import { keyOfCaller } from '../rules/caller-key.js';
import { seal, unseal } from './seal.js';

/** Where the params of one call are kept: under its token. */
export interface KeptUnder {
  /** The token as its owner has it. */
  readonly text: string;
  /** The token's key in the store. */
  readonly key: string;
}

/**
 * The params of calls that were asked to be confirmed, so that the token alone runs them: whoever confirms a large call does not
 * send it twice. They are encrypted with a key that follows from the token, of which the store has a digest only. So each gateway
 * that shares the store can read them when the token comes back, and neither a stolen store nor an operator can.
 */
export interface KeptCalls {
  /** Whether they are kept: not those of a large call, nor of a caller that keeps too many. */
  keep(under: KeptUnder, params: JsonObject, call: KeptCallOptions): Promise<boolean>;
  /** Undefined where none are kept under the token. */
  recall(under: KeptUnder): Promise<JsonObject | undefined>;
  forget(key: string): Promise<void>;
}

interface KeptCallOptions {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Whose records are removed together. */
  readonly tag: string;
}

/** Characters of JSON that are kept of one call: a document of some pages, or a worksheet. */
const MOST_OF_CALL = 100_000;
/** Of all calls of one caller within an hour. */
const MOST_OF_CALLER = 5_000_000;
const HOUR_MS = 3_600_000;

const PURPOSE = 'mcp-aql-gateway: params of a call to confirm';

export function createKeptCalls(
  store: Pick<StateStore, 'insert' | 'get' | 'remove' | 'increment'>,
  now: () => number,
): KeptCalls {
  return {
    async keep({ text, key }, params, { caller, expiresAt, tag }) {
      const written = JSON.stringify(params);
      if (written.length > MOST_OF_CALL) return false;
      const hour = Math.floor(now() / HOUR_MS);
      const counter = `tokens/kept/${hour}/${keyOfCaller(caller)}`;
      const step = { counter, by: written.length, expiresAt: (hour + 2) * HOUR_MS, limit: MOST_OF_CALLER };
      const { added } = await store.increment([step]);
      return added && store.insert('kept_call', key, { sealed: seal(written, text, PURPOSE) }, { expiresAt, tag });
    },
    async recall({ text, key }) {
      const sealed = (await store.get('kept_call', key))?.value['sealed'];
      return typeof sealed === 'string' ? unseal(sealed, text, PURPOSE) : undefined;
    },
    async forget(key) {
      await store.remove('kept_call', key);
    },
  };
}

/** So many tokens are used in five minutes at 300 a second. */
const MOST = 100_000;

/**
 * The tokens that this gateway has taken, until they expire. A store may forget it: a failover loses its last moments, and one that is put
 * back to an earlier state takes a token for unused that has run its call.
 */
export class UsedTokens {
  /** In the order of use. */
  readonly #used = new Map<string, { readonly at: number; readonly expiresAt: number }>();

  /** @param at when it was used, and `expiresAt` when nobody could use it any more, in milliseconds since the epoch */
  note(key: string, at: number, expiresAt: number): void {
    this.#dropEarliest(at);
    this.#used.set(key, { at, expiresAt });
  }

  /** When the token was used here, in milliseconds since the epoch. */
  usedAt(key: string): number | undefined {
    return this.#used.get(key)?.at;
  }

  /** Those at the beginning that have expired, or are too many: tokens live for about the same time. */
  #dropEarliest(now: number): void {
    for (const [key, { expiresAt }] of this.#used) {
      if (expiresAt > now && this.#used.size < MOST) return;
      this.#used.delete(key);
    }
  }
}
