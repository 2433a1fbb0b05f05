import { exactNumber } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { quoteValues } from '../../base/lib/text.js';
import { COMPUTED, SCALAR, writePath } from '../query/fields.js';
import { choosesItems, pathsOf } from '../query/parts.js';
import type { CollectionQuery, FieldPath } from '../query/result-types.js';
import {
  type LocatedList,
  linesOf,
  locateList,
  memberAt,
  onlyText,
  openText,
  parseContainer,
} from '../shape/locate-list.js';
import { findTextTable, type TextRows, type TextTable } from './text-table.js';

/** A query and what it is asked of, as far as they help to recognise a form. */
interface Reading {
  readonly query: CollectionQuery;
  /** In the upstream's spelling; the name of a file may say what its text is. */
  readonly arguments: JsonObject;
}

/**
 * The list of an answer whose form is no array of objects: rows with names beside them or a header, text blocks that are JSON, or a
 * text that is a table, lines of JSON, or lines. Only by evidence in the answer and in the query; any other answer has the list that
 * was found without this.
 */
export function readForm(data: unknown, list: LocatedList | undefined, reading: Reading): LocatedList | undefined {
  if (reading.query.collection !== undefined) return list && (nameRows(list, reading) ?? list);
  const rows = readRows(data, reading, list === undefined);
  if (rows !== undefined) return rows;
  if (list === undefined) return readText(data, reading);
  if (list.evidence === 'lines') return readTable(data, reading) ?? (namesFields(reading.query) ? undefined : list);
  return readBlocks(list) ?? nameRows(list, reading) ?? list;
}

/** Members that hold rows beside the names of their columns. */
const COLUMNS = new Set(
  'columns column_names columnnames headers header fields field_names names cols keys schema'.split(' '),
);

const SAMPLE = 20;

/**
 * `{"columns": ["id", "name"], "rows": [[1, "a"]]}`, also inside a wrapper, and inside a text that is JSON.
 * @param mayHaveHeader whether rows without names beside them may begin with the names
 */
function readRows(data: unknown, reading: Reading, mayHaveHeader: boolean): LocatedList | undefined {
  const opened = openText(data);
  for (const place of placesOf(opened, MAX_DEPTH)) {
    const object = memberAt(opened, place);
    const tables = isJsonObject(object) ? Object.entries(object).filter(isTable) : [];
    const [table] = tables;
    if (table === undefined || tables.length > 1) continue;
    const [key, items] = table;
    const list = Array.isArray(items) ? formOf(opened, [...place, key], items, '') : undefined;
    const named = list && (nameByColumns(list) ?? (mayHaveHeader ? nameByHeader(list, reading) : undefined));
    if (named !== undefined) return named;
  }
  return undefined;
}

const MAX_DEPTH = 2;

/** The object itself, and those that it consists of, to a depth. */
function placesOf(data: unknown, depth: number): readonly FieldPath[] {
  if (!isJsonObject(data)) return [];
  const inner = Object.entries(data).filter(([, member]) => isJsonObject(member));
  const deeper = depth === 0 || inner.length > SAMPLE ? [] : inner;
  return [[], ...deeper.flatMap(([key, member]) => placesOf(member, depth - 1).map((path) => [key, ...path]))];
}

function isRows(value: unknown): value is Rows {
  return Array.isArray(value) && value.every(Array.isArray);
}

/** Nothing says of an empty list that it would have rows, but its name. */
function isTable([key, value]: readonly [string, unknown]): boolean {
  return !isColumns(key) && isRows(value) && (value.length > 0 || /^(?:rows|data|values|records|results?)$/i.test(key));
}

function isColumns(key: string): boolean {
  return COLUMNS.has(key.toLowerCase());
}

