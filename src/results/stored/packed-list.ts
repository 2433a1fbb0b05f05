/** A list of JSON values that is stored as bytes, so that its cost is known and its items can be read one by one. */
export interface PackedList {
  /** The JSON texts one after the other. */
  readonly content: Buffer;
  readonly ends: Uint32Array;
  readonly length: number;
  /** Bytes of memory that it takes. */
  readonly bytes: number;
  /** The JSON text of one item. */
  textAt(index: number): string;
  valueAt(index: number): unknown;
}

const BLOCK_BYTES = 1024 * 1024;
/** A UTF-16 unit is never more than three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const NOTHING = Buffer.alloc(0);

/** Packs JSON texts one by one, so that a list of millions of small items never stands in memory as as many strings. */
export class ListPacker {
  readonly #ends: Uint32Array;
  readonly #full: Buffer[] = [];
  #block = NOTHING;
  /** Bytes of the block that are in use. */
  #used = 0;
  #count = 0;
  #bytes = 0;

  /** @param count how many items are added */
  constructor(count: number) {
    this.#ends = new Uint32Array(count);
  }

  /** Of the list with what has been added so far. */
  get bytes(): number {
    return this.#bytes + this.#ends.byteLength;
  }

  add(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (this.#used + most > this.#block.length) this.#open(most);
    const written = this.#block.write(text, this.#used);
    this.#used += written;
    this.#bytes += written;
    this.#ends[this.#count] = this.#bytes;
    this.#count += 1;
  }

  /** The list of what was added; nothing is added after it. */
  pack(): PackedList {
    this.#open(0);
    // Unpooled: a small list must not hold on to a slab of the pool, which is not counted.
    const content = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const block of this.#full.splice(0)) at += block.copy(content, at);
    return readPacked(content, this.#ends);
  }

  #open(least: number): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#used = 0;
    this.#block = least === 0 ? NOTHING : Buffer.allocUnsafeSlow(Math.max(least, this.#nextBytes()));
  }

  /** Blocks of short lists are short. */
  #nextBytes(): number {
    return Math.min(BLOCK_BYTES, Math.max(1_024, this.#bytes));
  }
}

/** Packs values: exactly as many bytes as their JSON texts take in UTF-8, and four an item for where it ends. */
export function packList(items: readonly unknown[], write: (item: unknown) => string = writeJson): PackedList {
  const packer = new ListPacker(items.length);
  for (const item of items) packer.add(write(item));
  return packer.pack();
}

function writeJson(item: unknown): string {
  return JSON.stringify(item) ?? 'null';
}

/** A function of its own, so that the list does not hold on to what it was packed from. */
export function readPacked(content: Buffer, ends: Uint32Array): PackedList {
  const textAt = (index: number): string => {
    const end = ends[index];
    if (end === undefined) throw new RangeError(`There is no item ${index} in a list of ${ends.length}`);
    return content.toString('utf8', ends[index - 1] ?? 0, end);
  };
  return {
    content,
    ends,
    length: ends.length,
    bytes: content.byteLength + ends.byteLength,
    textAt,
    valueAt: (index) => JSON.parse(textAt(index)),
  };
}
