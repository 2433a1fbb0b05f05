import { posix } from 'node:path';
import { braceExpand } from 'minimatch';

/** A compiled pattern. */
interface Glob {
  match(text: PathText, budget: Budget): Match;
}

/**
 * Whether something matches. `doubt` where that cannot be decided, for example for text where a number is compared: a rule
 * that denies or confirms then counts as matching, a rule that allows does not, and no rule overrides the trust matrix.
 */
export type Match = 'yes' | 'doubt' | 'no';

/** Longer patterns and longer texts are not compared: the result is `doubt`. */
export const LONGEST_TEXT = 4_096;

/** The most alternatives that the braces of one pattern may expand to. */
const MOST_ALTERNATIVES = 64;

/** Steps that holding the texts of one call against patterns may take: about ten milliseconds. What is left is in doubt. */
const MOST_STEPS = 1_000_000;

/** Counts steps down over all patterns and texts of one question; below zero nothing is certain any more. */
export interface Budget {
  left: number;
}

export function matchBudget(): Budget {
  return { left: MOST_STEPS };
}

/** Steps that reading one text costs, beside its characters. */
const TEXT_STEPS = 20;

/** Steps that holding one character against a class costs. */
const CLASS_STEPS = 6;

/** Steps that one segment of a text costs, and beside its characters one that is held against wildcards. */
const SEGMENT_STEPS = 2;
const WILD_SEGMENT_STEPS = 12;

/** Extended globs and named classes, which nest or depend on the language: not supported. */
const UNSUPPORTED = /[?*+@!]\(|\[:\w+:\]/;

/** A class such as `[a-z]`, `[!0-9]`, `[]x]`; an unclosed bracket stands for itself. */
const CLASS = /\[([!^]?)((?:\]|\\.|[^\]\\])(?:\\.|[^\]\\])*)\]/y;

const WILD = Symbol('any run');
const ANY_CHARACTER = /^[\s\S]$/;

type Run<Part> = readonly (Part | typeof WILD)[];
type Character = string | RegExp;
/** One segment of a pattern: plain text, or its characters and wildcards in order, each plain one by its code. */
type Segment = string | Run<number | RegExp>;

/**
 * Compiles a pattern. The one dialect for values and names: `*` and `?` stand within a segment, `**` for whole segments,
 * `[a-z]` and `[!a-z]` for a character, `{a,b}` and `{1..3}` for alternatives, a backslash takes a sign as itself; names that
 * begin with a dot are like others. There are no extended globs (`!(a)`) and no named classes. Values come from callers, so
 * this matcher never backtracks beyond the last wildcard, the alternatives of a pattern together are no longer than a pattern
 * may be, and steps are counted. A pattern that cannot be used is always in doubt.
 */
export function compileGlob(pattern: string): Glob {
  const alternatives = readAlternatives(pattern);
  if (alternatives === null) return { match: () => 'doubt' };
  return {
    match: (text, budget) => anyOf(alternatives.map((alternative) => matchForms(alternative, text, budget))),
  };
}

/** Whether one of the patterns matches. A text that is too long gives `doubt`. @param budget of all that is asked at once */
export function matchGlobs(globs: readonly Glob[], text: string, budget: Budget = matchBudget()): Match {
  if (text.length > LONGEST_TEXT) return globs.length > 0 ? 'doubt' : 'no';
  budget.left -= TEXT_STEPS + text.length;
  if (budget.left < 0) return globs.length > 0 ? 'doubt' : 'no';
  const path = readPathText(text);
  return anyOf(globs.map((glob) => glob.match(path, budget)));
}

/** A compiled pattern of names. */
export interface NameGlob {
  match(name: string, budget: Budget): Match;
}

/** The same dialect for names that are no paths, such as those of users: `*` matches every run of characters, slashes too. */
export function compileNameGlob(pattern: string): NameGlob {
  const segments = readExpanded(pattern, readSegment);
  if (segments === null) return { match: () => 'doubt' };
  return {
    match(name, budget) {
      if (name.length > LONGEST_TEXT) return 'doubt';
      const matches = segments.some((segment) => fits(segment, name, isAny, budget));
      return matches && budget.left >= 0 ? 'yes' : budget.left < 0 ? 'doubt' : 'no';
    },
  };
}

