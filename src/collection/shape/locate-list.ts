import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { FieldPath } from '../collection-query.js';
import { parseExact } from '../desk/exact-numbers.js';
import type { ResultShape } from '../result-desk.js';
import { findListPlace, listPlaces, type Member } from './find-list-place.js';

/** The list in an answer. */
export interface LocatedList {
  readonly items: readonly unknown[];
  /** Leads to the list in `data`, or to the text whose lines it is; empty where the answer is the list itself. */
  readonly path: FieldPath;
  /** The answer, with what was read of it in place of a text that is JSON. */
  readonly data: unknown;
  /** `list` is an array of the answer's, `json` one inside a text that is JSON; `lines` are a text's without the empty ones. */
  readonly evidence: 'list' | 'json' | 'lines';
  /** Whether the answer is there for the list, rather than being one thing that has a list among its facts. */
  readonly isWhole: boolean;
}

/** So many elements tell of what a list is made. */
const SAMPLE = 20;

const JSON_CONTAINER = /^\s*[[{]/;
const LINE_BREAK = /\r?\n/;

/**
 * The list in an answer: where its shape says, else the answer itself, else its only list, also one inside a wrapper such as
 * `result`, else the lines of a text. Undefined where there is none, or more than one (`candidateLists` names them).
 *
 * @param shape with that of a collection even a text of one line is a list
 */
export function locateList(data: unknown, shape?: ResultShape): LocatedList | undefined {
  if (Array.isArray(data)) return { items: data, path: [], data, evidence: 'list', isWhole: true };
  const path = shape?.kind === 'collection' ? shape.path : null;
  const told = path === null ? undefined : memberAt(data, path);
  // What would be a list is often null where there is nothing in it.
  if (path !== null && (told === null || Array.isArray(told))) {
    return { items: told ?? [], path, data, evidence: 'list', isWhole: true };
  }
  const place = isJsonObject(data) ? findListPlace(membersOf(data)) : undefined;
  if (place === undefined) return locateInText(data, shape);
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

function locateInText(data: unknown, shape: ResultShape | undefined): LocatedList | undefined {
  const text = onlyText(data);
  if (text === undefined) return undefined;
  const { value, path } = text;
  const parsed = parseContainer(value);
  if (parsed !== undefined) return locateInJson(parsed, path, shape);
  const lines = value.split(LINE_BREAK).filter((line) => line.trim() !== '');
  const isList = lines.length > 1 || shape?.kind === 'collection';
  return isList ? { items: lines, path, data, evidence: 'lines', isWhole: true } : undefined;
}

/** Many servers give their JSON as a text inside structured content. */
function locateInJson(parsed: object, prefix: FieldPath, shape: ResultShape | undefined): LocatedList | undefined {
  const path = shape?.kind === 'collection' ? shape.path : null;
  const isBehind = path !== null && prefix.every((name, index) => path[index] === name);
  const rest: ResultShape | undefined = isBehind
    ? { kind: 'collection', path: path.slice(prefix.length), evidence: '' }
    : undefined;
  const found = locateList(parsed, rest);
  if (found === undefined || found.evidence === 'lines') return undefined;
  return { ...found, path: [...prefix, ...found.path], data: putAt(prefix, found.data), evidence: 'json' };
}

/** The text was all there was. */
function putAt([name]: FieldPath, data: unknown): unknown {
  return name === undefined ? data : Object.fromEntries([[name, data]]);
}

function parseContainer(text: string): object | undefined {
  if (!JSON_CONTAINER.test(text)) return undefined;
  try {
    return parseExact(text) as object;
  } catch {
    // Text that merely begins like JSON is text.
    return undefined;
  }
}

function memberAt(data: unknown, path: FieldPath): unknown {
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
