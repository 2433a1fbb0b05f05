import { parseExact } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isNestedDeeper } from '../../base/json/scan.js';
import { toSnakeCase } from '../../base/lib/names.js';
import { quoteValues } from '../../base/lib/text.js';
import { MAX_ANSWER_DEPTH } from '../../base/protocol/limits.js';
import type { FieldPath, FoundPlace, ResultShape } from '../query/result-types.js';

/** The list in an answer. */
export interface LocatedList extends FoundPlace {
  readonly items: readonly unknown[];
  /** The answer, with what was read of it in place of a text that is JSON. */
  readonly data: unknown;
}

/** A member of an object, real or described, as far as the search for its list needs it. */
export interface Member {
  readonly name: string;
  /** `rows` is a list of objects, `values` one of anything else; `unknown` may be a list or not. */
  readonly holds: 'rows' | 'values' | 'empty' | 'object' | 'text' | 'other' | 'unknown';
  readonly inside: () => readonly Member[];
}

/** Elements that are examined; the others are taken to be alike. */
const SAMPLE = 20;

const JSON_CONTAINER = /^\s*[[{]/;

/**
 * The list in an answer: where its shape says, else the answer itself, else its only list, also one inside a wrapper such as
 * `result`. Undefined where there is none, or more than one (`candidateLists` names them).
 *
 * @param shape with that of a collection a text is the list of its lines; any other text is one value, such as a file
 */
export function locateList(data: unknown, shape?: ResultShape): LocatedList | undefined {
  if (Array.isArray(data)) return { items: data, path: [], data, evidence: 'list', isWhole: true };
  const path = shape?.kind === 'collection' ? shape.path : null;
  const declared = path === null ? undefined : memberAt(data, path);
  // What would be a list is often null where there is nothing in it.
  if (path !== null && (declared === null || Array.isArray(declared))) {
    return { items: declared ?? [], path, data, evidence: 'list', isWhole: true };
  }
  const place = isJsonObject(data) ? findListPlace(membersOf(data)) : undefined;
  if (place === undefined) return locateInText(data, shape) ?? locateInMember(data, path ?? []);
  const items = memberAt(data, place.path);
  return { items: Array.isArray(items) ? items : [], path: place.path, data, evidence: 'list', isWhole: place.isWhole };
}

/** The lists of an answer among which `locateList` would have to choose. */
export function candidateLists(data: unknown): readonly FieldPath[] {
  const text = onlyText(data);
  const read = text === undefined ? data : parseContainer(text.value);
  const prefix = text?.path ?? [];
  return isJsonObject(read) ? listPlaces(membersOf(read)).map((path) => [...prefix, ...path]) : [];
}

/** The text that an answer consists of, alone or as the only member of an object. */
export function onlyText(data: unknown): { readonly value: string; readonly path: FieldPath } | undefined {
  if (typeof data === 'string') return { value: data, path: [] };
  if (!isJsonObject(data)) return undefined;
  const [entry, ...others] = Object.entries(data);
  if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') return undefined;
  return { value: entry[1], path: [entry[0]] };
}

/** The lines of a text, without the empty ones: in one pass, as a list of all of them takes several times the text. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, found > start && text[found - 1] === '\r' ? found - 1 : end);
    if (line.trim() !== '') lines.push(line);
    start = end + 1;
  }
  return lines;
}

function locateInText(data: unknown, shape: ResultShape | undefined): LocatedList | undefined {
  const text = onlyText(data);
  if (text === undefined) return undefined;
  const { value, path } = text;
  const parsed = parseContainer(value);
  if (parsed !== undefined) return locateInJson(parsed, path, shape);
  if (shape?.kind !== 'collection') return undefined;
  const lines = linesOf(value);
  const [only = ''] = lines;
  // An item, or the words for an empty list, which a count of items would hide.
  const alone = lines.length === 1 ? { readAs: `a list of one line: ${quoteValues([only])}` } : {};
  return { items: lines, path, data, evidence: 'lines', isWhole: true, ...alone };
}

/** Many servers give their JSON as a text inside structured content. */
function locateInJson(parsed: object, prefix: FieldPath, shape: ResultShape | undefined): LocatedList | undefined {
  const path = shape?.kind === 'collection' ? shape.path : null;
  const isInside = path !== null && prefix.every((name, index) => path[index] === name);
  const innerShape: ResultShape | undefined = isInside
    ? { kind: 'collection', path: path.slice(prefix.length), evidence: '' }
    : undefined;
  const found = locateList(parsed, innerShape);
  if (found === undefined || found.evidence === 'lines') return undefined;
  return { ...found, path: [...prefix, ...found.path], data: putAt(prefix, found.data), evidence: 'json' };
}

/** Members that are read as JSON: a text among more is one of many. */
const MOST_MEMBERS = 50;

/** The list in the only member whose text is JSON, or in that which a path begins with: `{"path": ..., "content": "[...]"}`. */
function locateInMember(data: unknown, [wanted]: FieldPath): LocatedList | undefined {
  const members = isJsonObject(data) ? Object.entries(data) : [];
  if (!isJsonObject(data) || members.length < 2 || members.length > MOST_MEMBERS) return undefined;
  const found = members.flatMap(([name, value]) => {
    const parsed = typeof value === 'string' && (wanted ?? name) === name ? parseContainer(value) : undefined;
    const list = parsed === undefined ? undefined : locateList(parsed);
    return list?.evidence === 'list' ? [{ name, list }] : [];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return undefined;
  const { name, list } = only;
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  const opened = Object.fromEntries(members.map(([key, value]) => [key, key === name ? list.data : value]));
  return { ...list, path: [name, ...list.path], data: opened, evidence: 'json' };
}

/** An answer that is one text of JSON, with the value in place of the text; any other answer as it is. */
export function openText(data: unknown): unknown {
  const text = onlyText(data);
  const parsed = text === undefined ? undefined : parseContainer(text.value);
  return text === undefined || parsed === undefined ? data : putAt(text.path, parsed);
}

/** Puts parsed JSON where its text was; the answer held nothing else. */
function putAt([name]: FieldPath, data: unknown): unknown {
  return name === undefined ? data : Object.fromEntries([[name, data]]);
}

/** The object or array that a text is; undefined for any other text. */
export function parseContainer(text: string): object | undefined {
  if (!JSON_CONTAINER.test(text) || isNestedDeeper(text, MAX_ANSWER_DEPTH)) return undefined;
  try {
    return parseExact(text) as object;
  } catch {
    // Text that merely begins like JSON is text.
    return undefined;
  }
}

/** The member that a path of own keys leads to. */
export function memberAt(data: unknown, path: FieldPath): unknown {
  let current = data;
  for (const name of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

function membersOf(data: JsonObject): readonly Member[] {
  return Object.entries(data).map(([name, value]) => ({
    name,
    holds: kindOf(value),
    inside: () => (isJsonObject(value) ? membersOf(value) : []),
  }));
}

function kindOf(value: unknown): Member['holds'] {
  if (Array.isArray(value)) return kindOfList(value);
  if (isJsonObject(value)) return 'object';
  return typeof value === 'string' ? 'text' : 'other';
}

function kindOfList(list: readonly unknown[]): Member['holds'] {
  if (list.length === 0) return 'empty';
  return list.slice(0, SAMPLE).some(isJsonObject) ? 'rows' : 'values';
}

interface ListPlace {
  readonly path: FieldPath;
  readonly holds: Member['holds'];
  /** Whether the list is the point of the object, rather than one of its members. */
  readonly isWhole: boolean;
}

/** Names of members in which servers wrap their answers. */
const WRAPPERS = new Set('result results response data payload body output value content items'.split(' '));

/** Members that identify an object: an object with one of them is not an envelope. */
const IDENTITIES = new Set('_id id uuid guid key slug sha number name title'.split(' '));

/** Words in the names of members that describe the list beside them. */
const ABOUT_LISTS = new Set(
  (
    'count counts total totals size length shown returned page pages cursor offset limit next previous prev has more ' +
    'truncated incomplete success ok error status message note query took'
  ).split(' '),
);

/**
 * The one list of an object, or of what it is wrapped in. A list of objects comes before lists of texts and numbers; where
 * several are left, none is chosen.
 */
export function findListPlace(members: readonly Member[]): ListPlace | undefined {
  if (members.filter(holdsRows).length > 1) return undefined;
  const found = levelsOf(members).flatMap(({ path, members: level }) => {
    const list = chooseList(level);
    return list === undefined
      ? []
      : [{ path: [...path, list.name], holds: list.holds, isWhole: isEnvelope(level, list) }];
  });
  return found.find(holdsRows) ?? found[0];
}

/** Where the lists are from which `findListPlace` chooses. */
function listPlaces(members: readonly Member[]): readonly FieldPath[] {
  return levelsOf(members).flatMap(({ path, members: level }) =>
    level.filter(isList).map(({ name }) => [...path, name]),
  );
}

interface Level {
  readonly path: FieldPath;
  readonly members: readonly Member[];
}

/** The object itself, and the inside of its wrapper where it has one. */
function levelsOf(members: readonly Member[]): readonly Level[] {
  const objects = members.filter(({ holds }) => holds === 'object');
  const named = objects.filter(({ name }) => WRAPPERS.has(name.toLowerCase()));
  const [wrapper] = members.length === 1 ? objects : named.length === 1 ? named : [];
  const outside: Level = { path: [], members };
  return wrapper === undefined ? [outside] : [outside, { path: [wrapper.name], members: wrapper.inside() }];
}

function chooseList(members: readonly Member[]): Member | undefined {
  const rows = members.filter(holdsRows);
  const lists = rows.length > 0 ? rows : members.filter(isList);
  return lists.length === 1 ? lists[0] : undefined;
}

function holdsRows({ holds }: Pick<Member, 'holds'>): boolean {
  return holds === 'rows';
}

function isList({ holds }: Member): boolean {
  return holds === 'rows' || holds === 'values' || holds === 'empty';
}

/** `{total, items}` is an envelope of its items; an issue is not an envelope of its labels. */
function isEnvelope(members: readonly Member[], list: Member): boolean {
  const others = members.filter((member) => member !== list);
  return list.holds === 'values'
    ? others.every(({ name, holds }) => holds === 'empty' || describesList(name))
    : !others.some(({ name }) => IDENTITIES.has(name.toLowerCase()));
}

function describesList(name: string): boolean {
  return toSnakeCase(name)
    .split('_')
    .some((word) => ABOUT_LISTS.has(word));
}
