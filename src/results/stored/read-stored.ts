import { digitsOf, unmarked } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { JsonPath } from '../../base/json/json-path.js';
import { nearestName } from '../../base/lib/names.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { StoredResultRequest } from '../query/result-types.js';
import type { StoredResult } from './result-store.js';
import {
  type Container,
  type Cut,
  fitAnswer,
  isContainer,
  openContainer,
  startOfCharacter,
  takeText,
} from './truncate.js';
import { parseResultPath, writeResultPath } from './truncation-warning.js';

/** Cuts items down to some of their fields; as many as it was given, in their order. */
export type Project = (items: readonly unknown[], fields: string | readonly string[]) => readonly unknown[];

interface ReadStoredOptions {
  /** Bound of the answer's JSON text in UTF-8, at least 1,024. */
  readonly maxBytes: number;
  readonly project: Project;
  /** Reads JSON; JSON.parse where absent, which rounds long numbers. */
  readonly parse?: (text: string) => unknown;
}

const LARGEST_PAGE = 500;
const MATCHES_ON_A_PAGE = 20;
/** Matches that are counted and can be read; a search with more is to be made narrower. */
const MOST_MATCHES = 10_000;

/**
 * Reads a part of a stored result, from its root or from `path`; always as much as fits:
 * - a list: `{items, total, next}`, from item `after` (0 is the first), at most `first`; with `fields` of each item
 * - an object: `{value, next}`, or `{value, total, next}` where it does not fit and from member `after` on; with `fields`
 * - a text: `{text, total, total_lines, next}`, from character `after`; with `lines` `{text, lines, total_lines, next}`
 * - anything else: `{value, next}`
 * - `search`: `{matches: [{path?, line?, at?, text}], total, next}`, from match `after`, at most `first` (20); counting ends
 *   at 10,000 matches, and `more: true` says so
 *
 * `next` is what to change in the request for the rest, `{after}` or `{lines}`, or null. `cuts` says what was shortened
 * within the answer (`{path, kind, kept, total}`): read on with that path, and with `kept` as `after`. `first` does not
 * count characters or members: of those there are always as many as fit.
 *
 * Throws INTROSPECTION_ERROR for a path that leads nowhere and for what does not combine or fit the value; and what
 * `project` throws.
 */
export function readStoredResult(
  stored: StoredResult,
  request: StoredResultRequest,
  options: ReadStoredOptions,
): JsonObject {
  const faults = findFaults(request);
  if (faults.length > 0) throw new OperationError('INTROSPECTION_ERROR', faults.join('. '));
  const { maxBytes, project, parse = JSON.parse } = options;
  const place = findInResult(parse(stored.dataText), request.path);
  return writeReading(readPlace(place, request, { space: bytesForContent(maxBytes), project }), maxBytes);
}

interface Bounds {
  readonly space: number;
  readonly project: Project;
}

function readPlace(place: Place, request: StoredResultRequest, { space, project }: Bounds): Reading {
  const { value } = place;
  const start = Number(request.after ?? 0);
  if (request.search !== undefined) return readMatches(place, request.search, { ...request, start, space });
  if (request.lines !== undefined) return readLines(requireText(place), request.lines, space);
  const { fields, first = LARGEST_PAGE } = request;
  if (Array.isArray(value)) {
    const page = value.slice(start, start + Math.min(first, LARGEST_PAGE));
    return readPage(
      place,
      { items: fields === undefined ? page : project(page, fields), start, total: value.length },
      space,
    );
  }
  if (isJsonObject(value))
    return readMembers(place, fields === undefined ? value : project([value], fields)[0], start, space);
  if (fields !== undefined) throw refuse(place, "'fields' reads objects and lists of objects");
  const isText = typeof value === 'string' && digitsOf(value) === undefined;
  return isText ? readCharacters(value, start, space) : { content: { value }, next: null };
}

interface ListPage {
  readonly items: readonly unknown[];
  /** The index of the first of them in the list. */
  readonly start: number;
  readonly total: number;
}

function readPage(place: Place, { items, start, total }: ListPage, space: number): Reading {
  const { value, cuts } = fitAnswer(items, space);
  const end = start + countKept(cuts, items.length);
  return {
    content: { items: value, total },
    next: end < total ? { after: String(end) } : null,
    cuts: rebase(cuts, ([index, ...rest]) => [...place.path, start + Number(index), ...rest]),
  };
}

