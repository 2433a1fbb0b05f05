import { posix } from 'node:path';
import { braceExpand } from 'minimatch';

/** A pattern made ready. */
export interface Glob {
  readonly pattern: string;
  match(text: PathText, budget: Budget): Match;
}

/**
 * Whether something matches. `doubt` where it cannot be told, as with text where a number is compared: a rule that denies or
 * confirms then counts as matching, a rule that allows does not, and nothing lifts the trust matrix.
 */
export type Match = 'yes' | 'doubt' | 'no';

/** Longer patterns and longer texts are not held against each other: the result is in doubt. */
export const LONGEST_TEXT = 4_096;

/** Alternatives that the braces of one pattern may come to. */
const MOST_ALTERNATIVES = 64;

/** Steps that holding one text against patterns may take: about ten milliseconds. What is left then is in doubt. */
const MOST_STEPS = 1_000_000;

/** Counts steps down over all patterns of one question; below zero nothing is certain any more. */
interface Budget {
  left: number;
}

/** Extended globs and named classes, which nest or depend on the language: not supported. */
const UNSUPPORTED = /[?*+@!]\(|\[:\w+:\]/;

/** A class such as `[a-z]`, `[!0-9]`, `[]x]`; without its end the bracket is itself. */
const CLASS = /\[([!^]?)((?:\]|\\.|[^\]\\])(?:\\.|[^\]\\])*)\]/y;

const WILD = Symbol('any run');
const ANY_CHARACTER = /^[\s\S]$/;

type Run<Part> = readonly (Part | typeof WILD)[];
type Character = string | RegExp;
/** One segment of a pattern: a text without signs, or its characters in order. */
type Segment = string | Run<Character>;

/**
 * Compiles a pattern. The one dialect for values and names: `*` and `?` stand within a segment, `**` for whole segments,
 * `[a-z]` and `[!a-z]` for a character, `{a,b}` and `{1..3}` for alternatives, a backslash takes a sign as itself; names that
 * begin with a dot are like others. There are no extended globs (`!(a)`) and no named classes. Values come from callers, so
 * this matcher never backtracks beyond the last wildcard, the alternatives of a pattern together are no longer than a pattern
 * may be, and steps are counted. A pattern that cannot be used is always in doubt.
 */
export function compileGlob(pattern: string): Glob {
  const alternatives = readAlternatives(pattern);
  if (alternatives === null) return { pattern, match: () => 'doubt' };
  return {
    pattern,
    match: (text, budget) => anyOf(alternatives.map((alternative) => matchForms(alternative, text, budget))),
  };
}

/** One of the patterns must match. A text that is too long is in doubt. */
export function matchGlobs(globs: readonly Glob[], text: string): Match {
  if (text.length > LONGEST_TEXT) return globs.length > 0 ? 'doubt' : 'no';
  const path = readPathText(text);
  const budget: Budget = { left: MOST_STEPS };
  return anyOf(globs.map((glob) => glob.match(path, budget)));
}

/** Every form must match to be certain, and none to be certain that not: a path is easily spelled in another way. */
function matchForms(alternative: Run<Segment>, text: PathText, budget: Budget): Match {
  const { written, resolved, directory, unplaced } = text;
  const holds = (segments: readonly string[], mayBeWild: (segment: string) => boolean): boolean =>
    matchSegments(alternative, segments, mayBeWild, budget);
  const asWritten = holds(written, isNamed);
  const asResolved = holds(resolved, isNamed);
  if (asWritten && asResolved && budget.left >= 0) return 'yes';
  const mayMatch =
    asWritten ||
    asResolved ||
    unplaced ||
    holds(directory, isAny) ||
    // Where nothing resolves paths, as in an object store, `prod/../x` lies in `prod`.
    holds(written, isAny);
  return mayMatch || budget.left < 0 ? 'doubt' : 'no';
}

function matchSegments(
  alternative: Run<Segment>,
  segments: readonly string[],
  mayBeWild: (segment: string) => boolean,
  budget: Budget,
): boolean {
  const fits = (segment: Segment, text: string): boolean =>
    typeof segment === 'string'
      ? segment === text
      : mayBeWild(text) && matchRun(segment, text, matchCharacter, isAny, budget);
  return matchRun(alternative, segments, fits, mayBeWild, budget);
}

function matchCharacter(character: Character, text: string): boolean {
  return typeof character === 'string' ? character === text : character.test(text);
}

/** For certain, no wildcard stands for `.` and `..`, which name another place than their own. */
function isNamed(segment: string): boolean {
  return segment !== '.' && segment !== '..';
}

function isAny(): boolean {
  return true;
}

