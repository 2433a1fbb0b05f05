import { isJsonObject, type JsonObject } from '../base/json/json.js';
import {
  type Operation,
  type SqlDialect,
  type Statement,
  type StatementVerdict,
  variantOf,
} from '../base/protocol/operation.js';
import { proveRead } from '../classify/prove-read.js';

/** What is known of the statement of one call; undefined for an operation that runs none. */
export function statementVerdict({ classification }: Operation, args: JsonObject): StatementVerdict | undefined {
  const { statement } = classification;
  if (statement === undefined) return undefined;
  const { inside } = statement;
  const outer = inside === undefined ? undefined : args[inside];
  if (inside !== undefined && (!isJsonObject(outer) || Object.keys(args).length > 1))
    return { read: false, why: `'${inside}' is no object that holds it` };
  return verdictOn(statement, isJsonObject(outer) ? outer : args);
}

function verdictOn(statement: Statement, args: JsonObject): StatementVerdict {
  const { parameter, companions } = statement;
  const given = Object.keys(args).filter((name) => args[name] !== undefined && args[name] !== null);
  const other = given.find((name) => name !== parameter && !companions.includes(name));
  if (other !== undefined)
    return { read: false, why: `parameter '${other}' may make more of the call than its statement` };
  const unclear = given.find((name) => name !== parameter && !isPlainValue(args[name]));
  if (unclear !== undefined)
    return {
      read: false,
      why: `parameter '${unclear}' holds more than plain values, and a server may paste it into the statement`,
    };
  return proveRead(statement, Object.hasOwn(args, parameter) ? args[parameter] : undefined);
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
  return verdict?.read === true ? asRead(operation, statement, verdict.kind) : undefined;
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

function asRead(operation: Operation, statement: Statement, kind: string): Operation {
  const reason = `the statement in '${statement.parameter}' is proven to only read: ${kind} in ${languageOf(statement)}`;
  return variantOf(operation, JSON.stringify(['read', kind]), () => ({
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
