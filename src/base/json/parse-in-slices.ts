import type { Sliced } from '../turns/turns.js';

/** Smaller values are parsed at once: it takes a millisecond, or some where they hold as many objects as there can be. */
const WHOLE_BYTES = 128 * 1024;
/** Bytes that are looked at in one slice: about two milliseconds. */
const SCANNED_BYTES = 256 * 1024;
/** Large values lie no deeper in real messages; deeper ones are parsed at once. */
const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Bytes of `\\n` and of `\\u00e9`. */
const SHORT_ESCAPE = 2;
const UNICODE_ESCAPE = 6;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const BRACKETS = { object: ['{', '}'], list: ['[', ']'] } as const;

/** A part of the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a JSON text as `JSON.parse` does, in slices: lists and objects of more than 128 kB member by member, and texts part by part.
 * @param parseWhole parses what is small, instead of `JSON.parse`
 * @throws SyntaxError
 */
export function* parseInSlices(
  text: Buffer,
  wholeBytes = WHOLE_BYTES,
  parseWhole: (text: string) => unknown = JSON.parse,
): Sliced<unknown> {
  const scanner = new Scanner(text, { wholeBytes, parseWhole }, yield* findLarge(text, wholeBytes));
  return yield* scanner.parse(trim(text, { start: 0, end: text.length }), 0);
}

/** Where the large lists and objects end, by where they begin: so that no level looks again at what a deeper one holds. */
function* findLarge(text: Buffer, wholeBytes: number): Sliced<ReadonlyMap<number, number>> {
  const large = new Map<number, number>();
  const open: number[] = [];
  let pause = SCANNED_BYTES;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfPlainText(text, at) ?? (yield* endOfText(text, at));
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) open.push(at);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      const start = open.pop();
      if (start === undefined) throw malformed();
      if (at - start > wholeBytes) large.set(start, at);
    }
    if (at >= pause) {
      pause = at + SCANNED_BYTES;
      yield;
    }
  }
  return large;
}

interface ScannerOptions {
  readonly wholeBytes: number;
  readonly parseWhole: (text: string) => unknown;
}

class Scanner {
  readonly #text: Buffer;
  readonly #wholeBytes: number;
  readonly #parseWhole: (text: string) => unknown;
  readonly #large: ReadonlyMap<number, number>;

  constructor(text: Buffer, { wholeBytes, parseWhole }: ScannerOptions, large: ReadonlyMap<number, number>) {
    this.#text = text;
    this.#wholeBytes = wholeBytes;
    this.#parseWhole = parseWhole;
    this.#large = large;
  }

  *parse(span: Span, depth: number): Sliced<unknown> {
    const kind = this.#kindOf(span);
    if (!this.#isLarge(span)) return this.#whole(span);
    if (this.#isText(span)) return yield* this.#parseText(span);
    if (kind === undefined || depth === MAX_DEPTH) return this.#whole(span);
    const groups = yield* this.#split(span);
    return kind === 'list' ? yield* this.#parseList(groups, depth) : yield* this.#parseObject(groups, depth);
  }

  #kindOf({ start, end }: Span): keyof typeof BRACKETS | undefined {
    const [first, last] = [this.#text[start], this.#text[end - 1]].map((byte) => String.fromCharCode(byte ?? 0));
    if (first === '[' && last === ']') return 'list';
    return first === '{' && last === '}' ? 'object' : undefined;
  }

  #whole({ start, end }: Span): unknown {
    return this.#parseWhole(this.#text.toString('utf8', start, end));
  }

  #isText({ start, end }: Span): boolean {
    return end - start > 1 && this.#text[start] === QUOTE && this.#text[end - 1] === QUOTE;
  }

