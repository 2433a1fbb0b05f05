import { exactNumber } from '../exact-numbers.js';

/** A list of rows, each a list of cells. */
export type Rows = readonly (readonly unknown[])[];

/** Longer texts are cells, not names of columns. */
const MAX_NAME = 100;
const MAX_COLUMNS = 2_000;

/** The rows as objects with the names of their columns; undefined where a row has more cells than there are names. */
export function nameCells(names: readonly string[], rows: Rows): readonly object[] | undefined {
  if (!areNames(names) || rows.some((row) => row.length > names.length)) return undefined;
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index] ?? '', cell])));
}

/** Whether these can be the names of columns: each once, none empty. */
export function areNames(names: readonly unknown[]): names is readonly string[] {
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
 * @param asked the fields that the caller names, by their first keys
 */
export function hasHeader(rows: Rows, asked: ReadonlySet<string>): boolean {
  const [header, ...others] = rows;
  if (header === undefined || others.length === 0 || !areNames(header) || header.some(isData)) return false;
  if (header.some((name) => asked.has(name))) return true;
  return header.some((_, column) => isDataColumn(others, column));
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

/** Rows of texts with the numbers of columns of numbers as numbers, to the last digit; an empty cell among them is null. */
export function readNumbers(rows: readonly (readonly string[])[]): Rows {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const isNumeric = Array.from({ length: width }, (_, column) => isNumericColumn(rows, column));
  if (!isNumeric.includes(true)) return rows;
  return rows.map((row) => row.map((cell, column) => (isNumeric[column] === true ? readCell(cell) : cell)));
}

function isNumericColumn(rows: readonly (readonly string[])[], column: number): boolean {
  let numbers = 0;
  for (const row of rows) {
    const cell = row[column] ?? '';
    if (JSON_NUMBER.test(cell)) numbers += 1;
    else if (!NO_VALUE.test(cell)) return false;
  }
  return numbers > 0;
}

function readCell(cell: string): unknown {
  if (JSON_NUMBER.test(cell)) return exactNumber(cell);
  return cell === '' ? null : cell;
}