function readMembers(place: Place, value: unknown, start: number, space: number): Reading {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const total = members.length;
  const fitted = fitAnswer(start === 0 ? value : Object.fromEntries(members.slice(start)), space);
  const end = start + countKept(fitted.cuts, total - start);
  return {
    content: { value: fitted.value, ...(start > 0 || end < total ? { total } : {}) },
    next: end < total ? { after: String(end) } : null,
    cuts: rebase(fitted.cuts, (path) => [...place.path, ...path]),
  };
}

interface MatchPage {
  readonly start: number;
  readonly first?: number;
  readonly space: number;
}

function readMatches(place: Place, wanted: string, { start, first = MATCHES_ON_A_PAGE, space }: MatchPage): Reading {
  const { matches, total } = searchResult(place, wanted, { start, count: Math.min(first, LARGEST_PAGE) });
  const { value, cuts } = fitAnswer(matches, space);
  const end = start + countKept(cuts, matches.length);
  const more = total === MOST_MATCHES ? { more: true } : {};
  return { content: { matches: value, total, ...more }, next: end < total ? { after: String(end) } : null };
}

/** How many parts the fitted value still has; at least one counts as read, so that the next request gets further. */
function countKept(cuts: readonly Cut[], total: number): number {
  const own = cuts.find(({ path }) => path.length === 0);
  return own === undefined ? Math.max(0, total) : Math.max(1, own.kept);
}

/** The cuts within, as seen from the root of the result. */
function rebase(cuts: readonly Cut[], move: (path: Cut['path']) => Cut['path']): Cut[] {
  return cuts.filter(({ path }) => path.length > 0).map((cut) => ({ ...cut, path: move(cut.path) }));
}

function requireText(place: Place): string {
  if (typeof place.value === 'string') return place.value;
  throw refuse(place, "'lines' reads texts");
}

function refuse({ path, value }: Place, rule: string): OperationError {
  return new OperationError('INTROSPECTION_ERROR', `${rule}: ${namePlace(path)} is ${describeKind(value)}`);
}

/** Ways to read; a request takes one of them. */
const WAYS = ['fields', 'search', 'lines'] as const;

function findFaults(request: StoredResultRequest): string[] {
  const { after, first, lines, search } = request;
  const ways = WAYS.filter((way) => request[way] !== undefined).map((way) => `'${way}'`);
  const faults: (string | false)[] = [
    ways.length > 1 && `${ways.join(' and ')} do not combine: send one of them`,
    lines !== undefined &&
      after !== undefined &&
      "'after' does not combine with 'lines', which says itself where to start",
    search === '' && "'search' expected a text to look for, got an empty one",
    first !== undefined &&
      !(Number.isInteger(first) && first > 0) &&
      `'first' expected a whole number from 1, got '${first}'`,
    after !== undefined &&
      !/^\d{1,10}$/.test(after) &&
      `'after' expected the number in 'next' of the last answer, got '${abbreviate(after)}'`,
  ];
  return faults.filter((fault) => fault !== false);
}

/** A value in a stored result, with its path. */
interface Place {
  readonly path: JsonPath;
  readonly value: unknown;
}

const KEYS_NAMED = 20;
const PATH_EXAMPLE = "Write it like 'items[3].body', or 'files[\"a.b\"]' for a key with a dot or a bracket";

/** The value that a path leads to. Throws INTROSPECTION_ERROR that says where the path ends and what is there instead. */
export function findInResult(root: unknown, pathText: string | undefined): Place {
  const path = parseResultPath(pathText ?? '');
  if (path === undefined) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `'path' cannot be read: '${abbreviate(pathText ?? '')}'. ${PATH_EXAMPLE}`,
    );
  }
  let place: Place = { path: [], value: root };
  for (const step of path) place = takeStep(place, step);
  return place;
}

function takeStep({ path, value }: Place, step: string | number): Place {
  if (Array.isArray(value) && isIndex(step)) {
    const index = Number(step);
    if (index < value.length) return { path: [...path, index], value: value[index] };
  }
  const key = String(step);
  if (isJsonObject(value) && Object.hasOwn(value, key)) return { path: [...path, key], value: value[key] };
  throw new OperationError('INTROSPECTION_ERROR', explainMissingStep({ path, value }, key));
}

