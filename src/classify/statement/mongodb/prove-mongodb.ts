import type { StatementVerdict } from '../../../base/protocol/operation.js';
import { NotProven, quote, verdictOf } from '../not-proven.js';
import { ValueChecker } from './check-value.js';
import { LiteralReader } from './literal.js';
import { COMMANDS, CREDENTIAL_COLLECTION } from './words.js';

export { CREDENTIAL_COLLECTION } from './words.js';

/** Proves that a pipeline, or its text in JSON, has only stages that read. */
export function provePipeline(statement: unknown): StatementVerdict {
  return verdictOf(() => {
    const stages = typeof statement === 'string' ? new LiteralReader(statement, false).whole() : statement;
    return new ValueChecker().pipeline(stages);
  });
}

/** Proves that the document of a command, or its text in JSON or in the words of the shell, only reads. */
export function proveCommand(statement: unknown): StatementVerdict {
  return verdictOf(() => {
    const checker = new ValueChecker();
    if (typeof statement !== 'string') return checker.command(statement);
    if (/^\s*db\b/.test(statement)) return readShell(new LiteralReader(statement, true), checker);
    return checker.command(new LiteralReader(statement, false).whole());
  });
}

/** What an argument of a method must be. */
type Argument = 'document' | 'pipeline' | 'value' | 'options';

const AGGREGATE_OPTIONS: ReadonlySet<string> = new Set(COMMANDS.get('aggregate')?.keys());

/** Methods of a collection that only read, with their arguments; each may be left out. */
const COLLECTION_METHODS: ReadonlyMap<string, readonly Argument[]> = new Map<string, readonly Argument[]>([
  ['find', ['document', 'document']],
  ['findOne', ['document', 'document']],
  ['aggregate', ['pipeline', 'options']],
  ['count', ['document', 'document']],
  ['countDocuments', ['document', 'document']],
  ['estimatedDocumentCount', []],
  ['distinct', ['value', 'document']],
  ['getIndexes', []],
  ['stats', []],
  ['dataSize', []],
  ['storageSize', []],
  ['totalIndexSize', []],
  ['totalSize', []],
  ['isCapped', []],
]);

const DATABASE_METHODS = new Set([
  'getCollectionNames',
  'getCollectionInfos',
  'getName',
  'stats',
  'version',
  'hostInfo',
]);

/** Methods that run a command document. */
const COMMAND_METHODS = new Set(['runCommand', 'adminCommand']);

/** What may follow a method that answers documents. None of them takes a function. */
const CURSOR_METHODS = new Set(
  `sort limit skip project projection hint maxTimeMS batchSize comment collation size count toArray pretty itcount explain
    hasNext next max min returnKey allowDiskUse`.split(/\s+/),
);

/** Properties that every object of JavaScript has. */
const OWN_PARTS = new Set(['constructor', 'prototype', '__proto__']);

/** Reads `db.orders.find({..}).limit(5)`: a chain of known methods with literal arguments, and nothing else. Answers its method. */
function readShell(reader: LiteralReader, checker: ValueChecker): string {
  if (reader.name() !== 'db') throw new NotProven("it does not begin with 'db'");
  const collection: string[] = [];
  for (;;) {
    if (reader.takes('[')) {
      collection.push(textOf(reader.value()));
      reader.needs(']');
      continue;
    }
    reader.needs('.');
    const name = reader.name();
    const values = reader.callArguments();
    if (values === undefined) {
      collection.push(name);
      continue;
    }
    if (collection.length === 0 && (name === 'getCollection' || name === 'getSiblingDB')) {
      const [given, ...more] = values;
      if (more.length > 0) throw new NotProven(`${quote(name)} has further arguments`);
      if (name === 'getCollection') collection.push(textOf(given));
      else textOf(given);
      continue;
    }
    requireCollection(collection);
    if (name === 'explain' && collection.length > 0 && values.every((value) => typeof value === 'string')) continue;
    const kind = collection.length === 0 ? ofDatabase(name, values, checker) : ofCollection(name, values, checker);
    readCursor(reader, checker);
    return kind;
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new NotProven('the name of a collection or a database is no text');
  return value;
}

function requireCollection(segments: readonly string[]): void {
  const name = segments.join('.');
  const part = segments.find((segment) => OWN_PARTS.has(segment));
  if (part !== undefined) throw new NotProven(`${quote(part)} may be no collection`);
  if (CREDENTIAL_COLLECTION.test(name)) throw new NotProven(`${quote(name)} may hold credentials`);
}

function ofDatabase(name: string, values: readonly unknown[], checker: ValueChecker): string {
  const [document, ...more] = values;
  if (COMMAND_METHODS.has(name) && more.length === 0) return checker.command(document);
  if (!DATABASE_METHODS.has(name) || values.length > 0) throw unknownMethod(name);
  return name;
}

function ofCollection(name: string, values: readonly unknown[], checker: ValueChecker): string {
  const expected = COLLECTION_METHODS.get(name);
  if (expected === undefined || values.length > expected.length) throw unknownMethod(name);
  for (const [index, value] of values.entries()) {
    const demand = expected[index];
    if (demand === 'pipeline') checker.pipeline(value);
    else if (demand === 'document') checker.document(value);
    else if (demand === 'options') checker.options(value, AGGREGATE_OPTIONS);
    else checker.value(value);
  }
  return name;
}

function readCursor(reader: LiteralReader, checker: ValueChecker): void {
  while (reader.takes('.')) {
    const name = reader.name();
    const values = reader.callArguments();
    if (!CURSOR_METHODS.has(name) || values === undefined) throw unknownMethod(name);
    for (const value of values) checker.value(value);
  }
  reader.takes(';');
  reader.end();
}

const unknownMethod = (name: string): NotProven => new NotProven(`method ${quote(name)} is not known to only read`);
