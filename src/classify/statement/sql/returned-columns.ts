import type { SchemaCode } from '../../../base/protocol/operation.js';
import { type Token, textOf } from '../cursor.js';
import { NotProven } from '../not-proven.js';

/** The columns that functions in FROM give their rows. */
const OWN_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  ['json_each', 'jsonb_each', 'json_each_text', 'jsonb_each_text'].map((name) => [name, ['key', 'value']]),
);

/**
 * PostgreSQL takes `x.f` for the call `f(x)` where x has no column f. On the values of `FROM generate_series(1, 2) AS x` it may be any
 * function; on the rows of a table or a query it is one of the schema's own, which may change something (docs/adr/0050). So the column has
 * to be known: from the statement, or by the operator's word that the schema has no functions of rows.
 */
export class ReturnedColumns {
  readonly #columns = new Map<string, ReadonlySet<string>>();
  /** Aliases of what a function in FROM gives. */
  readonly #values = new Set<string>();
  readonly #references: { readonly qualifier: string; readonly column: Token }[] = [];

  /** A function in FROM; an alias that is used twice has the columns that both give it. */
  add(name: string, alias: string, columns: readonly string[] = [alias, ...(OWN_COLUMNS.get(name) ?? [])]): void {
    this.#values.add(alias);
    this.#know(alias, columns);
  }

  #know(alias: string, columns: readonly string[]): void {
    const before = this.#columns.get(alias);
    this.#columns.set(alias, new Set(before === undefined ? columns : columns.filter((column) => before.has(column))));
  }

  /** The rows of a table or a query; their columns are known where the statement names them. */
  addRows(alias: string, columns: readonly string[] = []): void {
    this.#know(alias, columns);
  }

  /** A column that is named with its table. */
  refer(qualifier: string, column: Token): void {
    this.#references.push({ qualifier, column });
  }

  /** Throws where a column of such an alias is not known; only now is every alias. */
  require(schema: SchemaCode): void {
    for (const { qualifier, column } of this.#references) {
      if (schema !== 'possible' && !this.#values.has(qualifier)) continue;
      if (this.#columns.get(qualifier)?.has(textOf(column)) !== true)
        throw new NotProven(
          `'${textOf(column)}' (character ${column.at}) may be a call on PostgreSQL and not a column of '${qualifier}': name it without '${qualifier}.' where it is the only one`,
        );
    }
  }
}
