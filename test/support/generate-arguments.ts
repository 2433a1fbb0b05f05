import { isJsonObject, type JsonObject, type JsonSchema } from '../../src/base/json/json.js';
import { findForeignParameters } from '../../src/classify/foreign-parameters.js';

/** A source of whole numbers from 0 up to, not including, a bound; the same seed gives the same numbers. */
export type Dice = (sides: number) => number;

export function createDice(seed: number): Dice {
  let state = seed >>> 0 || 1;
  return (sides) => {
    // xorshift32: small, and good enough to choose between branches.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % sides;
  };
}

/**
 * Arguments that match a tool's schema, made without the catalog's code so that a test can check that code. Optional members
 * are chosen at random. Not every schema can be met this way; check the result.
 */
export function generateArguments(schema: JsonSchema, dice: Dice): JsonObject {
  const value = generate(schema, schema, dice, 0);
  return isJsonObject(value) ? value : {};
}

function generate(given: unknown, root: JsonSchema, dice: Dice, depth: number): unknown {
  if (!isJsonObject(given)) return 'anything';
  const schema = typeof given['$ref'] === 'string' ? resolve(given['$ref'], root) : given;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][dice(schema['enum'].length)];
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches) && !isJsonObject(schema['properties'])) {
      // Deep inside, the last branch is usually the one that ends a recursion.
      return generate(branches[depth > 3 ? branches.length - 1 : dice(branches.length)], root, dice, depth + 1);
    }
  }
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? guessType(schema)];
  return GENERATORS[String(types[dice(types.length)])]?.(schema, root, dice, depth) ?? null;
}

type Generator = (schema: JsonSchema, root: JsonSchema, dice: Dice, depth: number) => unknown;

const GENERATORS: Readonly<Record<string, Generator>> = {
  object: generateObject,
  array: (schema, root, dice, depth) => {
    const least = numberOr(schema['minItems'], 0);
    const most = Math.min(numberOr(schema['maxItems'], 3), least + 2);
    const length = depth > 4 ? least : least + dice(most - least + 1);
    return Array.from({ length }, () => generate(schema['items'] ?? {}, root, dice, depth + 1));
  },
  string: generateText,
  integer: (schema, _root, dice) => generateNumber(schema, dice, 1),
  number: (schema, _root, dice) => generateNumber(schema, dice, 0.5),
  boolean: (_schema, _root, dice) => dice(2) === 1,
  null: () => null,
};

function generateObject(schema: JsonSchema, root: JsonSchema, dice: Dice, depth: number): JsonObject {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const result: JsonObject = {};
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
    const chosen = required.has(name) || (depth < 4 && dice(3) === 0);
    if (chosen) result[name] = generate(property, root, dice, depth + 1);
  }
  return result;
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'https://example.org/a?b=c',
  url: 'https://example.org/',
  email: 'someone@example.org',
  'date-time': '2024-02-29T23:59:58Z',
  date: '2024-02-29',
  time: '23:59:58Z',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  hostname: 'host.example.org',
  ipv4: '192.0.2.7',
};

/** Texts that match patterns of real schemas, tried in a random order. */
const TEXTS =
  'abc x A1 7 42 2024-02-29 2024-02 12:30 10h 5m P1D a/b a.b #a1b2c3 v1.2.3 50% someone@example.org file.png http://a.b user:name ' +
  '1-2 1:2 I1:2 1h now-1h 10px 90deg 3:4 a@b https://example.org/x 00:11:22:33:44:55 AB-12 3f2504e0-4f89-41d3-9a0c-0305e82c3301 ' +
  '123-3f2504e0-4f89-41d3-9a0c-0305e82c3301 0123456789abcdef01234567 process=x PT5M 1d 2024-02-29T23:59:58Z 23:59:58';

function generateText(schema: JsonSchema, _root: JsonSchema, dice: Dice): string {
  const format = FORMATS[String(schema['format'])];
  if (format !== undefined) return format;
  const least = numberOr(schema['minLength'], 0);
  const most = numberOr(schema['maxLength'], 1_000);
  const sized = (text: string): string => text.padEnd(least, text || 'z').slice(0, most);
  const texts = TEXTS.split(' ').map(sized);
  const start = dice(texts.length);
  const ordered = [...texts.slice(start), ...texts.slice(0, start)];
  if (typeof schema['pattern'] !== 'string') return ordered[0] ?? '';
  const pattern = new RegExp(schema['pattern']);
  return ordered.find((text) => pattern.test(text)) ?? sized('abc');
}

function generateNumber(schema: JsonSchema, dice: Dice, step: number): number {
  const unit = numberOr(schema['multipleOf'], step);
  const from = numberOr(schema['minimum'], numberOr(schema['exclusiveMinimum'], -unit) + unit);
  const to = numberOr(schema['maximum'], numberOr(schema['exclusiveMaximum'], from + 50 * unit + unit) - unit);
  const first = Math.ceil(from / unit) * unit;
  const choices = Math.max(1, Math.min(50, Math.floor((to - first) / unit) + 1));
  return first + dice(choices) * unit;
}

function resolve(reference: string, root: JsonSchema): JsonSchema {
  let current: unknown = root;
  for (const key of reference.split('/').slice(1)) {
    current =
      isJsonObject(current) || Array.isArray(current) ? (current as JsonObject)[decodeURIComponent(key)] : undefined;
  }
  if (!isJsonObject(current)) return {};
  return typeof current['$ref'] === 'string' ? resolve(current['$ref'], root) : current;
}

function guessType(schema: JsonSchema): string {
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** Arguments without those that the operation which fixes these does not take. */
export function withoutForeign(schema: JsonSchema, args: JsonObject, fixed: JsonObject): JsonObject {
  const foreign = Object.entries(fixed).flatMap(([parameter, value]) =>
    findForeignParameters(schema, { parameter, value }),
  );
  return Object.fromEntries(Object.entries(args).filter(([name]) => !foreign.includes(name)));
}
