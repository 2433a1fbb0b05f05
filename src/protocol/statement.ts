/** The products whose SQL can be proven to only read. */
export const SQL_DIALECTS = ['sqlite', 'postgresql', 'mysql', 'mariadb'] as const;

export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** Languages in which a read can be told from everything else. */
export type StatementLanguage = 'sql' | 'graphql' | 'cypher' | 'mongodb-command' | 'mongodb-pipeline';

/** What a tool runs for its callers: a text, or a document, of one of these languages. */
export interface Statement {
  readonly language: StatementLanguage;
  /** The products that a text may be meant for: all of them where nothing says which. Empty for other languages than SQL. */
  readonly dialects: readonly SqlDialect[];
  /** The parameter that carries it, in the upstream's spelling. */
  readonly parameter: string;
  /** Parameters, in the upstream's spelling, that may be given beside it without making more of a call. */
  readonly companions: readonly string[];
  /** Set for the operation that runs nothing else than proven reads. */
  readonly only?: true;
}

/** What a statement that only reads begins with, or why it is not proven to only read. */
export type StatementVerdict =
  | { readonly read: true; readonly kind: string }
  | { readonly read: false; readonly why: string };