/** `items.3` means the same as `items[3]`. */
function isIndex(step: string | number): boolean {
  return typeof step === 'number' || /^\d{1,10}$/.test(step);
}

function explainMissingStep(place: Place, step: string): string {
  const { value } = place;
  const where = namePlace(place.path);
  const wanted = abbreviate(step);
  if (Array.isArray(value)) {
    if (value.length === 0) return `${where} is an empty list: there is no '${wanted}'`;
    const range = `its items are '[0]' to '[${value.length - 1}]'`;
    return isIndex(step)
      ? `${where} has no item '[${wanted}]': ${range}`
      : `${where} is ${describeKind(value)}, so '${wanted}' needs an index before it: ${range}. To see '${wanted}' of every item, use 'fields'`;
  }
  if (isJsonObject(value)) return `${where} has no '${wanted}'${listKeys(Object.keys(value), step)}`;
  return `${where} is ${describeKind(value)}: there is no '${wanted}' in it`;
}

function listKeys(keys: readonly string[], wanted: string): string {
  if (keys.length === 0) return ': it is empty';
  const nearest = nearestName(wanted, keys.slice(0, 1_000));
  const suggestion = nearest === undefined ? '' : ` (did you mean '${abbreviate(nearest)}'?)`;
  const named = keys.slice(0, KEYS_NAMED).map((key) => `'${abbreviate(key)}'`);
  const more = keys.length > KEYS_NAMED ? ` and ${keys.length - KEYS_NAMED} more` : '';
  return `${suggestion}. It has ${named.join(', ')}${more}`;
}

/** What a message calls a place. */
function namePlace(path: JsonPath): string {
  return path.length === 0 ? 'The result' : `'${abbreviate(writeResultPath(path))}'`;
}

/** Characters of a name or a value that a message repeats. */
const LONGEST_ABBREVIATION = 60;

/** The start of a text that may be of any length. */
function abbreviate(text: string): string {
  return text.length <= LONGEST_ABBREVIATION ? text : `${text.slice(0, startOfCharacter(text, LONGEST_ABBREVIATION))}…`;
}

