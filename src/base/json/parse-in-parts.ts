import { Pauses } from '../pauses/pauses.js';
import { keepExactNumbers, keepMember, keepNumbersOfPart, keepTextsOf } from './exact-result.js';
import type { JsonObject } from './json.js';
import { SUSPICIOUS } from './scan.js';

/** Smaller values are parsed at once: it takes a millisecond, or some where they hold as many objects as there can be. */
const WHOLE_BYTES = 128 * 1024;
/** Bytes that are looked at between two stops: a millisecond. */
const SCANNED_BYTES = 256 * 1024;
/** Large values lie no deeper in real messages; deeper ones are parsed at once. */
const MAX_DEPTH = 200;

const [QUOTE, BACKSLASH, LETTER_U, COMMA, COLON] = [0x22, 0x5c, 0x75, 0x2c, 0x3a] as const;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
/** Bytes of `\\n` and of `\\u00e9`. */
const [SHORT_ESCAPE, UNICODE_ESCAPE] = [2, 6] as const;

interface PartsOptions {
  /** Values of so many bytes are parsed at once. */
  readonly wholeBytes?: number;
  /** Parses what is parsed at once, instead of `JSON.parse`. */
  readonly parseWhole?: (text: string) => unknown;
  /** Whether objects keep what parsing changes of their numbers (`exact-result.ts`). */
  readonly keepsNumbers?: boolean;
}

/** Work that stops after each of its parts. */
type Parts<T> = Generator<void, T, void>;

/**
 * Parses a JSON text as `JSON.parse` does, part by part; calls are served meanwhile.
 * @throws SyntaxError
 */
export async function parseWithPauses(text: Buffer, options: PartsOptions): Promise<unknown> {
  const pauses = new Pauses();
  const parts = parseInParts(text, options);
  for (;;) {
    const step = parts.next();
    if (step.done === true) return step.value;
    await pauses.due();
  }
}

/** The same at once: part by part it takes less memory than as a whole. */
export function parsePartsAtOnce(text: Buffer, options: PartsOptions): unknown {
  const parts = parseInParts(text, options);
  for (;;) {
    const step = parts.next();
    if (step.done === true) return step.value;
  }
}

/**
 * With a stop after each part: lists and objects of more than 128 kB some members at a time, and long texts some characters at a time.
 * @throws SyntaxError
 */
export function* parseInParts(text: Buffer, options: PartsOptions = {}): Parts<unknown> {
  const { wholeBytes = WHOLE_BYTES, parseWhole = JSON.parse, keepsNumbers = false } = options;
  const large = yield* findLarge(text, wholeBytes);
  const parser = new PartsParser(text, { wholeBytes, keepsNumbers, parseWhole }, large);
  return yield* parser.parse({ start: 0, end: text.length }, 0);
}

/** How deep the objects lie whose members are written again one by one: results, and the items of their lists. */
const KEPT_AT: ReadonlySet<number> = new Set([1, 3]);

/** A part of the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Members of a list or an object, without the commas around them: one that is large itself, or some. */
interface Group extends Span {
  readonly isOne: boolean;
}

/** A list or object that is open, and what was read of it. */
class Container {
  start = 0;
  isList = false;
  /** Where it ends, and its members in groups; only of one that is large. */
  end = 0;
  groups: Group[] = [];
  #member = 0;
  #group = 0;

  open(start: number, isList: boolean): void {
    this.start = start;
    this.isList = isList;
    this.#member = start + 1;
    this.#group = start + 1;
    if (this.groups.length > 0) this.groups = [];
  }

