/** A record that waits to be written. */
export interface QueuedRecord {
  /** ISO 8601. */
  readonly time: string;
  /** The members of its JSON object. */
  readonly members: string;
  /** Who caused it: `client/NAME`, `anonymous`, ... Absent for the gateway itself. */
  readonly source?: string;
}

interface Space {
  /** In characters of JSON. */
  readonly characters: number;
  readonly records: number;
}

export interface QueueLimits extends Space {
  /** How much of it one source may take; all of it unless given. */
  readonly perSource?: Space;
}

/** How many records were lost, and whose they were. */
interface Loss {
  readonly count: number;
  /** When the first of them was made, ISO 8601. */
  readonly since: string;
  readonly sources: Readonly<Record<string, number>>;
}

/** How much is kept while the disk fails: more would exhaust the gateway's memory. */
const LIMITS: QueueLimits = {
  characters: 32 * 1024 * 1024,
  records: 50_000,
  perSource: { characters: 8 * 1024 * 1024, records: 12_500 },
};

/** How many sources a loss names; further ones are counted together. */
const MAX_NAMED = 20;
const OTHERS = 'others';
const GATEWAY = 'gateway';

/** The members of a record. */
export function writeMembers(time: string, type: string, fields: object): string {
  return JSON.stringify({ time, type, ...fields }).slice(1, -1);
}

/** Records in the order in which they were put. Records beyond the limits are counted, and the count becomes a record itself. */
export class RecordQueue {
  readonly #limits: QueueLimits;
  readonly #used = new Map<string, Space>();
  #records: QueuedRecord[] = [];
  #characters = 0;
  #taken = 0;
  #loss: Loss | undefined;
  #lostInAll = 0;

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

  /** Records lost in all. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Whether a record would be kept. */
  hasSpaceFor({ source }: Pick<QueuedRecord, 'source'>): boolean {
    const { perSource } = this.#limits;
    if (isFull({ characters: this.#characters, records: this.#records.length }, this.#limits)) return false;
    const used = source === undefined ? undefined : this.#used.get(source);
    return used === undefined || perSource === undefined || !isFull(used, perSource);
  }

  push(record: QueuedRecord): void {
    if (this.hasSpaceFor(record)) {
      this.#recordLoss(record.time);
      this.#add(record);
    } else {
      this.lose(record.time, record.source);
    }
  }

  /** Counts a record that cannot be kept. */
  lose(time: string, source: string = GATEWAY): void {
    const { count, since, sources } = this.#loss ?? { count: 0, since: time, sources: {} };
    const name = source in sources || Object.keys(sources).length < MAX_NAMED ? source : OTHERS;
    this.#loss = { count: count + 1, since, sources: { ...sources, [name]: (sources[name] ?? 0) + 1 } };
    this.#lostInAll += 1;
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
    for (const record of taken) this.#account(record, -1);
    const last = taken.at(-1);
    if (last !== undefined && this.#records.length === 0) this.#recordLoss(last.time);
    return taken;
  }

  #recordLoss(time: string): void {
    if (this.#loss === undefined) return;
    const loss = this.#loss;
    this.#loss = undefined;
    this.#add({ time, members: writeMembers(time, 'lost', loss) });
  }

  #add(record: QueuedRecord): void {
    this.#records.push(record);
    this.#characters += record.members.length;
    this.#account(record, 1);
  }

  #account({ source, members }: QueuedRecord, sign: 1 | -1): void {
    if (source === undefined) return;
    const { characters, records } = this.#used.get(source) ?? { characters: 0, records: 0 };
    if (records + sign === 0) this.#used.delete(source);
    else this.#used.set(source, { characters: characters + sign * members.length, records: records + sign });
  }
}

function isFull(used: Space, limit: Space): boolean {
  return used.records >= limit.records || used.characters >= limit.characters;
}
