/**
 * The bytes of one message that arrives in pieces. Pieces are copied into one buffer that doubles, so a message costs about
 * its bytes however small its pieces are: a piece that is kept by itself costs an object and keeps its network buffer alive.
 */
export class GrowingBuffer {
  /** The first piece is not copied, because most messages are one piece. */
  #first: Buffer | undefined;
  #joined: Buffer | undefined;
  #size = 0;
  readonly #expected: number;

  /** @param expected how many bytes will come, where that is known: no more is allocated while it is not exceeded. */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    const size = this.#size + piece.length;
    if (this.#first === undefined && this.#joined === undefined) this.#first = piece;
    else piece.copy(this.#makeSpace(size), this.#size);
    this.#size = size;
  }

  /** The bytes so far. What is added later does not change them. */
  bytes(): Buffer {
    return this.#first ?? this.#joined?.subarray(0, this.#size) ?? Buffer.alloc(0);
  }

  clear(): void {
    this.#first = undefined;
    this.#joined = undefined;
    this.#size = 0;
  }

  /** A buffer of at least this size that begins with the bytes so far. */
  #makeSpace(size: number): Buffer {
    const old = this.#joined;
    if (old !== undefined && old.length >= size) return old;
    const doubled = 2 ** Math.ceil(Math.log2(size));
    const joined = Buffer.allocUnsafeSlow(size <= this.#expected ? Math.min(doubled, this.#expected) : doubled);
    this.bytes().copy(joined);
    this.#first = undefined;
    this.#joined = joined;
    return joined;
  }
}
