/** A record that waits for its line. */
export interface QueuedRecord {
  /** ISO 8601. */
  readonly time: string;
  /** The members of its JSON object. */
  readonly members: string;
}

export interface QueueLimits {
  /** In characters of JSON. */
  readonly characters: number;
  readonly records: number;
}

/** What is kept while the disk takes nothing: more would take the gateway down with it. */
const LIMITS: QueueLimits = { characters: 64 * 1024 * 1024, records: 100_000 };

/** The members of a record. */
export function writeMembers(time: string, type: string, fields: object): string {
  return JSON.stringify({ time, type, ...fields }).slice(1, -1);
}

/** Records in the order in which they came. What it cannot keep is counted, and the count becomes a record in its place. */
export class RecordQueue {
  readonly #limits: QueueLimits;
  #records: QueuedRecord[] = [];
  #characters = 0;
  #taken = 0;
  #lost: { count: number; readonly since: string } | undefined;

  constructor(limits: QueueLimits = LIMITS) {
    this.#limits = limits;
  }

  get first(): QueuedRecord | undefined {
    return this.#records[0];
  }

  get characters(): number {
    return this.#characters;
  }

  /** Records taken in all. */
  get taken(): number {
    return this.#taken;
  }

  /** Records put in all: taken and waiting. */
  get put(): number {
    return this.#taken + this.#records.length;
  }

  push(record: QueuedRecord): void {
    if (this.#isFull()) {
      this.lose(record.time);
    } else {
      this.#tellLost(record.time);
      this.#add(record);
    }
  }

  /** Counts a record that cannot be kept. */
  lose(time: string): void {
    this.#lost ??= { count: 0, since: time };
    this.#lost.count += 1;
    if (this.#records.length === 0) this.#tellLost(time);
  }

  /** Takes the oldest records: as many as come to so many characters, and one at least. */
  take(characters: number): readonly QueuedRecord[] {
    let count = 0;
    let sum = 0;
    do {
      sum += this.#records[count]?.members.length ?? 0;
      count += 1;
    } while (count < this.#records.length && sum < characters);
    const taken = this.#records.splice(0, count);
    this.#characters -= sum;
    this.#taken += taken.length;
    const last = taken.at(-1);
    if (last !== undefined && this.#records.length === 0) this.#tellLost(last.time);
    return taken;
  }

  #isFull(): boolean {
    return this.#records.length >= this.#limits.records || this.#characters >= this.#limits.characters;
  }

  #tellLost(time: string): void {
    if (this.#lost === undefined) return;
    const { count, since } = this.#lost;
    this.#lost = undefined;
    this.#add({ time, members: writeMembers(time, 'lost', { count, since }) });
  }

  #add(record: QueuedRecord): void {
    this.#records.push(record);
    this.#characters += record.members.length;
  }
}