/** Whether items fit parts in order, where a wildcard takes any run of items that it may pass. */
function matchRun<Part, Item>(
  parts: Run<Part>,
  items: ArrayLike<Item>,
  fits: (part: Part, item: Item) => boolean,
  passes: (item: Item) => boolean,
  budget: Budget,
): boolean {
  let part = 0;
  let wild = -1;
  let resume = 0;
  for (let index = 0; index < items.length; ) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    const expected = parts[part];
    if (expected === WILD) {
      wild = part++;
      resume = index;
    } else if (expected !== undefined && fits(expected, items[index] as Item)) {
      part++;
      index++;
    } else if (wild >= 0 && passes(items[resume] as Item)) {
      part = wild + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (parts[part] === WILD) part++;
  return part === parts.length;
}

/** The pattern without its braces, or null where it cannot be used. */
function readAlternatives(pattern: string): readonly Run<Segment>[] | null {
  if (pattern.length > LONGEST_TEXT || UNSUPPORTED.test(pattern)) return null;
  const alternatives = braceExpand(pattern, { braceExpandMax: MOST_ALTERNATIVES + 1 });
  if (alternatives.length > MOST_ALTERNATIVES || alternatives.join('').length > LONGEST_TEXT) return null;
  try {
    return alternatives.map(readPattern);
  } catch (error) {
    // A class whose range runs backwards.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function readPattern(pattern: string): Run<Segment> {
  const segments = splitPath(pattern);
  return segments.flatMap((segment, index): Run<Segment> => {
    if (segment !== '**') return [readSegment(segment)];
    // At the end it stands for something inside, not for the directory itself.
    return index === segments.length - 1 ? [WILD, [WILD]] : [WILD];
  });
}

function readSegment(segment: string): Segment {
  const characters: (Character | typeof WILD)[] = [];
  for (let index = 0; index < segment.length; ) {
    const [character, length] = readCharacter(segment, index);
    characters.push(character);
    index += length;
  }
  if (characters.length > 0 && characters.every((character) => character === WILD)) return [ANY_CHARACTER, WILD];
  return characters.every((character) => typeof character === 'string') ? characters.join('') : characters;
}

function readCharacter(segment: string, index: number): readonly [Character | typeof WILD, length: number] {
  const sign = segment.charAt(index);
  if (sign === '*') return [WILD, 1];
  if (sign === '?') return [ANY_CHARACTER, 1];
  if (sign === '\\' && index + 1 < segment.length) return [segment.charAt(index + 1), 2];
  if (sign !== '[') return [sign, 1];
  CLASS.lastIndex = index;
  const [whole, negation, body] = CLASS.exec(segment) ?? [];
  return whole === undefined || body === undefined ? [sign, 1] : [readClass(body, negation !== ''), whole.length];
}

/** A class as a regular expression of one character, where letters after a backslash mean themselves. */
function readClass(body: string, negated: boolean): RegExp {
  const members = body.replace(/\\(.)|[[\]^]/gs, (sign, escaped?: string) => {
    const character = escaped ?? sign;
    return /[\w\s]/.test(character) ? character : `\\${character}`;
  });
  return new RegExp(`^[${negated ? '^' : ''}${members}]$`);
}

const RANKS: Readonly<Record<Match, number>> = { no: 0, doubt: 1, yes: 2 };

/** All must hold; of nothing, all do. */
export function allOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((least, match) => (RANKS[match] < RANKS[least] ? match : least), 'yes');
}

/** One must hold; of nothing, none does. */
export function anyOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((most, match) => (RANKS[match] > RANKS[most] ? match : most), 'no');
}

/**
 * Of the elements of one list: certain where all agree, else in doubt. So one element suffices to deny a call, and only all of
 * them to allow it.
 */
export function eachOf(matches: readonly Match[]): Match {
  const [first = 'no', ...rest] = matches;
  return rest.every((match) => match === first) ? first : 'doubt';
}

/** A text as patterns see it: in segments, as written and as a file system would resolve it. */
interface PathText {
  /** Repeated and trailing slashes removed, as patterns have them. */
  readonly written: readonly string[];
  /** Backslashes read as slashes, `.` and `..` resolved. */
  readonly resolved: readonly string[];
  /** The resolved path ending in a slash: what a deed to a directory does to all inside it. */
  readonly directory: readonly string[];
  /** Whether it leads to, or out of, a starting point that is not known here: `.`, `../x`. */
  readonly unplaced: boolean;
}

/** Splits at slashes; an absolute path begins with an empty segment, and `/` alone is two. */
function splitPath(path: string): readonly string[] {
  const segments = path.split(/\/+/);
  const last = segments.length - 1;
  const isRoot = segments.length === 2 && segments[0] === '';
  return last > 0 && segments[last] === '' && !isRoot ? segments.slice(0, last) : segments;
}

/**
 * Reads a text that may be a path. Links, letter case and encodings are the upstream's affair: rules are held against what is
 * written, not against files.
 */
function readPathText(text: string): PathText {
  const resolved = text === '' ? [''] : splitPath(posix.normalize(text.replaceAll('\\', '/')));
  return {
    written: splitPath(text),
    resolved,
    directory: [...resolved, ''],
    unplaced: resolved[0] === '..' || resolved[0] === '.',
  };
}
