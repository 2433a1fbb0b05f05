/**
 * Headers of the request that a call came with, for upstreams that are called with their caller's rights. They may hold secrets: the
 * values are reached by `get` alone, so that no log line, record or copy of the caller has them.
 */
export class CarriedHeaders {
  readonly #values: ReadonlyMap<string, string>;

  /** @param values by names in lower case */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  toJSON(): undefined {
    return undefined;
  }
}