function namesIn(object: JsonObject): readonly string[] | undefined {
  const found = Object.entries(object).flatMap(([key, member]) => {
    const names = isColumns(key) && Array.isArray(member) ? member.map(nameOf) : [];
    return areNames(names) ? [names] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** A column is a name, or an object that holds one: `{"name": "id", "type": "int"}`. */
function nameOf(column: unknown): unknown {
  if (!isJsonObject(column)) return column;
  return column['name'] ?? column['label'] ?? column['column_name'] ?? column['field'] ?? column['key'];
}

function nameRows(list: LocatedList, reading: Reading): LocatedList | undefined {
  return nameByColumns(list) ?? nameByHeader(list, reading);
}

/** Rows with the names of their columns beside them. */
function nameByColumns(list: LocatedList): LocatedList | undefined {
  const { items: rows, path, data } = list;
  const beside = memberAt(data, path.slice(0, -1));
  const names = path.length > 0 && isJsonObject(beside) && isRows(rows) ? namesIn(beside) : undefined;
  const items = names === undefined || !isRows(rows) ? undefined : nameCells(names, rows);
  return items && { ...list, items, evidence: 'form', readAs: `rows with the columns ${quoteValues(names ?? [])}` };
}

/** Rows of which the first has the names of the columns. */
function nameByHeader(list: LocatedList, { query }: Reading): LocatedList | undefined {
  const { items: rows } = list;
  if (!isRows(rows)) return undefined;
  const [header = [], ...others] = rows;
  const below = { count: others.length, isData: header.map((_, column) => isDataColumn(others, column)) };
  if (!hasHeader(header, below, askedOf(query))) return undefined;
  const items = areNames(header) ? nameCells(header, others) : undefined;
  return items && { ...list, items, evidence: 'form', readAs: `rows under the header ${quoteValues(header)}` };
}

/** Text blocks of which each is the JSON of an object, or one holds the list and the others are texts beside it. */
function readBlocks(list: LocatedList): LocatedList | undefined {
  const { items, path } = list;
  if (path.length !== 1 || path[0] !== 'content' || items.length < 2 || !items.every(isTextBlock)) return undefined;
  const parsed = items.map(({ text }) => parseContainer(text));
  const [only, ...more] = parsed.filter((value) => value !== undefined);
  const texts = items.filter((_, index) => parsed[index] === undefined).map(({ text }) => text);
  if (only === undefined || texts.length > MOST_TEXTS) return undefined;
  const beside = texts.length === 0 ? {} : { text: texts.join('\n') };
  if (more.length > 0) {
    const objects = [only, ...more];
    const data = { content: objects, ...beside };
    return objects.every(isJsonObject) ? formOf(data, path, objects, 'text blocks of JSON, one an item') : undefined;
  }
  const inner = locateList(only);
  if (inner === undefined || !(inner.isWhole || inner.items.some(isJsonObject))) return undefined;
  const data = { content: inner.data, ...beside };
  return formOf(data, [...path, ...inner.path], inner.items, 'the JSON of a text block');
}

/** Headings and remarks beside items; more texts are items themselves. */
const MOST_TEXTS = 3;

function isTextBlock(value: unknown): value is { readonly text: string } {
  return isJsonObject(value) && value['type'] === 'text' && typeof value['text'] === 'string';
}

/** A text that is a table, lines of JSON, or, where the caller treats it as a list of texts, lines. */
function readText(data: unknown, reading: Reading): LocatedList | undefined {
  const { query } = reading;
  return readSurrounded(data) ?? readTable(data, reading) ?? (choosesLines(query) ? readLines(data) : undefined);
}

/** Words before and after JSON in a text; longer ones are more than a heading and a remark. */
const MAX_WORDS = 500;

/** A list in JSON under a heading, over a remark, or between code fences: `Found 3 invoices:`. */
function readSurrounded(data: unknown): LocatedList | undefined {
  const text = onlyText(data)?.value;
  if (text === undefined) return undefined;
  const start = text.slice(0, MAX_WORDS).search(/^[ \t]*[[{]/m);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}')) + 1;
  if (start < 0 || end <= start || text.length - end > MAX_WORDS) return undefined;
  const parsed = parseContainer(text.slice(start, end));
  const inner = parsed === undefined ? undefined : locateList(parsed);
  if (inner === undefined || !(inner.isWhole || inner.items.some(isJsonObject))) return undefined;
  const words = `${text.slice(0, start)}\n${text.slice(end)}`.replace(/^```\w*$/gm, '').trim();
  const beside = words === '' ? {} : { text: words };
  return formOf({ json: inner.data, ...beside }, ['json', ...inner.path], inner.items, 'the JSON in a text');
}

function readTable(data: unknown, reading: Reading): LocatedList | undefined {
  const text = onlyText(data);
  if (text === undefined || text.value.trim() === '') return undefined;
  const lines = readJsonLines(text.value);
  if (lines !== undefined) return formOf(data, text.path, lines, 'lines of JSON, one an item');
  const table = findTextTable(text.value);
  const read = table === undefined ? undefined : nameTable(table, reading);
  return read && formOf(data, text.path, read.items, `rows of ${table?.form} ${read.names}`);
}

interface NamedTable {
  readonly items: readonly object[];
  readonly names: string;
}

function nameTable(table: TextTable, reading: Reading): NamedTable | undefined {
  const { header, rows, hasHeader: isNamed, letters } = table;
  const asked = askedOf(reading.query);
  // `fields` alone may mean a member of the object that holds the text.
  if (!choosesItems(reading.query) && ![...header, ...(letters ?? [])].some((name) => asked.has(name)))
    return undefined;
  const below = readColumns(rows, 1);
  if (isNamed || isSeparatedFile(reading) || hasHeader(header, below, asked)) {
    const items = nameTexts(header, rows, below);
    if (items !== undefined) return { items, names: `under the header ${quoteValues(header)}` };
  }
  const lettered = letters === undefined ? undefined : nameTexts(letters, rows, readColumns(rows, 0));
  return lettered && { items: lettered, names: `with the columns ${quoteValues(letters ?? [])}` };
}

/** A file of this name has a header (RFC 4180 leaves it open, and all but few have one). */
function isSeparatedFile({ arguments: args }: Reading): boolean {
  return Object.values(args).some((value) => typeof value === 'string' && /\.(?:csv|tsv)$/i.test(value));
}

function readJsonLines(text: string): readonly unknown[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length < 2 || !lines.every((line) => line.startsWith('{') && line.endsWith('}'))) return undefined;
  const parsed = lines.map(parseContainer);
  return parsed.every(isJsonObject) ? parsed : undefined;
}

/** Lines have no fields: a query that names some, or a preset of them, is not about lines. */
function choosesLines(query: CollectionQuery): boolean {
  const isPreset = query.fields?.preset !== undefined;
  return choosesItems(query) && !isPreset && pathsOf(query).every((path) => writePath(path) === SCALAR);
}

/** Whether it is about something that no line has. */
function namesFields(query: CollectionQuery): boolean {
  return pathsOf(query).some((path) => path[0] !== COMPUTED && writePath(path) !== SCALAR);
}

function readLines(data: unknown): LocatedList | undefined {
  const text = onlyText(data);
  if (text === undefined || parseContainer(text.value) !== undefined) return undefined;
  const lines = linesOf(text.value);
  if (lines.length < 2) return undefined;
  return formOf(data, text.path, lines, 'the lines of a text, without the empty ones');
}

function formOf(data: unknown, path: FieldPath, items: readonly unknown[], readAs: string): LocatedList {
  return { items, path, data, evidence: 'form', isWhole: true, readAs };
}

/** The fields that a query names, whole and by their first key. */
function askedOf(query: CollectionQuery): ReadonlySet<string> {
  return new Set(pathsOf(query).flatMap((path) => [writePath(path), path[0] ?? '']));
}

/** A list of rows, each a list of cells. */
type Rows = readonly (readonly unknown[])[];

/** Longer texts are cells, not names of columns. */
const MAX_NAME = 100;
const MAX_COLUMNS = 2_000;

/** The rows as objects with the names of their columns; undefined where a row has more cells than there are names. */
function nameCells(names: readonly string[], rows: Rows): readonly object[] | undefined {
  if (!areNames(names) || rows.some((row) => row.length > names.length)) return undefined;
  return rows.map((row) => nameRow(names, row, (cell) => cell));
}

/** `fromEntries` defines members, so that one called `__proto__` is a member like any other. */
function nameRow<Cell>(
  names: readonly string[],
  row: readonly Cell[],
  read: (cell: Cell, column: number) => unknown,
): object {
  return Object.fromEntries(row.map((cell, column) => [names[column] ?? '', read(cell, column)]));
}

/** Whether these can be the names of columns: each once, none empty. */
function areNames(names: readonly unknown[]): names is readonly string[] {
  const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== '' && name.length <= MAX_NAME;
  return names.length > 0 && names.length <= MAX_COLUMNS && names.every(isName) && new Set(names).size === names.length;
}

/** What a cell looks like a header's opposite by: a number, a date, an address. */
const NUMBER = /^[-+]?[$€£]?\d[\d.,' ]{0,40}%?$/;
const DATE = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/;

/**
 * Whether the first row names the columns. It does where a column has numbers or dates under a word, or where the caller asks
 * for fields by these names; a first row that is like all others is a row.
 *
 * @param below the rows under it
 * @param asked the fields that the caller names, by their first keys
 */
function hasHeader(
  header: readonly unknown[],
  below: Pick<Columns, 'count' | 'isData'>,
  asked: ReadonlySet<string>,
): boolean {
  if (below.count === 0 || !areNames(header) || header.some(isData)) return false;
  return header.some((name, column) => asked.has(name) || below.isData[column] === true);
}

function isDataColumn(rows: Rows, column: number): boolean {
  const cells = rows.map((row) => row[column]).filter((cell) => !isEmpty(cell));
  return cells.length > 0 && cells.every(isData);
}

function isData(cell: unknown): boolean {
  return typeof cell === 'string' ? NUMBER.test(cell) || DATE.test(cell) : typeof cell !== 'object';
}

function isEmpty(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '';
}

/** A number as JSON writes it, so that `007` and `1e3` stay texts. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/;

const NO_VALUE = /^(?:n\/?a|nan|null|none|-|–)?$/i;

/** What the cells of a table are, by column. */
interface Columns {
  /** The first row that counts. */
  readonly from: number;
  /** Of rows. */
  readonly count: number;
  readonly width: number;
  /** Numbers only, and cells that say that there is none. */
  readonly isNumeric: readonly boolean[];
  /** Numbers, dates and empty cells only. */
  readonly isData: readonly boolean[];
}

function readColumns(rows: TextRows, from: number): Columns {
  const seen: { hasNumber: boolean; hasData: boolean; isNumeric: boolean; isData: boolean }[] = [];
  let count = 0;
  rows.forEach((cells, index) => {
    if (index < from) return;
    count += 1;
    for (const [column, cell] of cells.entries()) {
      seen[column] ??= { hasNumber: false, hasData: false, isNumeric: true, isData: true };
      const found = seen[column];
      const isNumber = JSON_NUMBER.test(cell);
      if (isNumber) found.hasNumber = true;
      else found.isNumeric &&= NO_VALUE.test(cell);
      if (isNumber || isData(cell)) found.hasData = true;
      else found.isData &&= isEmpty(cell);
    }
  });
  return {
    from,
    count,
    width: seen.length,
    isNumeric: seen.map(({ hasNumber, isNumeric }) => hasNumber && isNumeric),
    isData: seen.map(({ hasData, isData: isAllData }) => hasData && isAllData),
  };
}

/** The rows as objects, with the numbers of columns of numbers as numbers, to the last digit; an empty cell among them is null. */
function nameTexts(names: readonly string[], rows: TextRows, columns: Columns): readonly object[] | undefined {
  if (!areNames(names) || columns.width > names.length) return undefined;
  const items: object[] = [];
  rows.forEach((cells, index) => {
    if (index >= columns.from)
      items.push(nameRow(names, cells, (cell, at) => (columns.isNumeric[at] ? readCell(cell) : cell)));
  });
  return items;
}

function readCell(cell: string): unknown {
  if (JSON_NUMBER.test(cell)) return exactNumber(cell);
  return cell === '' ? null : cell;
}
