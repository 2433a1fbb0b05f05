/** Something that must never be: what, and of whom. */
export class Violation extends Error {
  /** The invariant that does not hold. */
  readonly kind: string;

  constructor(kind: string, told: string) {
    super(`${kind}: ${told}`);
    this.kind = kind;
  }
}
