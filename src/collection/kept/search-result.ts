import { unmarked } from '../desk/exact-numbers.js';
import { type Container, isContainer, openContainer } from './container.js';
import type { Place } from './find-in-result.js';
import { writeResultPath } from './result-path.js';
import { startOfCharacter } from './take-text.js';

/** A place where the searched text stands. */
export interface Match {
  /** To the text or number that holds it, from the root of the result; absent where the result is that text. */
  readonly path?: string;
  /** From 1, where the text has several lines. */
  readonly line?: number;
  /** Of the excerpt, where it is not the whole text: `after` reads on from there. */
  readonly at?: number;
  /** The line around the match, at most some 200 characters of it. */
  readonly text: string;
}

export interface Matches {
  readonly matches: readonly Match[];
  readonly total: number;
}

/** Which of the matches are wanted. */
export interface MatchWindow {
  readonly start: number;
  readonly count: number;
}

/** Characters shown on each side of a match. */
const BEFORE = 80;
const AFTER = 120;

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Finds a text in the strings and numbers of a value, letters of any case, in their order. Keys are not searched. What
 * stands within one excerpt counts once.
 */
export function searchResult(place: Place, wanted: string, { start, count }: MatchWindow): Matches {
  const pattern = new RegExp(wanted.replace(SYNTAX, '\\$&'), 'giu');
  const matches: Match[] = [];
  let total = 0;
  for (const leaf of walkLeaves(place)) {
    const lineAt = createLineCounter(leaf.text);
    for (const excerpt of findExcerpts(leaf.text, pattern)) {
      if (total >= start && total < start + count) matches.push(describeMatch(leaf, excerpt, lineAt(excerpt.position)));
      total++;
    }
  }
  return { matches, total };
}

interface Leaf {
  readonly text: string;
  readonly pathText: () => string;
}

interface Frame {
  readonly container: Container;
  index: number;
}

interface Excerpt {
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

function* findExcerpts(text: string, pattern: RegExp): Generator<Excerpt> {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const excerpt = excerptAround(text, found.index, found.index + found[0].length);
    yield excerpt;
    pattern.lastIndex = Math.max(excerpt.end, found.index + found[0].length);
  }
}

/** Looks no further than the excerpt may reach: a text of one long line is not searched for line breaks at every match. */
function excerptAround(text: string, position: number, end: number): Excerpt {
  const from = Math.max(0, position - BEFORE);
  const to = Math.min(text.length, position + AFTER);
  const lineEnd = text.slice(end, to).indexOf('\n');
  return {
    position,
    start: startOfCharacter(text, from + text.slice(from, position).lastIndexOf('\n') + 1),
    end: startOfCharacter(text, lineEnd < 0 ? to : end + lineEnd),
  };
}

function describeMatch({ text, pathText }: Leaf, { start, end }: Excerpt, line: number | undefined): Match {
  const path = pathText();
  return {
    ...(path === '' ? {} : { path }),
    ...(line === undefined ? {} : { line }),
    ...(end - start < text.length ? { at: start } : {}),
    text: text.slice(start, end),
  };
}

/** Tells the line of a position, which may only grow from call to call; undefined for texts of one line. */
function createLineCounter(text: string): (position: number) => number | undefined {
  let line = 0;
  let lineEnd = -1;
  return (position) => {
    while (line === 0 || (lineEnd >= 0 && lineEnd < position)) {
      line++;
      lineEnd = text.indexOf('\n', lineEnd + 1);
    }
    return line === 1 && lineEnd < 0 ? undefined : line;
  };
}

/** Texts and numbers in their order. With a stack of its own, because an answer may be nested as deeply as it likes. */
function* walkLeaves({ path, value }: Place): Generator<Leaf> {
  // As a list of one, so that a leaf alone is walked like any other.
  const frames: Frame[] = [{ container: openContainer([value]), index: -1 }];
  const pathText = (): string => {
    const steps = frames.slice(1).map(({ container, index }) => container.stepAt(index));
    return writeResultPath([...path, ...steps]);
  };
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    frame.index++;
    if (frame.index >= frame.container.length) {
      frames.pop();
      continue;
    }
    const part = frame.container.valueAt(frame.index);
    if (isContainer(part)) frames.push({ container: openContainer(part), index: -1 });
    else if (typeof part === 'string') yield { text: String(unmarked(part)), pathText };
    else if (typeof part === 'number') yield { text: JSON.stringify(part), pathText };
  }
}