/** What a JSON value is, in words: `a list of 20 items`. */
function describeKind(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${count(value.length, 'item')}`;
  if (isJsonObject(value)) return `an object of ${count(Object.keys(value).length, 'member')}`;
  if (typeof value === 'string') return `a text of ${count(value.length, 'character')}`;
  return value === null ? 'null' : `a ${typeof value}`;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

/** What was read of a stored result. */
interface Reading {
  readonly content: JsonObject;
  /** What to change in the request for the rest; null where there is none. */
  readonly next: JsonObject | null;
  /** What was left out within the content, each with its path from the root of the result. */
  readonly cuts?: readonly Cut[];
}

/** Bytes that an answer takes beside content and cuts: its keys, totals and `next`. */
const FRAME_BYTES = 200;

/** The share of the answer that the list of cuts may take. */
const CUTS_SHARE = 1 / 8;

/** Bytes for the content of an answer of at most `maxBytes`, which are at least 1,024. */
function bytesForContent(maxBytes: number): number {
  return maxBytes - bytesForCuts(maxBytes) - FRAME_BYTES;
}

/** The answer: content, `next`, and as many cuts as fit. */
function writeReading({ content, next, cuts = [] }: Reading, maxBytes: number): JsonObject {
  if (cuts.length === 0) return { ...content, next };
  const listed: JsonObject[] = [];
  let space = bytesForCuts(maxBytes);
  for (const { path, kind, kept, total } of cuts) {
    const cut = { path: writeResultPath(path), kind, kept, total };
    const bytes = Buffer.byteLength(JSON.stringify(cut)) + 1;
    if (bytes > space) break;
    space -= bytes;
    listed.push(cut);
  }
  const omitted = cuts.length - listed.length;
  return { ...content, next, cuts: listed, ...(omitted > 0 ? { more_cuts: omitted } : {}) };
}

function bytesForCuts(maxBytes: number): number {
  return Math.floor(maxBytes * CUTS_SHARE);
}

/** As much of a text as fits, from a character on (UTF-16 units from 0). */
function readCharacters(text: string, start: number, space: number): Reading {
  const from = startOfCharacter(text, Math.min(start, text.length));
  const piece = takeText(text.slice(from), space);
  return {
    content: { text: piece, total: text.length, total_lines: countLines(text) },
    next: nextCharacter(from + piece.length, text.length),
  };
}

/**
 * Some lines of a text, counted from 1: `10` or `10-20`; as many as fit. Throws INTROSPECTION_ERROR for
 * anything else, and for lines that the text does not have.
 */
function readLines(text: string, asked: string, space: number): Reading {
  const total = countLines(text);
  const { first, last } = parseLines(asked, total);
  const start = startOfLine(text, first);
  const end = startOfLine(text, last + 1);
  const wanted = text.slice(start, text[end - 1] === '\n' ? end - 1 : end);
  const piece = takeText(wanted, space);
  const complete = piece.length === wanted.length;
  const wholeLines = !complete && piece.endsWith('\n');
  const given = wholeLines ? piece.slice(0, -1) : piece;
  const reached = complete ? last : first + countBreaks(given);
  const content: JsonObject = { text: given, lines: `${first}-${reached}`, total_lines: total };
  if (wholeLines) return { content, next: { lines: `${reached + 1}-${last}` } };
  return { content, next: complete ? null : nextCharacter(start + piece.length, text.length) };
}

function nextCharacter(reached: number, total: number): JsonObject | null {
  return reached < total ? { after: String(reached) } : null;
}

function parseLines(asked: string, total: number): { readonly first: number; readonly last: number } {
  const [, from = '0', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(asked.replaceAll(' ', '')) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (first < 1 || last < first) {
    throw new OperationError(
      'INTROSPECTION_ERROR',
      `'lines' expected '10' or '10-20', counted from 1, got '${asked.slice(0, 40)}'. The text has ${total} line(s)`,
    );
  }
  if (first > total) {
    throw new OperationError('INTROSPECTION_ERROR', `There is no line '${first}': the text has ${total} line(s)`);
  }
  return { first, last: Math.min(last, total) };
}

/** A line break at the very end starts no further line. */
function countLines(text: string): number {
  return countBreaks(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
}

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** The text's end where it has no such line. */
function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const lineBreak = text.indexOf('\n', start);
    if (lineBreak < 0) return text.length;
    start = lineBreak + 1;
  }
  return start;
}

/** A place where the searched text occurs. */
interface Match {
  /** The path of the text or number that holds it, from the root of the result; absent where the result is that text. */
  readonly path?: string;
  /** From 1, where the text has several lines. */
  readonly line?: number;
  /** Where the excerpt starts, if it is not the whole text: `after` reads on from there. */
  readonly at?: number;
  /** The line around the match, at most some 200 characters of it. */
  readonly text: string;
}

interface Matches {
  readonly matches: readonly Match[];
  readonly total: number;
}

/** Which of the matches are wanted. */
interface MatchWindow {
  readonly start: number;
  readonly count: number;
}

/** Characters shown on each side of a match. */
const SHOWN_BEFORE = 80;
const SHOWN_AFTER = 120;

const PATTERN_SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Finds a text in the strings and numbers of a value, in order, ignoring case. Keys are not searched. Matches within one
 * excerpt count once.
 */
function searchResult(place: Place, wanted: string, { start, count }: MatchWindow): Matches {
  const pattern = new RegExp(wanted.replace(PATTERN_SYNTAX, '\\$&'), 'giu');
  const matches: Match[] = [];
  let total = 0;
  // Without a bound, one search would count the matches of megabytes of text.
  for (const leaf of walkLeaves(place)) {
    const lineAt = createLineCounter(leaf.text);
    for (const excerpt of findExcerpts(leaf.text, pattern)) {
      if (total >= start && total < start + count) matches.push(describeMatch(leaf, excerpt, lineAt(excerpt.position)));
      total++;
      if (total === MOST_MATCHES) return { matches, total };
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
  const from = Math.max(0, position - SHOWN_BEFORE);
  const to = Math.min(text.length, position + SHOWN_AFTER);
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

/** Gives the line of a position, which may only grow from call to call; undefined for texts of one line. */
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

/** Texts and numbers in their order. Uses a stack of its own, because the nesting of an answer is not bounded. */
function* walkLeaves({ path, value }: Place): Generator<Leaf> {
  // Wrapped in a list, so that a value that is a leaf itself needs no special case.
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
