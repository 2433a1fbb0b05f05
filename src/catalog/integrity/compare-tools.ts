import { diffArrays } from 'diff';
import { canonicalSchemaJson } from '../../base/json/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cutText, escapeInvisible } from '../../base/lib/text.js';
import {
  FIRST,
  FIRST_FIELDS,
  fingerprintAsFirst,
  readDefinition,
  UNREADABLE,
} from '../../base/protocol/fingerprint-tool.js';
import type { ToolSet } from '../../base/protocol/tools.js';
import { type ScreenedTool, screenTools } from './screen-tools.js';
import type { ToolRecord, ToolRecords } from './tool-record.js';

/** By the upstream's own name for the tool. */
export type KnownTools = Readonly<Record<string, KnownTool>>;

/** A tool that differs from what is known of it. */
export interface DefinitionChange {
  readonly kind: 'new' | 'changed' | 'vanished';
  /** As the upstream spells it. */
  readonly tool: string;
  /** What changed, or how a new tool describes itself; one line each, for people. */
  readonly details: readonly string[];
}

/** A tool as it was when it was accepted or first seen. */
interface KnownTool {
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** Takes the tools that an upstream offered first as known. Their fingerprints are made when they are compared. */
export function knowTools(toolSet: ToolSet, records: ToolRecords): KnownTools {
  const known = screenTools(toolSet, records).tools.map(({ name, raw, record }): readonly [string, KnownTool] => [
    name,
    {
      get fingerprint() {
        return record.fingerprint;
      },
      definition: raw,
    },
  ]);
  return Object.fromEntries(known);
}

/** The changes from nothing: every tool that can be called is new. */
export function listAsNew(toolSet: ToolSet, records: ToolRecords): readonly DefinitionChange[] {
  return screenTools(toolSet, records).tools.map(({ name }) => ({ kind: 'new', tool: name, details: [] }));
}

/** Every tool that is new, changed or gone, ordered by name. Tools that cannot be called are not compared. */
export function compareTools(toolSet: ToolSet, known: KnownTools, records: ToolRecords): readonly DefinitionChange[] {
  const { tools } = screenTools(toolSet, records);
  const offered = new Set(tools.map(({ name }) => name));
  const vanished = Object.keys(known)
    .filter((tool) => !offered.has(tool))
    .map((tool): DefinitionChange => ({ kind: 'vanished', tool, details: [] }));
  return [...vanished, ...tools.flatMap((tool) => compareTool(tool, known, records))].sort((a, b) =>
    a.tool < b.tool ? -1 : 1,
  );
}

function compareTool(
  { name, raw, record }: ScreenedTool,
  known: KnownTools,
  records: ToolRecords,
): readonly DefinitionChange[] {
  if (!Object.hasOwn(known, name)) {
    return [{ kind: 'new', tool: name, details: summarizeDefinition(readDefinition(raw)) }];
  }
  const before = known[name];
  if (before === undefined || isSame(before, record, records)) return [];
  return [{ kind: 'changed', tool: name, details: explainChange(before.definition, readDefinition(raw)) }];
}

/** Whether a tool is what was accepted under its name. */
export function isKnownTool(tool: ToolRecord, known: KnownTools, records: ToolRecords): boolean {
  const name = String(tool.raw['name']);
  const before = Object.hasOwn(known, name) ? known[name] : undefined;
  return before !== undefined && isSame(before, tool, records);
}

/**
 * People reviewed the definition, so the fingerprint beside it counts only while it matches that definition. A definition
 * that cannot be read has no fingerprint and equals nothing. One that an earlier version has accepted is compared as that version did.
 */
function isSame(before: KnownTool, tool: ToolRecord, records: ToolRecords): boolean {
  const isOfFirst = before.fingerprint.startsWith(FIRST);
  const compute = (one: ToolRecord): string => (isOfFirst ? fingerprintAsFirst(one.raw) : one.fingerprint);
  const fingerprint = compute(tool);
  if (fingerprint === UNREADABLE || before.fingerprint !== fingerprint) return false;
  return compute(records.of(before.definition)) === fingerprint;
}

function explainChange(before: JsonObject, after: JsonObject): readonly string[] {
  const details = diffDefinitions(before, after);
  return details.length > 0 ? details : ['the fingerprint in the lock does not match the definition beside it'];
}

/** Enough of a text or a schema to judge a change; the diff of the lock in version control shows all of it. */
const MAX_EXCERPT = 600;
const MAX_VALUE = 120;
const MAX_PLACES = 6;

/** Keywords of an input schema that are reported parameter by parameter. */
const REPORTED_BY_PARAMETER: ReadonlySet<string> = new Set(['properties', 'required']);

/** Describes each change of a definition in one line. Invisible characters are escaped. */
export function diffDefinitions(before: JsonObject, after: JsonObject): readonly string[] {
  return [
    ...diffText('title', before['title'], after['title']),
    ...diffText('description', before['description'], after['description']),
    ...diffParameters(asObject(before['inputSchema']), asObject(after['inputSchema'])),
    ...diffMembers(
      'input schema',
      asObject(before['inputSchema']),
      asObject(after['inputSchema']),
      REPORTED_BY_PARAMETER,
    ),
    ...diffMembers('annotation', asObject(before['annotations']), asObject(after['annotations'])),
    ...diffMembers('output schema', asObject(before['outputSchema']), asObject(after['outputSchema'])),
    ...diffMembers('member', before, after, new Set<string>(FIRST_FIELDS)),
  ];
}

/** Summarizes a new definition in a few lines: its description, parameters and annotations. */
export function summarizeDefinition(definition: JsonObject): readonly string[] {
  const schema = asObject(definition['inputSchema']);
  const required = requiredOf(schema);
  const parameters = Object.entries(asObject(schema['properties'])).map(
    ([name, parameter]) => `${name}${required.has(name) ? '*' : ''} (${nameType(parameter)})`,
  );
  const annotations = Object.entries(asObject(definition['annotations'])).map(
    ([name, value]) => `${name} ${showValue(value)}`,
  );
  return [
    `description: ${showText(definition['description'] ?? '')}`,
    ...(parameters.length > 0 ? [`parameters (* required): ${cutText(parameters.join(', '), MAX_EXCERPT)}`] : []),
    ...(annotations.length > 0 ? [`annotations: ${annotations.join(', ')}`] : []),
  ].map(escapeInvisible);
}

function diffText(label: string, before: unknown, after: unknown): readonly string[] {
  if (canonicalSchemaJson(before) === canonicalSchemaJson(after)) return [];
  if (typeof before !== 'string') return [`${label} added: ${showText(after)}`];
  if (typeof after !== 'string') return [`${label} removed: ${showText(before)}`];
  // Escaped first, as a change of invisible characters alone would look like none.
  const places = diffWords(escapeInvisible(before), escapeInvisible(after));
  if (places.length === 0) return [`${label}: white space changed`];
  const lines = places.slice(0, MAX_PLACES).map((place) => `${label}: ${cutText(place, MAX_EXCERPT)}`);
  return places.length > MAX_PLACES ? [...lines, `${label}: ${places.length - MAX_PLACES} more changes`] : lines;
}

function diffParameters(before: JsonObject, after: JsonObject): readonly string[] {
  const [old, now] = [asObject(before['properties']), asObject(after['properties'])];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  return unionOfKeys(old, now).flatMap((name) => {
    const label = `parameter '${escapeInvisible(name)}'`;
    if (!Object.hasOwn(old, name)) {
      const need = isRequired.has(name) ? 'required' : 'optional';
      return [
        `${label} added (${nameType(now[name])}, ${need}): ${showText(asObject(now[name])['description'] ?? '')}`,
      ];
    }
    if (!Object.hasOwn(now, name)) return [`${label} removed`];
    const need = isRequired.has(name) ? 'now required' : 'no longer required';
    return [
      ...(wasRequired.has(name) === isRequired.has(name) ? [] : [`${label}: ${need}`]),
      ...diffSchema(label, old[name], now[name]),
    ];
  });
}

function diffSchema(label: string, before: unknown, after: unknown): readonly string[] {
  const [old, now] = [asObject(before), asObject(after)];
  return [
    ...diffText(`${label}: description`, old['description'], now['description']),
    ...diffMembers(label, old, now, new Set(['description'])),
  ];
}

/** Members that differ, each with its value before and after. */
function diffMembers(
  label: string,
  before: JsonObject,
  after: JsonObject,
  skipped: ReadonlySet<string> = new Set(),
): readonly string[] {
  return unionOfKeys(before, after)
    .filter((key) => !skipped.has(key) && canonicalSchemaJson(before[key]) !== canonicalSchemaJson(after[key]))
    .map((key) => `${label}: ${escapeInvisible(key)} ${showMember(before, key)} -> ${showMember(after, key)}`);
}

function showMember(holder: JsonObject, key: string): string {
  return Object.hasOwn(holder, key) ? showValue(holder[key]) : 'absent';
}

function showValue(value: unknown): string {
  return escapeInvisible(cutText(canonicalSchemaJson(value), MAX_VALUE));
}

function showText(text: unknown): string {
  if (typeof text !== 'string') return showValue(text);
  return `"${escapeInvisible(cutText(text.replace(/\s+/g, ' ').trim(), MAX_EXCERPT))}"`;
}

function nameType(schema: unknown): string {
  const { type, enum: values } = asObject(schema);
  if (Array.isArray(values)) return cutText(values.map(showValue).join('|'), MAX_VALUE);
  return type === undefined ? 'any' : [type].flat().map(String).join('|');
}

function requiredOf({ required }: JsonObject): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

function unionOfKeys(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** With more words replaced than this, the whole text counts as one change: aligning costs the square of it, here some 10 ms. */
const MAX_EDITS = 250;

/** Equal words shown on both sides of a change. */
const CONTEXT_WORDS = 4;

/** Changes with at most so many equal words between them are reported as one. */
const MAX_GAP_WORDS = 2;

/** A stretch of words that was replaced; either side may be empty. Positions count words. */
interface Change {
  readonly from: number;
  readonly until: number;
  readonly newFrom: number;
  readonly newUntil: number;
}

/**
 * What changed between two texts, word by word: `... the issue [-title-] {+title and all its comments+} to ...`. One
 * excerpt for each place, in order; none where the words are the same.
 */
export function diffWords(before: string, after: string): readonly string[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  return joinAdjacent(findChanges(old, now)).map((change) => renderChange(change, old, now));
}

function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** The stretches that differ, in order. */
function findChanges(old: readonly string[], now: readonly string[]): readonly Change[] {
  const parts = diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [{ from: 0, until: old.length, newFrom: 0, newUntil: now.length }];
  const changes: Change[] = [];
  let [at, newAt] = [0, 0];
  for (const { count, added, removed } of parts) {
    const [until, newUntil] = [at + (added ? 0 : count), newAt + (removed ? 0 : count)];
    if (added || removed) changes.push({ from: at, until, newFrom: newAt, newUntil });
    [at, newAt] = [until, newUntil];
  }
  return changes;
}

function joinAdjacent(changes: readonly Change[]): readonly Change[] {
  const joined: Change[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const isAdjacent = last !== undefined && change.from - last.until <= MAX_GAP_WORDS;
    if (isAdjacent) joined.pop();
    joined.push(isAdjacent ? { ...change, from: last.from, newFrom: last.newFrom } : change);
  }
  return joined;
}

function renderChange(
  { from, until, newFrom, newUntil }: Change,
  old: readonly string[],
  now: readonly string[],
): string {
  const start = Math.max(0, from - CONTEXT_WORDS);
  const end = Math.min(old.length, until + CONTEXT_WORDS);
  const removed = old.slice(from, until).join(' ');
  const added = now.slice(newFrom, newUntil).join(' ');
  return [
    start > 0 ? '...' : '',
    ...old.slice(start, from),
    removed === '' ? '' : `[-${removed}-]`,
    added === '' ? '' : `{+${added}+}`,
    ...old.slice(until, end),
    end < old.length ? '...' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
