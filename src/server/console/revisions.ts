/** Numbers objects as they are met, for the pulse of a page: a number is small, and another one for another object. */
export class Revisions {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  numberOf(object: object): number {
    const known = this.#numbers.get(object);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(object, this.#last);
    return this.#last;
  }
}
