import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import { digitsOf } from '../desk/exact-numbers.js';
import type { KeptResult } from '../kept-results.js';
import type { KeptResultRequest } from '../result-desk.js';
import { abbreviate } from './abbreviate.js';
import { describeKind } from './describe-kind.js';
import { findInResult, namePlace, type Place } from './find-in-result.js';
import { type Cut, fitAnswer } from './fit-answer.js';
import { readCharacters, readLines } from './read-text.js';
import { type Reading, roomForContent, writeReading } from './reading.js';
import { searchResult } from './search-result.js';

/** Cuts items down to some of their fields; as many as it was given, in their order. */
export type Project = (items: readonly unknown[], fields: string | readonly string[]) => readonly unknown[];

export interface ReadKeptOptions {
  /** Bound of the answer's JSON text in UTF-8, at least 1,024. */
  readonly maxBytes: number;
  readonly project: Project;
  /** Reads JSON; JSON.parse where absent, which rounds long numbers. */
  readonly parse?: (text: string) => unknown;
}

const LARGEST_PAGE = 500;
const MATCHES_ON_A_PAGE = 20;

/**
 * Reads in a kept result, from its root or from `path`; always as much as fits:
 * - a list: `{items, total, next}`, from item `after` (0 is the first), at most `first`; with `fields` of each item
 * - an object: `{value, next}`, or `{value, total, next}` where it does not fit and from member `after` on; with `fields`
 * - a text: `{text, total, total_lines, next}`, from character `after`; with `lines` `{text, lines, total_lines, next}`
 * - anything else: `{value, next}`
 * - `search`: `{matches: [{path?, line?, at?, text}], total, next}`, from match `after`, at most `first` (20)
 *
 * `next` is what to change in the request for the rest, `{after}` or `{lines}`, or null. `cuts` says what was shortened
 * within the answer (`{path, kind, kept, total}`): read on with that path, and with `kept` as `after`. `first` does not
 * count characters or members: of those there are always as many as fit.
 *
 * Throws INTROSPECTION_ERROR for a path that leads nowhere and for what does not combine or fit the value; and what
 * `project` throws.
 */
export function readKeptResult(kept: KeptResult, request: KeptResultRequest, options: ReadKeptOptions): JsonObject {
  const faults = findFaults(request);
  if (faults.length > 0) throw new OperationError('INTROSPECTION_ERROR', faults.join('. '));
  const { maxBytes, project, parse = JSON.parse } = options;
  const place = findInResult(parse(kept.dataText), request.path);
  return writeReading(readPlace(place, request, { room: roomForContent(maxBytes), project }), maxBytes);
}

interface Bounds {
  readonly room: number;
  readonly project: Project;
}

function readPlace(place: Place, request: KeptResultRequest, { room, project }: Bounds): Reading {
  const { value } = place;
  const start = Number(request.after ?? 0);
  if (request.search !== undefined) return readMatches(place, request.search, { ...request, start, room });
  if (request.lines !== undefined) return readLines(requireText(place), request.lines, room);
  const { fields, first = LARGEST_PAGE } = request;
  if (Array.isArray(value)) {
    const page = value.slice(start, start + Math.min(first, LARGEST_PAGE));
    return readPage(
      place,
      { items: fields === undefined ? page : project(page, fields), start, total: value.length },
      room,
    );
  }
  if (isJsonObject(value))
    return readMembers(place, fields === undefined ? value : project([value], fields)[0], start, room);
  if (fields !== undefined) throw refuse(place, "'fields' reads objects and lists of objects");
  const isText = typeof value === 'string' && digitsOf(value) === undefined;
  return isText ? readCharacters(value, start, room) : { content: { value }, next: null };
}

interface ListPage {
  readonly items: readonly unknown[];
  /** Where the first of them stands in the list. */
  readonly start: number;
  readonly total: number;
}

function readPage(place: Place, { items, start, total }: ListPage, room: number): Reading {
  const { value, cuts } = fitAnswer(items, room);
  const end = start + countKept(cuts, items.length);
  return {
    content: { items: value, total },
    next: end < total ? { after: String(end) } : null,
    cuts: rebase(cuts, ([index, ...rest]) => [...place.path, start + Number(index), ...rest]),
  };
}

function readMembers(place: Place, value: unknown, start: number, room: number): Reading {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const total = members.length;
  const fitted = fitAnswer(start === 0 ? value : Object.fromEntries(members.slice(start)), room);
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
  readonly room: number;
}

function readMatches(place: Place, wanted: string, { start, first = MATCHES_ON_A_PAGE, room }: MatchPage): Reading {
  const { matches, total } = searchResult(place, wanted, { start, count: Math.min(first, LARGEST_PAGE) });
  const { value, cuts } = fitAnswer(matches, room);
  const end = start + countKept(cuts, matches.length);
  return { content: { matches: value, total }, next: end < total ? { after: String(end) } : null };
}

/** How many parts stay of what was fitted; at least one counts as read, so that the way on leads on. */
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

/** Ways to read of which a request takes one. */
const WAYS = ['fields', 'search', 'lines'] as const;

function findFaults(request: KeptResultRequest): string[] {
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
      `'after' expected the number that 'next' of the last answer gave, got '${abbreviate(after)}'`,
  ];
  return faults.filter((fault) => fault !== false);
}
