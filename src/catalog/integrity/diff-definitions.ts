import { escapeInvisible } from '../../protocol/invisible-text.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { cutText } from '../clean-text.js';
import { canonicalJson } from './canonical-json.js';
import { diffWords } from './diff-words.js';

/** Enough of a text or a schema to judge a change; the lock's own diff in version control shows all of it. */
const MAX_EXCERPT = 600;
const MAX_VALUE = 120;
const MAX_PLACES = 6;

/** Keywords of an input schema that are told parameter by parameter. */
const TOLD_BY_PARAMETER: ReadonlySet<string> = new Set(['properties', 'required']);

/** What an operator must know of a changed definition, a line for each change. Invisible characters are written out. */
export function diffDefinitions(before: JsonObject, after: JsonObject): readonly string[] {
  return [
    ...diffText('title', before['title'], after['title']),
    ...diffText('description', before['description'], after['description']),
    ...diffParameters(asObject(before['inputSchema']), asObject(after['inputSchema'])),
    ...diffMembers('input schema', asObject(before['inputSchema']), asObject(after['inputSchema']), TOLD_BY_PARAMETER),
    ...diffMembers('annotation', asObject(before['annotations']), asObject(after['annotations'])),
    ...diffMembers('output schema', asObject(before['outputSchema']), asObject(after['outputSchema'])),
  ];
}

/** A new definition in a few lines: what it says it does and what it takes. */
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
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (typeof before !== 'string') return [`${label} added: ${showText(after)}`];
  if (typeof after !== 'string') return [`${label} removed: ${showText(before)}`];
  // Written out first: a change of invisible characters alone would look like none.
  const places = diffWords(escapeInvisible(before), escapeInvisible(after));
  if (places.length === 0) return [`${label}: white space changed`];
  const shown = places.slice(0, MAX_PLACES).map((place) => `${label}: ${cutText(place, MAX_EXCERPT)}`);
  return places.length > MAX_PLACES ? [...shown, `${label}: ${places.length - MAX_PLACES} more changes`] : shown;
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
    .filter((key) => !skipped.has(key) && canonicalJson(before[key]) !== canonicalJson(after[key]))
    .map((key) => `${label}: ${escapeInvisible(key)} ${showMember(before, key)} -> ${showMember(after, key)}`);
}

function showMember(holder: JsonObject, key: string): string {
  return Object.hasOwn(holder, key) ? showValue(holder[key]) : 'absent';
}

function showValue(value: unknown): string {
  return escapeInvisible(cutText(canonicalJson(value), MAX_VALUE));
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
