import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { SQL_DIALECTS, type SqlDialect, type Statement } from '../protocol/statement.js';
import type { Decision } from './decide-category.js';
import { BELIEVED, type ParameterFacts, type ToolFacts } from './facts.js';
import { RUNS_LANGUAGE } from './runner.js';
import { splitWords } from './vocabulary.js';

/** Parameters (words joined by underscores) that carry a statement. */
const CARRIER = /^(?:(?:raw_)?(?:sql|graphql|gql)(?:_(?:query|statement|string|text|command))?|query|statement)$/;

/** Words of a name that says nothing but "runs a statement". What a tool does beside it (export, schedule) has other words. */
const PLAIN_NAME = new Set(
  `run execute exec query sql raw statement db database postgres postgresql pg psql mysql mariadb sqlite sqlite3 libsql turso supabase
  neon graphql gql arbitrary custom perform read safe select data tool mcp a an the`.split(/\s+/),
);

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
 * Finds the parameter of a runner whose texts can be proven to only read. A server that lies would run a change unasked, so only a
 * trusted one is believed to run what it is given, as for dry runs; what an operator declares of the tool is final.
 */
export function findStatement(facts: ToolFacts, { category, runner }: Decision): Statement | undefined {
  const { input, parameters, words } = facts;
  const { curation, groupValue, upstream } = input;
  const isDeclared = curation.category !== undefined || curation.danger !== undefined || curation.risks !== undefined;
  if (category !== 'EXECUTE' || runner?.startsWith(RUNS_LANGUAGE) !== true || isDeclared) return undefined;
  if (input.readOnlyStatements === false || groupValue !== undefined || !BELIEVED.has(upstream.trust)) return undefined;
  const plain = new Set([...PLAIN_NAME, ...splitWords(upstream.slug)]);
  const carriers = parameters.filter((parameter) => isCarrier(parameter, input.tool));
  const [carrier] = carriers;
  if (carrier === undefined || carriers.length > 1 || !words.every((word) => plain.has(word))) return undefined;
  const text = wordsOf(facts, carrier);
  const language = /\b(?:graphql|gql)\b/.test(text) ? 'graphql' : 'sql';
  const dialects = language === 'sql' ? findDialects(text) : [];
  if (language === 'sql' && (dialects.length === 0 || !/sql/.test(text))) return undefined;
  const isCompanion = ({ key }: ParameterFacts): boolean =>
    COMPANION.test(key) || (PLACE.test(key) && !dialects.includes('sqlite'));
  return {
    language,
    dialects,
    parameter: carrier.name,
    companions: parameters
      .filter((parameter) => parameter !== carrier && isCompanion(parameter))
      .map(({ name }) => name),
  };
}

/** One free text: of a list nobody knows how the server joins it. */
function isCarrier({ key, name, values, text }: ParameterFacts, tool: JsonObject): boolean {
  return CARRIER.test(key) && values.length === 0 && text && propertyOf(tool, name)?.['type'] === 'string';
}

function propertyOf({ inputSchema }: JsonObject, name: string): JsonObject | undefined {
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  const property = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(property) ? property : undefined;
}

/** Longer descriptions say what matters before. */
const LONGEST_READ = 4_000;

/** Everything that may name the language or the product, in lower case. */
function wordsOf({ input, descriptionText }: ToolFacts, { name }: ParameterFacts): string {
  const { tool, upstream } = input;
  const texts = [
    upstream.slug,
    tool['name'],
    tool['title'],
    descriptionText,
    name,
    propertyOf(tool, name)?.['description'],
  ];
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
  if (UNKNOWN_PRODUCT.test(text)) return [];
  const named = PRODUCTS.filter(([, pattern]) => pattern.test(text)).map(([dialect]) => dialect);
  return named.length === 0 ? SQL_DIALECTS : named;
}
