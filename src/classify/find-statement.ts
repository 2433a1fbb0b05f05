import { isJsonObject } from '../base/json/json.js';
import { SQL_DIALECTS, type SqlDialect, type Statement, type StatementLanguage } from '../base/protocol/operation.js';
import type { RawTool } from '../base/protocol/tools.js';
import { type ArgumentField, readArgumentFields } from './argument-fields.js';
import type { Decision } from './decide-category.js';
import { BELIEVED, findWrapper, type ToolFacts, unwrapped } from './facts.js';
import { findCarriers, RUNS_LANGUAGE } from './runner.js';
import { writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words of a name that says nothing but "runs a statement". What a tool does beside it (export, schedule) has other words. */
const PLAIN_NAME = wordList('plain-name');

/** The same, of names of the language and of its products. */
const PLAIN_NAMES: Readonly<Record<StatementLanguage, ReadonlySet<string>>> = {
  sql: setOf('sql postgres postgresql pg psql mysql mariadb sqlite sqlite3 libsql turso supabase neon'),
  graphql: setOf('graphql gql graph'),
};

/** Parameters that choose where a statement runs, what it is given, and how much of the answer comes back. */
const COMPANION =
  /^(?:params|parameters|values|args|arguments|bindings|bind_params|bind_values|query_params|variables|operation_name|limit|row_limit|max_rows|page|page_size|offset|timeout|timeout_ms|timeout_seconds|format|output_format|response_format|project_id|branch_id|connection|connection_id|connection_name)$/;
/** A file where the product is SQLite, which creates one that does not exist. */
const PLACE = /^(?:database|db|database_name|db_name|schema|schema_name|catalog)$/;

const PRODUCTS: readonly (readonly [dialect: SqlDialect, pattern: RegExp])[] = [
  ['sqlite', /\b(?:sqlite3?|libsql|turso)\b/],
  ['postgresql', /\b(?:postgres(?:ql)?|psql|pg|supabase|neon)\b/],
  ['mysql', /\bmysql\b/],
  ['mariadb', /\bmariadb\b/],
];

/** Products whose SQL, or whose other language, is not known here. */
const UNKNOWN_PRODUCT =
  /\b(?:ms ?sql|sql ?server|t-?sql|azure|oracle|pl ?sql|snowflake|bigquery|redshift|clickhouse|duckdb|motherduck|databricks|spark|hive|presto|trino|athena|cockroach(?:db)?|spanner|db2|sap|hana|teradata|vertica|firebird|influx(?:db)?|kql|kusto|soql|salesforce|cql|cassandra|scylla|n1ql|couchbase|surreal(?:db)?|surrealql|questdb|druid|pinot|dremio|exasol|singlestore|tidb|yugabyte|greenplum|timescale|materialize|risingwave|drill|impala|access|cypher|neo4j|gremlin|sparql|mongo(?:db)?|elastic(?:search)?|opensearch|esql|eql|splunk|spl|promql|logql|dynamodb|partiql|arangodb|aql|datalog|jql|wiql|osquery|steampipe|mindsdb|dolt|cloudflare|d1)\b/;

/**
 * Finds the parameter of a runner whose statements can be proven to only read. A server that lies would run a change unasked, so only a
 * trusted one is believed to run what it is given, as for dry runs; what an operator declares of the tool is final.
 */
export function findStatement(facts: ToolFacts, { category, runner }: Decision): Statement | undefined {
  const { curation, groupValue, upstream } = facts.input;
  const isDeclared = curation.category !== undefined || curation.danger !== undefined || curation.risks !== undefined;
  if (category !== 'EXECUTE' || isDeclared) return undefined;
  if (facts.input.readOnlyStatements === false || groupValue !== undefined || !BELIEVED.has(upstream.trust))
    return undefined;
  // Where several texts may run, nobody knows which of them does.
  const [first, ...others] = findCarriers(facts);
  if (first?.what !== RUNS_LANGUAGE || others.length > 0 || runner?.startsWith(RUNS_LANGUAGE) !== true)
    return undefined;
  const carrier = first.field;
  const text = wordsOf(facts, carrier);
  if (/\b(?:graphql|gql)\b/.test(text)) return statementOf(facts, carrier, 'graphql');
  const dialects = findDialects(text);
  return dialects.length === 0 || !/sql/.test(text) ? undefined : statementOf(facts, carrier, 'sql', dialects);
}

/** Whether a tool takes what may be a statement; most take none, and need not be classified to know that they run none. */
export function mayTakeStatement(tool: RawTool): boolean {
  const { description, inputSchema: schema } = tool;
  if (!isJsonObject(schema)) return false;
  const says = typeof description === 'string' && MAY_SAY.test(description.slice(0, LONGEST_READ));
  return says || MAY_SAY.test(String(tool['name'])) || readArgumentFields(schema).some(mayBeStatement);
}

const MAY_SAY = /sql|graphql|gql|\bstatement|\bquery|\bqueries/i;
const mayBeStatement = ({ key, description, text }: ArgumentField): boolean =>
  text && (MAY_SAY.test(key) || MAY_SAY.test(description) || /^q$|stmt|statement/.test(key));

function statementOf(
  { input, words, name }: ToolFacts,
  { path }: ArgumentField,
  language: StatementLanguage,
  dialects: readonly SqlDialect[] = [],
): Statement | undefined {
  const own = PLAIN_NAMES[language];
  const slug = new Set(splitWords(input.upstream.slug));
  const isPlain = words.every((word) => PLAIN_NAME.has(word) || own.has(word) || slug.has(word));
  // What reads by its name does nothing beside its statement.
  const lead = name.find(({ role }) => role === 'lead');
  const reads = lead !== undefined && name.every(({ effect }) => writeShare(effect) === 0);
  if (!isPlain && !reads) return undefined;
  const whole = unwrapped(input.tool);
  const { inputSchema: schema } = whole;
  const isCompanion = ({ key, path: own }: ArgumentField): boolean =>
    own.length <= path.length && (COMPANION.test(key) || (PLACE.test(key) && !dialects.includes('sqlite')));
  const fields = isJsonObject(schema) ? readArgumentFields(schema).filter(isCompanion) : [];
  const [parameter = '', ...inside] = input.tool === whole ? path : [findWrapper(input.tool)?.name ?? '', ...path];
  const { rowFunctions } = input;
  return {
    language,
    dialects,
    parameter,
    companions: [...new Set(fields.map((field) => field.path.at(-1) ?? ''))],
    ...(rowFunctions === 'none' && { rowFunctions }),
    ...(inside.length > 0 && { inside }),
  };
}

/** Longer descriptions say what matters before. */
const LONGEST_READ = 4_000;

/** Everything that may name the language or the product, in lower case. */
function wordsOf({ input, descriptionText }: ToolFacts, { path, description }: ArgumentField): string {
  const { tool, upstream } = input;
  const texts = [upstream.slug, tool['name'], tool['title'], descriptionText, path.join(' '), description];
  return texts
    .flatMap((text) =>
      typeof text === 'string' ? [text.slice(0, LONGEST_READ), splitWords(text.slice(0, 100)).join(' ')] : [],
    )
    .join(' ')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** The products that are named; all where none is; none where one is named that is not known. */
function findDialects(text: string): readonly SqlDialect[] {
  const named = namedDialects(text);
  return named?.length === 0 ? SQL_DIALECTS : (named ?? []);
}

/** The products that a text in lower case names; undefined where it names one that is not known here. */
export function namedDialects(text: string): readonly SqlDialect[] | undefined {
  if (UNKNOWN_PRODUCT.test(text)) return undefined;
  return PRODUCTS.filter(([, pattern]) => pattern.test(text)).map(([dialect]) => dialect);
}
