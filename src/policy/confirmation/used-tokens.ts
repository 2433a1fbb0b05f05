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