/** The test of one pattern of names. What it cannot decide it does not match. */
export function compileNameTest(pattern: string): (name: string) => boolean {
  const glob = compileNameGlob(pattern);
  return (name) => glob.match(name, matchBudget()) === 'yes';
}

/** Whether a text is a pattern and not a name. */
export function isPattern(text: string): boolean {
  return /[*?[\]{}\\]/.test(text);
}

/** Why a pattern cannot be used, and how to write it; undefined where it can. */
export function findGlobFault(pattern: string): { readonly message: string; readonly suggestion: string } | undefined {
  if (UNSUPPORTED.test(pattern)) {
    return {
      message: 'expected a pattern without extended globs such as @(a|b), and without named classes',
      suggestion: 'write {a,b} for alternatives, and \\( for a parenthesis',
    };
  }
  if (readExpanded(pattern, readSegment) !== null) return undefined;
  return {
    message: `expected braces of at most ${MOST_ALTERNATIVES} alternatives, and classes such as [a-z]`,
    suggestion: 'write a list of patterns',
  };
}

/** The same for a pattern of names, which no negation begins. */
export function findNameGlobFault(pattern: string): ReturnType<typeof findGlobFault> {
  if (!pattern.startsWith('!')) return findGlobFault(pattern);
  return {
    message: "expected the names that are meant: a leading '!' does not turn a pattern round",
    suggestion: 'write patterns of the others, or \\! for the sign itself',
  };
}

/** Every form must match to be certain, and none to be certain that not: a path is easily spelled in another way. */
function matchForms(alternative: Run<Segment>, text: PathText, budget: Budget): Match {
  const { written, resolved, directory, unplaced, hasDots } = text;
  const holds = (segments: readonly string[], mayBeWild: (segment: string) => boolean): boolean =>
    matchPath(alternative, segments, mayBeWild, budget);
  const asWritten = holds(written, isNamed);
  const asResolved = resolved === written ? asWritten : holds(resolved, isNamed);
  if (asWritten && asResolved && budget.left >= 0) return 'yes';
  const mayMatch =
    asWritten ||
    asResolved ||
    unplaced ||
    holds(directory, isAny) ||
    // Where nothing resolves paths, as in an object store, `prod/../x` lies in `prod`.
    (hasDots && holds(written, isAny));
  return mayMatch || budget.left < 0 ? 'doubt' : 'no';
}

/** A wildcard matches no `.` and `..` for certain, because these name other directories. */
function isNamed(segment: string): boolean {
  return segment !== '.' && segment !== '..';
}

function isAny(): boolean {
  return true;
}

