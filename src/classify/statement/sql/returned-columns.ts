import { type Token, textOf } from '../cursor.js';
import { NotProven } from '../not-proven.js';

/** The columns that functions in FROM give their rows. */
const OWN_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  ['json_each', 'jsonb_each', 'json_each_text', 'jsonb_each_text'].map((name) => [name, ['key', 'value']]),
);

/**
 * PostgreSQL takes `x.f` for the call `f(x)` where x has no column f. On rows such a function is a user's own; on the values of
 * `FROM generate_series(1, 2) AS x` it may be any, so there the column has to be known.
 */
export class ReturnedColumns {
  readonly #columns = new Map<string, ReadonlySet<string>>();
  readonly #references: { readonly qualifier: string; readonly column: Token }[] = [];

  /** A function in FROM; an alias that is used twice has the columns that both give it. */
  add(name: string, alias: string, columns: readonly string[] = [alias, ...(OWN_COLUMNS.get(name) ?? [])]): void {
    const before = this.#columns.get(alias);
    this.#columns.set(alias, new Set(before === undefined ? columns : columns.filter((column) => before.has(column))));
  }

  /** A column that is named with its table. */
  refer(qualifier: string, column: Token): void {
    this.#references.push({ qualifier, column });
  }

  /** Throws where a column of such an alias is not known; only now is every alias. */
  require(): void {
    for (const { qualifier, column } of this.#references) {
      if (this.#columns.get(qualifier)?.has(textOf(column)) === false)
        throw new NotProven(
          `'${textOf(column)}' (character ${column.at}) may be a call and not a column of '${qualifier}'`,
        );
    }
  }
}
