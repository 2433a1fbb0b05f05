import { isJsonObject, type JsonObject } from './json.js';

/** Whether callers get what an upstream says of its failure as it is, or without what tells of its machine. */
export const WORDS_MODES = ['clean', 'full'] as const;

export type WordsMode = (typeof WORDS_MODES)[number];

/** Enough for any explanation; what follows is mostly a dump. */
const MAX_LENGTH = 10_000;
/** Values within one structured failure; the rest is left out. */
const MAX_VALUES = 2_000;
const MAX_DEPTH = 32;
/** Paths have fewer folders; the bound keeps the search linear. */
const MAX_SEGMENTS = 32;
/** Texts of the arguments that are compared, and how much of each. */
const MAX_SENT = { texts: 1_000, length: 4_096 };

const MASK = '[path]';

/**
 * A URL, or an absolute path of two names or more, alone or as the whole of a quotation (where it may contain spaces). `file:`
 * URLs are paths. All repetitions are bounded, so that the time is linear.
 */
const ADDRESS = new RegExp(
  [
    String.raw`(?<url>(?<![\w+.-])(?!file:)[a-z][a-z\d+.-]{1,20}://[^\s'"]{0,2000})`,
    String.raw`(?<=(?<quote>['"\u0060]))(?<quoted>(?:file://)?(?:[a-z]:[\\/]|\\\\|/)[^'"\u0060\n\\/]{1,255}[\\/][^'"\u0060\n]{0,1000})(?=\k<quote>)`,
    String.raw`(?<![\w/\\.~]|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) )(?<bare>(?:file://)?(?:[a-z]:[\\/]|\\\\|/)[^\s'"\u0060,;:()<>\\/]{1,255}[\\/][^\s'"\u0060,;:()<>]{0,1000})`,
  ].join('|'),
  'gi',
);