/** Whether segments match those of a pattern in order, where a wildcard matches any run of segments that it may match. */
function matchPath(
  parts: Run<Segment>,
  segments: readonly string[],
  mayBeWild: (segment: string) => boolean,
  budget: Budget,
): boolean {
  let part = 0;
  let wild = -1;
  let resume = 0;
  for (let index = 0; index < segments.length; ) {
    budget.left -= SEGMENT_STEPS;
    if (budget.left < 0) return false;
    const expected = parts[part];
    const segment = segments[index] ?? '';
    if (expected === WILD) {
      wild = part++;
      resume = index;
    } else if (expected !== undefined && fits(expected, segment, mayBeWild, budget)) {
      part++;
      index++;
    } else if (wild >= 0 && mayBeWild(segments[resume] ?? '')) {
      part = wild + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (parts[part] === WILD) part++;
  return part === parts.length;
}

function fits(expected: Segment, segment: string, mayBeWild: (segment: string) => boolean, budget: Budget): boolean {
  if (typeof expected === 'string') return expected === segment;
  return mayBeWild(segment) && matchSegment(expected, segment, budget);
}

/**
 * The same for the characters of one segment. A loop of its own, which compares codes: one for both takes ten times as long for
 * each character.
 */
function matchSegment(parts: Run<number | RegExp>, text: string, budget: Budget): boolean {
  let left = budget.left - WILD_SEGMENT_STEPS;
  let part = 0;
  let wild = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length && left >= 0) {
    const expected = parts[part];
    left -= expected instanceof RegExp ? CLASS_STEPS : 1;
    if (expected === WILD) {
      wild = part++;
      resume = index;
    } else if (expected !== undefined && matchCharacter(expected, text, index)) {
      part++;
      index++;
    } else if (wild >= 0) {
      part = wild + 1;
      index = ++resume;
    } else {
      break;
    }
  }
  budget.left = left;
  if (index < text.length) return false;
  while (parts[part] === WILD) part++;
  return part === parts.length;
}

function matchCharacter(expected: number | RegExp, text: string, index: number): boolean {
  return typeof expected === 'number' ? expected === text.charCodeAt(index) : expected.test(text.charAt(index));
}

/** The alternatives that the braces of a pattern expand to, or null where it cannot be used. */
function readAlternatives(pattern: string): readonly Run<Segment>[] | null {
  return readExpanded(pattern, readPattern);
}

function readExpanded<Read>(pattern: string, read: (alternative: string) => Read): readonly Read[] | null {
  if (pattern.length > LONGEST_TEXT || UNSUPPORTED.test(pattern)) return null;
  const alternatives = braceExpand(pattern, { braceExpandMax: MOST_ALTERNATIVES + 1 });
  if (alternatives.length > MOST_ALTERNATIVES || alternatives.join('').length > LONGEST_TEXT) return null;
  try {
    return alternatives.map(read);
  } catch (error) {
    // A class has a range in the wrong order, such as `[z-a]`.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function readPattern(pattern: string): Run<Segment> {
  const segments = splitPath(pattern);
  return segments.flatMap((segment, index): Run<Segment> => {
    if (segment !== '**') return [readSegment(segment)];
    // At the end `**` matches the content of the directory, not the directory itself.
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
  if (characters.every((character) => typeof character === 'string')) return characters.join('');
  return characters.map((character) => (typeof character === 'string' ? character.charCodeAt(0) : character));
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

/** A class as a regular expression for one character; letters after a backslash stand for themselves. */
function readClass(body: string, negated: boolean): RegExp {
  const members = body.replace(/\\(.)|[[\]^]/gs, (sign, escaped?: string) => {
    const character = escaped ?? sign;
    return /[\w\s]/.test(character) ? character : `\\${character}`;
  });
  return new RegExp(`^[${negated ? '^' : ''}${members}]$`);
}

const RANKS: Readonly<Record<Match, number>> = { no: 0, doubt: 1, yes: 2 };

/** The least certain match; `yes` for an empty list. */
export function allOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((least, match) => (RANKS[match] < RANKS[least] ? match : least), 'yes');
}

/** The most certain match; `no` for an empty list. */
export function anyOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((most, match) => (RANKS[match] > RANKS[most] ? match : most), 'no');
}

/**
 * The match of a list by those of its elements: certain where all agree, otherwise `doubt`. So one element is enough to deny
 * a call, and all are needed to allow it.
 */
export function eachOf(matches: readonly Match[]): Match {
  const [first = 'no', ...others] = matches;
  return others.every((match) => match === first) ? first : 'doubt';
}

/** A text that may be a path, in segments: as written and as a file system would resolve it. */
interface PathText {
  /** Without repeated and trailing slashes, as in patterns. */
  readonly written: readonly string[];
  /** Backslashes read as slashes, `.` and `..` resolved. */
  readonly resolved: readonly string[];
  /** The resolved path with a trailing slash: an operation on a directory affects everything in it. */
  readonly directory: readonly string[];
  /** Whether a segment as written is `.` or `..`. */
  readonly hasDots: boolean;
  /** Whether it is relative to a directory that is not known here: `.`, `../x`. */
  readonly unplaced: boolean;
}

/** Splits at slashes; an absolute path begins with an empty segment, and `/` alone is two. */
function splitPath(path: string): readonly string[] {
  const segments = path.split(path.includes('//') ? /\/+/ : '/');
  const last = segments.length - 1;
  const isRoot = segments.length === 2 && segments[0] === '';
  return last > 0 && segments[last] === '' && !isRoot ? segments.slice(0, last) : segments;
}

/** What a file system would read in another way than it is written. */
const UNRESOLVED = /\\|\/\/|(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Reads a text that may be a path. Links, letter case and encodings depend on the upstream: rules compare the written text,
 * not files.
 */
function readPathText(text: string): PathText {
  const written = splitPath(text);
  const resolved =
    text !== '' && UNRESOLVED.test(text) ? splitPath(posix.normalize(text.replaceAll('\\', '/'))) : written;
  return {
    written,
    resolved,
    directory: [...resolved, ''],
    hasDots: !written.every(isNamed),
    unplaced: resolved[0] === '..' || resolved[0] === '.',
  };
}