  /** A quote within it that is not escaped lets the part fail that it is in. */
  *#parseText({ start, end }: Span): Sliced<string> {
    const parts: unknown[] = [];
    for (let from = start + 1; from < end - 1; ) {
      const to = Math.min(endOfPart(this.#text, from, from + this.#wholeBytes), end - 1);
      parts.push(this.#parseWhole(`"${this.#text.toString('utf8', from, to)}"`));
      from = to;
      yield;
    }
    return parts.join('');
  }

  *#parseList(groups: readonly Span[], depth: number): Sliced<unknown> {
    const list: unknown[] = [];
    for (const group of groups) {
      if (this.#isLarge(group)) list.push(yield* this.parse(trim(this.#text, group), depth + 1));
      else for (const item of this.#wrapped(group, 'list') as unknown[]) list.push(item);
      yield;
    }
    return list;
  }

  *#parseObject(groups: readonly Span[], depth: number): Sliced<unknown> {
    const members: [string, unknown][] = [];
    for (const group of groups) {
      const named = this.#isLarge(group) ? yield* this.#splitMember(group) : undefined;
      if (named === undefined) members.push(...Object.entries(this.#wrapped(group, 'object') as object));
      else members.push([named.name, yield* this.parse(named.value, depth + 1)]);
      yield;
    }
    // `fromEntries` defines members, so that `__proto__` becomes an ordinary one, as it does in `JSON.parse`.
    return Object.fromEntries(members);
  }

  #isLarge({ start, end }: Span): boolean {
    return end - start > this.#wholeBytes;
  }

  #wrapped({ start, end }: Span, kind: keyof typeof BRACKETS): unknown {
    const [open, close] = BRACKETS[kind];
    return this.#parseWhole(open + this.#text.toString('utf8', start, end) + close);
  }

  /** The members of a list or an object, without the commas between them; neighbours that are small together are one span. */
  *#split({ start, end }: Span): Sliced<readonly Span[]> {
    const text = this.#text;
    const groups: Span[] = [];
    let group: Span | undefined;
    const close = (): void => {
      if (group === undefined) return;
      const { start: first, end: last } = trim(text, group);
      // A comma with nothing before or after it.
      if (first === last) throw malformed();
      groups.push(group);
    };
    const add = (from: number, to: number): void => {
      if (group !== undefined && to - group.start <= this.#wholeBytes) {
        group = { start: group.start, end: to };
        return;
      }
      close();
      group = { start: from, end: to };
    };
    let depth = 0;
    let from = start + 1;
    let pause = start + SCANNED_BYTES;
    for (let at = start + 1; at < end - 1; at += 1) {
      const byte = text[at];
      if (byte === QUOTE) at = endOfPlainText(text, at) ?? (yield* endOfText(text, at));
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        const beyond = this.#large.get(at);
        if (beyond === undefined) depth += 1;
        else at = beyond;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      else if (byte === COMMA && depth === 0) {
        add(from, at);
        from = at + 1;
      }
      if (depth < 0) throw malformed();
      if (at >= pause) {
        pause = at + SCANNED_BYTES;
        yield;
      }
    }
    if (depth !== 0) throw malformed();
    // Many blanks between two brackets are large, and nothing.
    if (group === undefined && isEmpty(text, { start: from, end: end - 1 })) return [];
    add(from, end - 1);
    close();
    return groups;
  }

  /** The name and the value of one member; undefined where it has another form, which `JSON.parse` then refuses. */
  *#splitMember(span: Span): Sliced<{ readonly name: string; readonly value: Span } | undefined> {
    const { start, end } = trim(this.#text, span);
    if (this.#text[start] !== QUOTE) return undefined;
    const close = endOfPlainText(this.#text, start) ?? (yield* endOfText(this.#text, start));
    const colon = trim(this.#text, { start: close + 1, end });
    if (this.#text[colon.start] !== COLON) return undefined;
    const name: unknown = this.#whole({ start, end: close + 1 });
    return { name: String(name), value: trim(this.#text, { start: colon.start + 1, end }) };
  }
}

/** Where the string ends that begins here; undefined where a backslash stands before its first quote. @throws SyntaxError where it has no end */
function endOfPlainText(text: Buffer, start: number): number | undefined {
  const at = text.indexOf(QUOTE, start + 1);
  if (at < 0) throw malformed();
  return text[at - 1] === BACKSLASH ? undefined : at;
}

/** The same for any string: one may consist of millions of escaped quotes. */
function* endOfText(text: Buffer, start: number): Sliced<number> {
  let pause = start + SCANNED_BYTES;
  for (let at = text.indexOf(QUOTE, start + 1); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
    if (at >= pause) {
      pause = at + SCANNED_BYTES;
      yield;
    }
  }
  throw malformed();
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

function isEmpty(text: Buffer, span: Span): boolean {
  const { start, end } = trim(text, span);
  return start >= end;
}

/** The same part without white space around it. */
function trim(text: Buffer, { start, end }: Span): Span {
  let [first, last] = [start, end];
  while (first < last && isBlank(text[first])) first += 1;
  while (last > first && isBlank(text[last - 1])) last -= 1;
  return { start: first, end: last };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
