import { createHash } from 'node:crypto';
import { getOrMake } from '../../../base/lib/collections.js';

/** Where the rankings of other replicas are found; names of operations are no secret of a caller. */
interface SharedRankings {
  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean>;
  get(name: string): Promise<Buffer | undefined>;
}

/** The operations used most often at one moment, best first. */
interface Ranking {
  /** The same for the same names, in every replica. */
  readonly number: number;
  readonly names: readonly string[];
}

/** More would push aside what has not been tried yet. */
const MOST_NAMED = 10;

/** A list is not read on for longer. */
const LIFE_MS = 86_400_000;

const NO_RANKING: Ranking = { number: 0, names: [] };

function numberOf(names: readonly string[]): number {
  return names.length === 0 ? 0 : createHash('sha256').update(names.join('\n')).digest().readUInt32BE();
}

/** What was used once may have been a mistake. */
const LEAST_USES = 2;

/**
 * Counts the calls that succeeded since the start, so that lists begin with what is used. A ranking holds until the number of calls
 * has doubled: equal questions have equal answers in between, and there are so few rankings that all are kept for the cursors
 * of pages that began with them. Notes, too, what answers have told of their servers.
 */
export class Usage {
  readonly #uses = new Map<string, number>();
  readonly #products = new Map<string, Set<string>>();
  readonly #rankings = new Map<number, Ranking>([[NO_RANKING.number, NO_RANKING]]);
  readonly #shared: SharedRankings | undefined;
  #present: Ranking = NO_RANKING;
  #calls = 0;
  #nextAt = 4;

  /** @param shared where replicas find each other's rankings; absent where there are none */
  constructor(shared?: SharedRankings) {
    this.#shared = shared;
  }

  /** Notes a call that succeeded of the operation of this name. */
  count(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    this.#calls += 1;
    if (this.#calls < this.#nextAt) return;
    this.#nextAt *= 2;
    const names = this.#listMostUsed();
    this.#present = { number: numberOf(names), names };
    this.#rankings.set(this.#present.number, this.#present);
    const options = { owner: '', expiresAt: Date.now() + LIFE_MS };
    // Without it, a list that is read on in another replica begins in another order.
    this.#shared?.put(String(this.#present.number), Buffer.from(JSON.stringify(names)), options).catch(() => undefined);
  }

  /** Notes in whose words a server has answered a statement. */
  noteProduct(upstream: string, product: string): void {
    getOrMake(this.#products, upstream, () => new Set<string>()).add(product);
  }

  /** The products whose words a server's answers were in. */
  productsOf(upstream: string): readonly string[] {
    return [...(this.#products.get(upstream) ?? [])];
  }

  get present(): Ranking {
    return this.#present;
  }

  /** The ranking of that number; the present one where none has it, as after a restart. */
  ranking(number?: number): Ranking | Promise<Ranking> {
    const known = number === undefined ? this.#present : this.#rankings.get(number);
    if (known !== undefined) return known;
    if (this.#shared === undefined || number === undefined) return this.#present;
    return this.#find(number, this.#shared);
  }

  async #find(number: number, shared: SharedRankings): Promise<Ranking> {
    const bytes = await shared.get(String(number)).catch(() => undefined);
    const names: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    if (!Array.isArray(names)) return this.#present;
    const found = { number, names: names.map(String) };
    this.#rankings.set(number, found);
    return found;
  }

  #listMostUsed(): readonly string[] {
    return [...this.#uses]
      .filter(([, uses]) => uses >= LEAST_USES)
      .sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
      .slice(0, MOST_NAMED)
      .map(([name]) => name);
  }
}
