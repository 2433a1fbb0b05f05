/** The operations used most often at one moment, best first. */
interface Ranking {
  readonly number: number;
  readonly names: readonly string[];
}

/** More would push aside what has not been tried yet. */
const MOST_NAMED = 10;

/** What was used once may have been a mistake. */
const LEAST_USES = 2;

/**
 * Counts the calls that succeeded since the start, so that lists begin with what is used. A ranking holds until the number of calls
 * has doubled: equal questions have equal answers in between, and there are so few rankings that all are kept for the cursors
 * of pages that began with them.
 */
export class Usage {
  readonly #uses = new Map<string, number>();
  readonly #rankings: Ranking[] = [{ number: 0, names: [] }];
  #calls = 0;
  #nextAt = 4;

  /** Notes a call that succeeded of the operation of this name. */
  count(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    this.#calls += 1;
    if (this.#calls < this.#nextAt) return;
    this.#nextAt *= 2;
    this.#rankings.push({ number: this.#rankings.length, names: this.#listMostUsed() });
  }

  /** The ranking of that number; the present one where none has it, as after a restart. */
  ranking(number?: number): Ranking {
    const present = this.#rankings.at(-1) ?? { number: 0, names: [] };
    return number === undefined ? present : (this.#rankings[number] ?? present);
  }

  #listMostUsed(): readonly string[] {
    return [...this.#uses]
      .filter(([, uses]) => uses >= LEAST_USES)
      .sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
      .slice(0, MOST_NAMED)
      .map(([name]) => name);
  }
}