/** `TypeError: `, `sqlite3.OperationalError: ` and the like, which name a class of a program. */
const ERROR_CLASS =
  /(?<![\w.])(?:Uncaught )?(?:\w{1,60}\.){0,5}[A-Z][a-z]\w{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?: ?/g;
/** The same where nothing but a class stands before the words. */
const BARE_CLASS = /^(?:Uncaught )?(?:Error|Exception): /;

/** Where in a source a frame lies: `(/a/b.js:1:2)`, `(Main.java:7)`, `(<anonymous>)`. */
const PLACE = /\((?:[^()\n]{0,1000}:\d{1,7}|<anonymous>|native|native method|unknown source|native code)\)/.source;
/** A line of a stack of JavaScript, Java or .NET; of Python; of Go. */
const FRAME_LINE = new RegExp(
  [
    /^\s{0,40}at \S.{0,500}/.source + PLACE + /$/.source,
    /^\s{0,40}at (?:async )?\S{1,1000}:\d{1,7}:\d{1,7}\)?$/.source,
    /^\s{0,40}at .{1,1000} in .{1,1000}:line \d{1,7}$/.source,
    /^\s{1,40}File ".{1,1000}", line \d{1,7}/.source,
    /^Traceback \(most recent call last\):$/.source,
    /^goroutine \d{1,9} \[/.source,
    /^\t\S{1,1000}\.go:\d{1,7}/.source,
  ].join('|'),
  'i',
);
/** Python prints the line of the source under its frame. */
const PYTHON_FRAME = /^\s{1,40}File ".{1,1000}", line \d{1,7}/;
/** Frames of a stack that was written in one line. */
const INLINE_FRAME = new RegExp(/\s{1,40}at (?:async |new )?[^\s()]{1,200}(?: \[as \w{1,60}\])? /.source + PLACE, 'gi');
const STACK_MEMBER = /^(?:stack|stack_?trace|trace_?back|backtrace)$/i;

/** Cleans what one upstream said of one call. What the caller itself sent may be repeated to it. */
export class WordsCleaner {
  /** Paths in the arguments, with their parent folders. */
  readonly #sent = new Set<string>();
  /** Other texts of the arguments: a path may end with one. */
  readonly #names = new Set<string>();
  readonly #parameters: ReadonlySet<string>;
  #values = 0;

  constructor(args: JsonObject) {
    this.#parameters = new Set(Object.keys(args));
    for (const text of listTexts(args)) this.#addSent(text);
  }

  text(words: string): string {
    const bounded = words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words;
    const data = parseObject(words);
    if (data !== undefined) return JSON.stringify(this.#value(data, 0));
    return dropFrames(bounded)
      .map((line) => this.#line(line))
      .join('\n')
      .trim();
  }

  /** Every text in the value cleaned, and stacks left out. */
  data(value: unknown): unknown {
    return this.#value(value, 0);
  }

  #value(value: unknown, depth: number): unknown {
    this.#values += 1;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) return '…';
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((item: unknown) => this.#value(item, depth + 1));
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).slice(0, MAX_VALUES);
    return Object.fromEntries(
      kept.filter(([key]) => !STACK_MEMBER.test(key)).map(([key, member]) => [key, this.#value(member, depth + 1)]),
    );
  }

  #line(line: string): string {
    return line
      .replace(INLINE_FRAME, '')
      .replace(ADDRESS, (...match) => this.#address(match))
      .replace(BARE_CLASS, '')
      .replace(ERROR_CLASS, '');
  }

  #address(match: readonly unknown[]): string {
    const text = String(match[0]);
    const groups = match.at(-1);
    return isJsonObject(groups) && groups['url'] !== undefined ? text : this.#path(text);
  }

  #path(text: string): string {
    const path = text.replace(/[.\\/]{1,10}$/, '');
    const parts = path.split(/[\\/]/);
    const [first = ''] = parts.filter((part) => part !== '');
    // A JSON pointer into the arguments: it tells which of them is wrong.
    if (this.#parameters.has(first)) return text;
    const plain = path.replace(/^file:\/\//i, '');
    if (listParents(plain).some((parent) => this.#sent.has(parent))) return text;
    const own = listEndings(plain).find((ending) => this.#names.has(ending));
    return own ?? MASK;
  }

  #addSent(text: string): void {
    for (const match of text.matchAll(ADDRESS)) this.#addPath(match[0]);
    if (/^(?:[A-Za-z]:)?[\\/]/.test(text)) this.#addPath(text);
    else if (text !== '') this.#names.add(text.replace(/^\.[\\/]/, '').replace(/[\\/]$/, ''));
  }

  #addPath(text: string): void {
    const path = text.replace(/^file:\/\//i, '').replace(/[.\\/]{1,10}$/, '');
    if (path !== '') this.#sent.add(path);
  }
}

/** The path and the folders above it, the nearest first. */
function listParents(path: string): readonly string[] {
  const ends = [...path.matchAll(/[\\/]/g)].map(({ index }) => index).slice(1, MAX_SEGMENTS);
  return [path, ...ends.map((end) => path.slice(0, end))];
}

/** What follows each separator, the longest first. */
function listEndings(path: string): readonly string[] {
  return [...path.matchAll(/[\\/]/g)].slice(-MAX_SEGMENTS).map(({ index }) => path.slice(index + 1));
}

function dropFrames(words: string): readonly string[] {
  const lines = words.split(/\r\n|\n|\r/);
  return lines.filter((line, at) => {
    if (FRAME_LINE.test(line)) return false;
    return !(/^\s/.test(line) && PYTHON_FRAME.test(lines[at - 1] ?? ''));
  });
}

/** Failures are often written as JSON text. Longer texts are cut before they are read. */
function parseObject(text: string): JsonObject | undefined {
  if (!/^\s{0,10}\{/.test(text) || text.length > MAX_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The texts among the arguments, breadth first and bounded. */
function listTexts(args: JsonObject): readonly string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [args];
  for (let at = 0; at < waiting.length && at < MAX_VALUES && texts.length < MAX_SENT.texts; at += 1) {
    const value = waiting[at];
    if (typeof value === 'string') texts.push(value.slice(0, MAX_SENT.length));
    else if (Array.isArray(value)) waiting.push(...value.slice(0, MAX_VALUES));
    else if (isJsonObject(value)) waiting.push(...Object.values(value).slice(0, MAX_VALUES));
  }
  return texts;
}
