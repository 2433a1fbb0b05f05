import { isJsonObject, type JsonObject, parseObject } from '../json/json.js';
import { isSecretMember, maskSecrets } from './secret-forms.js';

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
/** Texts of the arguments that are compared, how much of each, and how many with characters that end a path elsewhere. */
const MAX_SENT = { texts: 1_000, length: 4_096, unusual: 20 };
/** No longer text is a path. */
const MAX_PATH_LENGTH = 1_024;

const MASK = '[path]';
const SECRET_MASK = '[secret]';

/** The folder of whoever the server runs as. */
const HOME = String.raw`(?:~|\$HOME|\$\{HOME\})[\\/]`;

/**
 * A URL, a path below a home folder, or an absolute path of two names or more, alone or as the whole of a quotation (where it may contain spaces). `file:`
 * URLs are paths. All repetitions are bounded, so that the time is linear.
 */
const ADDRESS = new RegExp(
  [
    String.raw`(?<url>(?<![\w+.-])(?!file:)[a-z][a-z\d+.-]{1,20}://[^\s'"]{0,2000})`,
    String.raw`(?<=(?<quote>['"\u0060]))(?<quoted>${HOME}[^'"\u0060\n]{1,1000}|(?:file://)?(?:[a-z]:[\\/]|\\\\|/)[^'"\u0060\n\\/]{1,255}[\\/][^'"\u0060\n]{0,1000})(?=\k<quote>)`,
    String.raw`(?<![\w/\\.~]|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) )(?<bare>${HOME}[^\s'"\u0060,;:()<>]{1,1000}|(?:file://)?(?:[a-z]:[\\/]|\\\\|/)[^\s'"\u0060,;:()<>\\/]{1,255}[\\/][^\s'"\u0060,;:()<>]{0,1000})`,
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
/** A line of a stack of JavaScript, Java or .NET; of Python; of Go; of PHP; of Ruby. */
const FRAME_LINE = new RegExp(
  [
    /^\s{0,40}at \S.{0,500}/.source + PLACE + /$/.source,
    /^\s{0,40}at (?:async )?\S{1,1000}:\d{1,7}:\d{1,7}\)?$/.source,
    /^\s{0,40}at .{1,1000} in .{1,1000}:line \d{1,7}$/.source,
    /^\s{1,40}File ".{1,1000}", line \d{1,7}/.source,
    /^Traceback \(most recent call last\):$/.source,
    /^goroutine \d{1,9} \[/.source,
    /^\t\S{1,1000}\.go:\d{1,7}/.source,
    /^#\d{1,4} (?:\S{1,1000}\(\d{1,7}\): |\{main\}$)/.source,
    /^\s{1,40}from \S{1,1000}:\d{1,7}:in /.source,
  ].join('|'),
  'i',
);
/** Python prints the line of the source under its frame. */
const PYTHON_FRAME = /^\s{1,40}File ".{1,1000}", line \d{1,7}/;
/** Go prints the function above the place of its frame. */
const GO_FRAME = /^\t\S{1,1000}\.go:\d{1,7}/;
/** Frames of a stack that was written in one line. */
const INLINE_FRAME = new RegExp(/\s{1,40}at (?:async |new )?[^\s()]{1,200}(?: \[as \w{1,60}\])? /.source + PLACE, 'gi');
const STACK_MEMBER = /^(?:stack|stack_?trace|trace_?back|backtrace)$/i;

/** Cleans what one upstream said of one call. What the caller itself sent may be repeated to it. */
export class WordsCleaner {
  /** The absolute paths in the arguments, in one form. */
  readonly #sent = new Set<string>();
  /** Other texts of the arguments as they were sent, by the end of the path that they can stand for. */
  readonly #spellings = new Map<string, string>();
  readonly #parameters: ReadonlySet<string>;
  readonly #texts: readonly string[];
  /** Sent paths with spaces and the like, which no general pattern finds where they are not quoted. */
  readonly #unusual: RegExp | undefined;
  #values = 0;

  constructor(args: JsonObject) {
    this.#parameters = new Set(Object.keys(args));
    const texts = listTexts(args);
    this.#texts = texts;
    for (const text of texts) this.#addSent(text);
    this.#unusual = findUnusual(texts);
  }

  text(words: string): string {
    const bounded = words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words;
    const data = readFailureText(words);
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
      kept.filter(([key]) => !STACK_MEMBER.test(key)).map(([key, member]) => [key, this.#member(key, member, depth)]),
    );
  }

  #member(key: string, member: unknown, depth: number): unknown {
    const isSecret = typeof member === 'string' && isSecretMember(key, member) && !this.#isSent(member);
    return isSecret ? SECRET_MASK : this.#value(member, depth + 1);
  }

  #isSent(text: string): boolean {
    return this.#texts.some((sent) => sent.includes(text));
  }

  #line(line: string): string {
    const words = maskSecrets(this.#mask(line.replace(INLINE_FRAME, '')), (text) => this.#isSent(text));
    return words.replace(BARE_CLASS, '').replace(ERROR_CLASS, '');
  }

  #mask(words: string): string {
    const mask = (text: string): string => text.replace(ADDRESS, (...match) => this.#address(match));
    if (this.#unusual === undefined) return mask(words);
    // Every second part is a sent path.
    return words
      .split(this.#unusual)
      .map((part, index) => (index % 2 === 0 ? mask(part) : this.#path(part)))
      .join('');
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
    const names = namesOf(path);
    if (listParents(names).some((parent) => this.#sent.has(parent))) return text;
    const ending = listEndings(names).find((each) => this.#spellings.has(each));
    return (ending === undefined ? undefined : this.#spellings.get(ending)) ?? MASK;
  }

  #addSent(text: string): void {
    for (const match of text.matchAll(ADDRESS)) this.#addPath(match[0]);
    if (text.length > MAX_PATH_LENGTH) return;
    if (isAbsolute(text)) this.#addPath(text);
    else this.#addSpelling(text);
  }

  #addPath(text: string): void {
    const names = namesOf(text);
    if (names.length === 0) return;
    this.#sent.add(names.join('/'));
    // A link above it gives it another beginning: `/private/var/x` for `/var/x`.
    if (names.length > 1) this.#addSpelling(text);
  }

  #addSpelling(text: string): void {
    const names = namesOf(text.replace(/^~[\\/]/, ''));
    if (names.length > 0 && names.length <= MAX_SEGMENTS) this.#spellings.set(names.join('/'), text);
  }
}

function isAbsolute(text: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]/.test(text);
}

/** The names on a path's way, so that `./a//b`, `a\\b` and `x/../a/b` are one. */
function namesOf(path: string): readonly string[] {
  const names: string[] = [];
  for (const name of path.replace(/^file:\/\//i, '').split(/[\\/]/)) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

/** The path and the folders above it, the nearest first. A whole drive is none of them. */
function listParents(names: readonly string[]): readonly string[] {
  const [first = ''] = names;
  const least = /^[a-z]:$/i.test(first) ? 2 : 1;
  const lengths = names.slice(0, MAX_SEGMENTS).map((_, index) => index + 1);
  const parents = lengths.filter((length) => length >= least).map((length) => names.slice(0, length).join('/'));
  return [names.join('/'), ...parents.toReversed()];
}

/** The ends of the path, the longest first. */
function listEndings(names: readonly string[]): readonly string[] {
  const last = names.slice(-MAX_SEGMENTS);
  return last.map((_, index) => last.slice(index).join('/'));
}

/** Finds the sent paths that hold a character which ends a path in other texts, with what a server puts before them. */
function findUnusual(texts: readonly string[]): RegExp | undefined {
  const unusual = texts
    .map((text) => text.replace(/^(?:~|\.{1,2})[\\/]/, ''))
    .filter((text) => text.length <= MAX_PATH_LENGTH && /[\s,;:()<>]/.test(text.replace(/^[a-z]:[\\/]/i, '')))
    .filter((text) => !/[\n\r]|:\/\//.test(text) && (isAbsolute(text) || /[\\/.]/.test(text)))
    .slice(0, MAX_SENT.unusual)
    .toSorted((a, b) => b.length - a.length);
  if (unusual.length === 0) return undefined;
  const written = unusual.map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)).join('|');
  const root = String.raw`(?:[a-z]:[\\/]|[\\/])(?:[^\s'"\u0060,;:()<>]{0,255}[\\/])?`;
  return new RegExp(String.raw`(?<![\w/\\.~'"\u0060])((?:${root})?(?:${written}))(?![\w\\/])`, 'i');
}

function dropFrames(words: string): readonly string[] {
  const lines = words.split(/\r\n|\n|\r/);
  return lines.filter((line, at) => {
    if (FRAME_LINE.test(line)) return false;
    if (GO_FRAME.test(lines[at + 1] ?? '')) return false;
    return !(/^\s/.test(line) && PYTHON_FRAME.test(lines[at - 1] ?? ''));
  });
}

/** Failures are often written as JSON text. Longer texts are cut before they are read. */
function readFailureText(text: string): JsonObject | undefined {
  return /^\s{0,10}\{/.test(text) && text.length <= MAX_LENGTH ? parseObject(text) : undefined;
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

/** The published conformance suite's patterns. The second is meant for stack frames, and finds "at" before any space. */
const LEAKS: readonly RegExp[] = [
  /TypeError|ReferenceError|SyntaxError/i,
  /at\s+\S+/i,
  /\/src\//i,
  /\/node_modules\//i,
  /\.[jt]s:\d+/i,
];

/**
 * The part of a message that the published suite takes for internals. Messages must not match (specification 10.1), the words of
 * servers in them neither: "the organization that owns it" reads as a frame there.
 */
export function findLeak(message: string): string | undefined {
  for (const pattern of LEAKS) {
    const found = pattern.exec(message);
    if (found !== null) return found[0];
  }
  return undefined;
}
