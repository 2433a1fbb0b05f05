import { isJsonObject, type JsonObject } from '../base/json/json.js';
import {
  type Operation,
  type ReadOnlyAccount,
  type SqlDialect,
  type Statement,
  type StatementVerdict,
  variantOf,
} from '../base/protocol/operation.js';
import { proveRead } from '../classify/prove-read.js';

/** What is known of the statements of one call, each of which has to read; undefined for an operation that runs none. */
export function statementVerdict({ classification }: Operation, args: JsonObject): StatementVerdict | undefined {
  const { statement, account } = classification;
  if (statement === undefined) return undefined;
  const path = [statement.parameter, ...(statement.inside ?? [])];
  const verdict = verdictOn(statement, args, path);
  if (verdict.read || account?.holds !== true) return verdict;
  const resting = verdictOn({ ...statement, rowFunctions: 'harmless' }, args, path);
  return resting.read ? { ...resting, account } : resting;
}

function verdictOn(statement: Statement, value: unknown, path: readonly string[]): StatementVerdict {
  if (Array.isArray(value)) return verdictOnAll(statement, value, path);
  const [name, ...rest] = path;
  if (name === undefined) return proveRead(statement, value);
  if (!isJsonObject(value)) return { read: false, why: `what should hold '${name}' is no object` };
  const given = Object.keys(value).filter((key) => value[key] !== undefined && value[key] !== null);
  const others = given.filter((key) => key !== name);
  const other = others.find((key) => !statement.companions.includes(key));
  if (other !== undefined)
    return { read: false, why: `parameter '${other}' may make more of the call than its statement` };
  const unclear = others.find((key) => !isPlainValue(value[key]));
  if (unclear !== undefined)
    return {
      read: false,
      why: `parameter '${unclear}' holds more than plain values, and a server may paste it into the statement`,
    };
  return verdictOn(statement, Object.hasOwn(value, name) ? value[name] : undefined, rest);
}

function verdictOnAll(statement: Statement, items: readonly unknown[], path: readonly string[]): StatementVerdict {
  const verdicts = items.map((item) => verdictOn(statement, item, path));
  return verdicts.find(({ read }) => !read) ?? verdicts[0] ?? { read: false, why: 'it holds no statement' };
}

/** Whatever a value is pasted into, these neither end a literal nor begin anything. */
const PLAIN_TEXT = /^(?!.*--)[^'"`;\\()[\]{}#/*$<>=\p{C}]*$/su;

/** Looks through everything without recursion, because callers decide the depth. */
function isPlainValue(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && !PLAIN_TEXT.test(next)) return false;
    if (Array.isArray(next)) for (const element of next) open.push(element);
    else if (isJsonObject(next)) for (const [name, member] of Object.entries(next)) open.push(name, member);
  }
  return true;
}

/** The operation as calls use it whose statement is proven to only read; undefined for a call that is not. */
export function provenRead(operation: Operation, args: JsonObject): Operation | undefined {
  const { statement } = operation.classification;
  // The operation for reads alone is a READ already.
  if (statement === undefined || statement.only === true || !isLowered(operation)) return undefined;
  const verdict = statementVerdict(operation, args);
  return verdict?.read === true ? asRead(operation, statement, verdict.kind, verdict.account) : undefined;
}

/** A forbidden or dangerous name stays what it is. */
function isLowered({ classification }: Operation): boolean {
  const { level } = classification.danger;
  return level === 'reversible' || level === 'destructive';
}

/** Any call of the operation that is proven to only read; undefined where it has none. */
export function readVariant(operation: Operation): Operation | undefined {
  const { statement } = operation.classification;
  return statement === undefined || statement.only === true || !isLowered(operation)
    ? undefined
    : asRead(operation, statement, 'SELECT');
}

function asRead(operation: Operation, statement: Statement, kind: string, account?: ReadOnlyAccount): Operation {
  const proven = `the statement in '${statement.parameter}' is proven to only read: ${kind} in ${languageOf(statement)}`;
  const reason = account === undefined ? proven : `${proven}, as ${account.reason}`;
  return variantOf(operation, JSON.stringify(['read', reason]), () => ({
    retryable: true,
    classification: {
      ...operation.classification,
      category: 'READ',
      danger: { level: 'safe', reasons: [reason] },
      evidence: [reason, ...operation.classification.evidence],
    },
  }));
}

const PRODUCTS: Readonly<Record<SqlDialect, string>> = {
  sqlite: 'SQLite',
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
};

/** `GraphQL`, `the SQL of SQLite`, `the SQL of every product` */
export function languageOf({ language, dialects }: Statement): string {
  if (language === 'graphql') return 'GraphQL';
  return `the SQL of ${dialects.map((dialect) => PRODUCTS[dialect]).join(', ')}`;
}
