import { type Operation, SQL_DIALECTS } from '../base/protocol/operation.js';
import { namedDialects } from '../classify/find-statement.js';
import { languageOf } from './proven-read.js';

/** Longer texts say before what they are about. */
const LONGEST_READ = 4_000;

/** What a server has told of its SQL. */
export interface Told {
  /** What it says of itself and of its tools. */
  readonly texts: readonly string[];
  /** In whose words it has answered failed statements. */
  readonly products: readonly string[];
}

/**
 * Which SQL the statements of an operation are in, as a sentence: as its own texts say, else as its server's answers or texts do. What is
 * proven to read depends on its own texts alone. Empty for what runs no SQL.
 */
export function describeDialect({ classification: { statement } }: Operation, { texts, products }: Told): string {
  if (statement === undefined || statement.language !== 'sql') return '';
  if (statement.dialects.length < SQL_DIALECTS.length) return `Speaks ${languageOf(statement)}.`;
  if (products.length > 0) return `Speaks the SQL of ${products.join(' or ')}, as its server's answers say.`;
  const named = namedDialects(
    texts
      .map((text) => text.slice(0, LONGEST_READ).replaceAll('_', ' '))
      .join(' ')
      .toLowerCase(),
  );
  return named === undefined || named.length === 0
    ? "Its server does not say which SQL it speaks: a failed statement's words may."
    : `Speaks ${languageOf({ ...statement, dialects: named })}, as its server's texts say.`;
}

/** What products say, and no other. */
const WORDS_OF: readonly (readonly [product: string, pattern: RegExp])[] = [
  ['SQLite', /\bSQLITE_[A-Z]+|\bno such (?:table|column|function): |\bnear "[^"\n]{0,80}": syntax error/],
  ['PostgreSQL', /\b(?:relation|column|schema) "?[^"\n]{1,80}"? does not exist|\bsyntax error at or near "/],
  ['MariaDB', /\bcorresponds to your MariaDB server version/],
  ['MySQL', /\bcorresponds to your MySQL server version|\bER_[A-Z]+_[A-Z_]+\b/],
  ['SQL Server', /\bIncorrect syntax near |\bInvalid object name '/],
  ['Oracle', /\bORA-\d{5}\b/],
];

/** The product whose words a failed statement was answered with; undefined where they are nobody's, and for what runs no SQL. */
export function productOfFailure({ classification: { statement } }: Operation, words: string): string | undefined {
  if (statement?.language !== 'sql') return undefined;
  return WORDS_OF.find(([, pattern]) => pattern.test(words))?.[0];
}