  /** A member ends: at a comma, or with its container. */
  endMember(at: number, wholeBytes: number): void {
    const isOne = at - this.#member > wholeBytes;
    if (isOne && this.#group < this.#member) this.#add(this.#group, this.#member - 1, false);
    if (isOne) this.#add(this.#member, at, true);
    else if (at - this.#group > wholeBytes) this.#add(this.#group, at, false);
    this.#member = at + 1;
  }

  /** What is left makes the last group. */
  close(at: number, wholeBytes: number): Container {
    this.endMember(at, wholeBytes);
    if (this.#group <= at) this.#add(this.#group, at, false);
    const closed = new Container();
    return Object.assign(closed, { start: this.start, isList: this.isList, end: at, groups: this.groups });
  }

  #add(start: number, end: number, isOne: boolean): void {
    this.groups.push({ start, end, isOne });
    this.#group = end + 1;
  }
}

/** The large lists and objects, by where they begin: found in one pass, whatever lies in what. */
function* findLarge(text: Buffer, wholeBytes: number): Parts<ReadonlyMap<number, Container>> {
  const large = new Map<number, Container>();
  /** Used again, since a text may open hundreds of thousands. */
  const containers: Container[] = [];
  let depth = 0;
  let isInText = false;
  for (let at = 0, pause = SCANNED_BYTES; at < text.length; at += 1) {
    const byte = text[at];
    if (isInText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      const container = containers[depth] ?? new Container();
      containers[depth] = container;
      container.open(at, byte === OPEN_LIST);
      depth += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      const container = containers[depth];
      if (container === undefined || container.isList !== (byte === CLOSE_LIST)) throw malformed();
      if (at - container.start > wholeBytes) large.set(container.start, container.close(at, wholeBytes));
    } else if (byte === COMMA && depth > 0) containers[depth - 1]?.endMember(at, wholeBytes);
    if (at < pause) continue;
    pause = at + SCANNED_BYTES;
    yield;
  }
  if (depth > 0 || isInText) throw malformed();
  return large;
}

class PartsParser {
  readonly #text: Buffer;
  readonly #options: Required<PartsOptions>;
  readonly #large: ReadonlyMap<number, Container>;
  /** How many parts so far may hold numbers that parsing changes. */
  #suspicious = 0;

  constructor(text: Buffer, options: Required<PartsOptions>, large: ReadonlyMap<number, Container>) {
    this.#text = text;
    this.#options = options;
    this.#large = large;
  }

  *parse(untrimmed: Span, depth: number): Parts<unknown> {
    const span = trim(this.#text, untrimmed);
    const { start, end } = span;
    if (end - start <= this.#options.wholeBytes || depth === MAX_DEPTH) return this.#whole(span, depth);
    if (this.#text[start] === QUOTE && this.#text[end - 1] === QUOTE) return yield* this.#parseText(span);
    const container = this.#large.get(start);
    if (container === undefined || container.end !== end - 1) return this.#whole(span, depth);
    // Many blanks between two brackets are large, and nothing.
    const blank = container.groups.filter((group) => isBlank(this.#text, group)).length;
    if (blank > 0 && container.groups.length > 1) throw malformed();
    const groups = blank > 0 ? [] : container.groups;
    return container.isList ? yield* this.#parseList(groups, depth) : yield* this.#parseObject(groups, depth);
  }

  *#parseList(groups: readonly Group[], depth: number): Parts<unknown> {
    const list: unknown[] = [];
    for (const group of groups) {
      if (group.isOne) list.push(yield* this.parse(group, depth + 1));
      else for (const item of this.#parseAtOnce(`[${this.#read(group)}]`, depth) as unknown[]) list.push(item);
      yield;
    }
    return list;
  }

  *#parseObject(groups: readonly Group[], depth: number): Parts<unknown> {
    const members: [string, unknown][] = [];
    const suspicious: (readonly [name: string, value: unknown, span: Span])[] = [];
    const read: JsonObject[] = [];
    for (const group of groups) {
      const named = group.isOne ? this.#splitMember(group) : undefined;
      if (named === undefined) {
        const some = this.#parseAtOnce(`{${this.#read(group)}}`, depth) as JsonObject;
        members.push(...Object.entries(some));
        read.push(some);
      } else {
        const before = this.#suspicious;
        const value = yield* this.parse(named.value, depth + 1);
        members.push([named.name, value]);
        if (this.#suspicious > before && KEPT_AT.has(depth)) suspicious.push([named.name, value, named.value]);
      }
      yield;
    }
    // `fromEntries` defines members, so that `__proto__` becomes an ordinary one, as it does in `JSON.parse`.
    const object: JsonObject = Object.fromEntries(members);
    if (!this.#options.keepsNumbers) return object;
    for (const some of read) keepTextsOf(some, object);
    // The last one of a name counts.
    for (const [name, value, span] of suspicious)
      if (object[name] === value) keepMember(object, name, this.#read(trim(this.#text, span)));
    return object;
  }

  /** The name and the value of one member; undefined where it has another form, which `JSON.parse` then refuses. */
  #splitMember(span: Span): { readonly name: string; readonly value: Span } | undefined {
    const { start, end } = trim(this.#text, span);
    let close = start + 1;
    while (close < end && this.#text[close] !== QUOTE) close += this.#text[close] === BACKSLASH ? 2 : 1;
    const colon = trim(this.#text, { start: close + 1, end });
    if (this.#text[start] !== QUOTE || this.#text[colon.start] !== COLON) return undefined;
    const name = String(JSON.parse(this.#read({ start, end: close + 1 })));
    return { name, value: { start: colon.start + 1, end } };
  }

  /** A quote within it that is not escaped lets the part fail that it is in. */
  *#parseText({ start, end }: Span): Parts<string> {
    const parts: unknown[] = [];
    for (let from = start + 1; from < end - 1; ) {
      const to = Math.min(endOfPart(this.#text, from, from + this.#options.wholeBytes), end - 1);
      parts.push(JSON.parse(`"${this.#read({ start: from, end: to })}"`));
      from = to;
      yield;
    }
    return parts.join('');
  }

  #whole(span: Span, depth: number): unknown {
    return this.#parseAtOnce(this.#read(span), depth);
  }

  #parseAtOnce(text: string, depth: number): unknown {
    const value = this.#options.parseWhole(text);
    if (!this.#options.keepsNumbers || !SUSPICIOUS.test(text)) return value;
    this.#suspicious += 1;
    if (depth === 0) keepExactNumbers(value, text);
    else keepNumbersOfPart(value, text);
    return value;
  }

  #read({ start, end }: Span): string {
    return this.#text.toString('utf8', start, end);
  }
}

/** The first place from `least` on, and behind `from`, that is neither within an escape nor within a character. */
function endOfPart(text: Buffer, from: number, least: number): number {
  let at = from;
  while (at < least || at === from || isContinuation(text[at])) {
    if (text[at] !== BACKSLASH) at += 1;
    else at += text[at + 1] === LETTER_U ? UNICODE_ESCAPE : SHORT_ESCAPE;
  }
  return at;
}

/** A byte of UTF-8 that begins no character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

function malformed(): SyntaxError {
  return new SyntaxError('the text is not valid JSON');
}

function isBlank(text: Buffer, span: Span): boolean {
  const { start, end } = trim(text, span);
  return start >= end;
}

/** The same part without white space around it. */
function trim(text: Buffer, { start, end }: Span): Span {
  let [first, last] = [start, end];
  while (first < last && isSpace(text[first])) first += 1;
  while (last > first && isSpace(text[last - 1])) last -= 1;
  return { start: first, end: last };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
