/** A record that waits to be written. */
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

/** How much is kept while the disk fails: more would exhaust the gateway's memory. */
const LIMITS: QueueLimits = { characters: 64 * 1024 * 1024, records: 100_000 };

/** The members of a record. */
export function writeMembers(time: string, type: string, fields: object): string {
  return JSON.stringify({ time, type, ...fields }).slice(1, -1);
}

/** Records in the order in which they were put. Records beyond the limits are counted, and the count becomes a record itself. */
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
      this.#recordLoss(record.time);
      this.#add(record);
    }
  }

  /** Counts a record that cannot be kept. */
  lose(time: string): void {
    this.#lost ??= { count: 0, since: time };
    this.#lost.count += 1;
    if (this.#records.length === 0) this.#recordLoss(time);
  }

  /** Takes the oldest records, at least one, until they have so many characters. */
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
    if (last !== undefined && this.#records.length === 0) this.#recordLoss(last.time);
    return taken;
  }

  #isFull(): boolean {
    return this.#records.length >= this.#limits.records || this.#characters >= this.#limits.characters;
  }

  #recordLoss(time: string): void {
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
