/** Rows of texts. Those of a long text are read out of it anew each time, so that they never stand in memory together. */
export interface TextRows {
  forEach(take: (cells: readonly string[], index: number) => void): void;
}

/** A table that a text is, before it is known whether its first row names the columns. */
export interface TextTable {
  /** The first row. */
  readonly header: readonly string[];
  /** All rows, the first among them. */
  readonly rows: TextRows;
  /** What it is, for the caller: `a CSV text`. */
  readonly form: string;
  /** Whether the form itself says that the first row names the columns. */
  readonly hasHeader: boolean;
  /** Names of the columns where no row has them. */
  readonly letters?: readonly string[];
}

const LEAST_COLUMNS = 2;

/** The table in a text: HTML, pipes as in Markdown, or values with separators. Linear in the text. */
export function findTextTable(text: string): TextTable | undefined {
  return readHtml(text) ?? readPipes(text) ?? readSeparated(text);
}

const SEPARATORS = [
  [',', 'a CSV text'],
  ['\t', 'a text with tabs between values'],
  [';', 'a text with semicolons between values'],
] as const;

/** Values with separators (RFC 4180), where every line has as many of them. */
function readSeparated(text: string): TextTable | undefined {
  const firstBreak = text.indexOf('\n');
  if (firstBreak < 0) return undefined;
  for (const [separator, form] of SEPARATORS) {
    const header = splitRecord(text, startOf(text), separator)?.cells ?? [];
    if (header.length < LEAST_COLUMNS || !isEven(text, separator, header.length)) continue;
    const rows: TextRows = {
      forEach(take) {
        let index = 0;
        readRecords(text, separator, (cells) => {
          take(cells, index);
          index += 1;
          return true;
        });
      },
    };
    return { header, rows, form, hasHeader: false };
  }
  return undefined;
}

/** Whether the text is at least two records, and all have so many cells. */
function isEven(text: string, separator: string, width: number): boolean {
  let count = 0;
  const isWhole = readRecords(text, separator, (cells) => {
    count += 1;
    return cells.length === width;
  });
  return isWhole && count > 1;
}

/** @returns whether it came to the end: all that is there are records, and `take` wanted each */
function readRecords(text: string, separator: string, take: (cells: readonly string[]) => boolean): boolean {
  let start = startOf(text);
  while (start < text.length) {
    const record = splitRecord(text, start, separator);
    if (record === undefined) return false;
    start = record.end;
    const { cells } = record;
    if (cells.length === 1 && cells[0]?.trim() === '') continue;
    if (!take(cells)) return false;
  }
  return true;
}

/** Beyond a byte order mark. */
function startOf(text: string): number {
  return text.startsWith('\uFEFF') ? 1 : 0;
}

interface TextRecord {
  readonly cells: readonly string[];
  /** Where the next one begins. */
  readonly end: number;
}

/** One record, whose quoted values may hold separators and line breaks; undefined where a quotation does not end. */
function splitRecord(text: string, start: number, separator: string): TextRecord | undefined {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    if (cell === undefined) return undefined;
    cells.push(cell.value);
    at = cell.end;
    if (text[at] !== separator) break;
    at += 1;
  }
  if (at < text.length && text[at] !== '\n' && text[at] !== '\r') return undefined;
  if (text[at] === '\r') at += 1;
  return { cells, end: text[at] === '\n' ? at + 1 : at };
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function plainCell(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
  const isBeforeBreak = text[end] === '\n' || end === text.length;
  if (isBeforeBreak && end > start && text[end - 1] === '\r') end -= 1;
  return { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number): Cell | undefined {
  const parts: string[] = [];
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    parts.push(text.slice(at, quote));
    if (text[quote + 1] !== '"') return { value: parts.join('"'), end: quote + 1 };
    at = quote + 2;
  }
}

const RULE = /^[\s|:+-]+$/;

