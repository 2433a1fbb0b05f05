import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { StateStore } from '../../store/state-store.js';
import { keyOfCaller } from '../rules/caller-key.js';

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

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
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
      const { added } = await store.increment(`tokens/kept/${hour}/${keyOfCaller(caller)}`, written.length, {
        expiresAt: (hour + 2) * HOUR_MS,
        limit: MOST_OF_CALLER,
      });
      return added && store.insert('kept_call', key, { sealed: seal(written, text) }, { expiresAt, tag });
    },
    async recall({ text, key }) {
      const sealed = (await store.get('kept_call', key))?.value['sealed'];
      return typeof sealed === 'string' ? unseal(sealed, text) : undefined;
    },
    async forget(key) {
      await store.remove('kept_call', key);
    },
  };
}

function seal(written: string, token: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(token), iv);
  const encrypted = Buffer.concat([cipher.update(written, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** Undefined where the record was changed in the store. */
function unseal(sealed: string, token: string): JsonObject | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, keyFrom(token), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const written = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    const params: unknown = JSON.parse(written.toString('utf8'));
    return isJsonObject(params) ? params : undefined;
  } catch {
    return undefined;
  }
}

/** A token has 256 random bits: a key derived from it needs no salt. */
function keyFrom(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', PURPOSE, KEY_BYTES));
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