function isRule(line: string): boolean {
  return line.includes('-') && RULE.test(line);
}

/** `| a | b |` over `|---|---|`, as in Markdown and in the output of database shells; the only one in the text. */
function readPipes(text: string): TextTable | undefined {
  if (!text.includes('|')) return undefined;
  const lines = text.split(/\r?\n/);
  const isRow = (line: string | undefined): line is string => line?.includes('|') === true && !isRule(line);
  const rule = lines.findIndex((line, index) => isRule(line) && isRow(lines[index - 1]));
  if (rule < 0) return undefined;
  const header = splitPipes(lines[rule - 1] ?? '');
  const rows = [header];
  let end = rule + 1;
  for (; isRow(lines[end]); end += 1) rows.push(splitPipes(lines[end] ?? ''));
  const isAlone = !lines.slice(end).some((line) => line.includes('|'));
  const hasEvenRows = header.length >= LEAST_COLUMNS && rows.every((row) => row.length === header.length);
  return isAlone && hasEvenRows
    ? { header, rows, form: 'a text with pipes between values', hasHeader: true }
    : undefined;
}

function splitPipes(line: string): readonly string[] {
  const bare = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const TABLE_TAG = /<(\/?)(table|tr|td|th)\b([^<>]{0,2000})>/gi;

interface HtmlCell {
  readonly text: string;
  readonly isHeader: boolean;
}

/** The only table of a text; one with cells over several rows or columns is not read. */
function readHtml(text: string): TextTable | undefined {
  if (!/<table\b/i.test(text)) return undefined;
  const rows: HtmlCell[][] = [];
  let open: { readonly from: number; readonly isHeader: boolean } | undefined;
  let tables = 0;
  for (const { 1: slash, 2: tag = '', 3: attributes = '', 0: whole, index } of text.matchAll(TABLE_TAG)) {
    const name = tag.toLowerCase();
    if (name === 'table') tables += slash === '' ? 1 : 0;
    else if (/\b(?:col|row)span\s*=\s*["']?(?!1\b)/i.test(attributes)) return undefined;
    if (open !== undefined) rows.at(-1)?.push({ text: textOf(text.slice(open.from, index)), isHeader: open.isHeader });
    open = undefined;
    if (name === 'tr' && slash === '') rows.push([]);
    if ((name === 'td' || name === 'th') && slash === '')
      open = { from: index + whole.length, isHeader: name === 'th' };
  }
  return tables === 1 ? readHtmlRows(rows.filter((row) => row.length > 0)) : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function textOf(html: string): string {
  return html
    .replace(/<[^<>]{0,2000}>/g, '')
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
      (entity, decimal?: string, hex?: string, name = '') => {
        const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
        return Number.isNaN(point)
          ? (ENTITIES[String(name)] ?? entity)
          : point <= 0x10ffff
            ? String.fromCodePoint(point)
            : entity;
      },
    )
    .trim();
}

const LETTERS = /^[A-Z]{1,3}$/;

function readHtmlRows(rows: readonly (readonly HtmlCell[])[]): TextTable | undefined {
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) return undefined;
  const texts = (cells: readonly HtmlCell[]): readonly string[] => cells.map(({ text }) => text);
  const [corner, ...letters] = texts(first);
  const isSheet = corner === '' && letters.every((letter) => LETTERS.test(letter)) && others.every(isNumbered);
  if (isSheet) {
    const cells = others.map((row) => texts(row).slice(1));
    return { header: cells[0] ?? [], rows: cells, form: 'a sheet in HTML', hasHeader: false, letters };
  }
  const hasHeader = first.every(({ isHeader }) => isHeader);
  return { header: texts(first), rows: rows.map(texts), form: 'an HTML table', hasHeader };
}

/** A row of a sheet begins with its number. */
function isNumbered([first]: readonly HtmlCell[]): boolean {
  return first?.isHeader === true && /^\d{1,7}$/.test(first.text);
}
