import { isJsonObject, type JsonObject, type JsonSchema, setMember } from '../base/json/json.js';
import { cleanValue } from '../base/lib/text.js';
import { chosenParts, demandedMembers, pick } from './chosen-parts.js';
import { Meter, Undecided } from './evaluation.js';
import { readSchema, type SchemaShape } from './schema-shape.js';
import { textMatcher } from './value-keywords.js';

/** Deeper than this an example explains nothing; recursion ends here. */
const MAX_DEPTH = 6;
const MAX_PADDING = 200;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2025-01-31T12:00:00Z',
  date: '2025-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  'uri-reference': 'https://example.com',
  iri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  regex: '.*',
  'json-pointer': '/example',
};

/** Texts of the shapes that patterns usually ask for, tried in turn. */
const CANDIDATES: readonly string[] = [
  'example',
  'EXAMPLE',
  'Example 1',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  'a',
  'A1',
  '1h',
  '1d',
  'a-1',
  'a:1',
  'a/b',
  '1:1',
  '1-1',
  '10px',
  '10%',
  '#000000',
  '/example',
  '@example',
  'example.png',
  'v1.0.0',
  '1.0.0',
  '2025-01',
  '12:00',
  '00000000000000000000000000000000',
  ...new Set(Object.values(FORMATS)),
];

/** Lists of lists of lists multiply: an example of more parts than this explains nothing. */
const UNITS_PER_PART = 2_000;

/**
 * A small value that fits the schema as far as can be told without a search: the author's own examples come first. Examples
 * that share a meter share its work; undefined where that is used up.
 *
 * @param choice which of a schema's alternatives are taken: a number an attempt, 0 for the first
 */
export function exampleValue(schema: JsonSchema, root: JsonSchema, meter = new Meter(), choice = 0): unknown {
  // A thousand parameters that are left without an example would throw a thousand errors.
  if (meter.isSpent) return undefined;
  try {
    return makeExample(schema, { root, meter, choice }, 0);
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

interface Making {
  readonly root: JsonSchema;
  readonly meter: Meter;
  readonly choice: number;
}

function makeExample(schema: JsonSchema, making: Making, depth: number): unknown {
  const { root, meter } = making;
  meter.spend(UNITS_PER_PART);
  const { shape, source } = readSchema(schema, root);
  const declared = declaredExample(schema) ?? declaredExample(source);
  if (declared !== undefined) return declared.value;
  switch (shape.kind) {
    case 'object':
      return depth > MAX_DEPTH ? {} : exampleObject(shape, source, making, depth);
    case 'map':
      return {};
    case 'array':
      return exampleArray(shape.items, source, making, depth);
    case 'union':
      return depth > MAX_DEPTH ? null : exampleAlternative(shape.branches, making, depth);
    case 'scalar':
      return shape.values === undefined ? exampleScalar(shape.type, source, meter) : shape.values[0];
  }
}

function declaredExample(schema: JsonSchema): { readonly value: unknown } | undefined {
  const [first] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const value = cleanValue(first ?? schema['example'] ?? schema['default']);
  return value === undefined || value === null ? undefined : { value };
}

function exampleAlternative(branches: readonly JsonSchema[], making: Making, depth: number): unknown {
  const branch = pick(branches, making.choice);
  return makeExample(isJsonObject(branch) ? branch : {}, making, depth + 1);
}

function exampleObject(
  shape: Extract<SchemaShape, { kind: 'object' }>,
  source: JsonSchema,
  making: Making,
  depth: number,
): JsonObject {
  const example: JsonObject = {};
  const demanded = demandedMembers(chosenParts(source, making.root, making.choice));
  for (const { name, required, schema } of shape.fields) {
    if (!required && !demanded.has(name)) continue;
    setMember(example, name, makeExample(demanded.get(name) ?? schema, making, depth + 1));
  }
  return example;
}

/** As many elements as must be, at least one: an empty list shows nothing. */
function exampleArray(
  items: JsonSchema | undefined,
  source: JsonSchema,
  making: Making,
  depth: number,
): readonly unknown[] {
  if (depth > MAX_DEPTH) return [];
  const least = typeof source['minItems'] === 'number' ? source['minItems'] : 1;
  const most = typeof source['maxItems'] === 'number' ? source['maxItems'] : Number.POSITIVE_INFINITY;
  const length = Math.min(Math.max(least, 1), most, MAX_PADDING);
  const parts = isJsonObject(source['items']) ? undefined : (source['prefixItems'] ?? source['items']);
  const schemaAt = (index: number): JsonSchema => {
    const part: unknown = Array.isArray(parts) ? parts[index] : items;
    return isJsonObject(part) ? part : {};
  };
  return Array.from({ length }, (_, index) => makeExample(schemaAt(index), making, depth + 1));
}

function exampleScalar(type: string, source: JsonSchema, meter: Meter): unknown {
  if (type === 'integer' || type === 'number') return exampleNumber(source, type === 'integer');
  if (type === 'boolean') return true;
  return type === 'null' ? null : exampleText(source, meter);
}

function exampleNumber(source: JsonSchema, whole: boolean): number {
  const bound = (key: string): number | undefined => (typeof source[key] === 'number' ? source[key] : undefined);
  const step = bound('multipleOf') ?? (whole ? 1 : undefined);
  const above = bound('exclusiveMinimum');
  const below = bound('exclusiveMaximum');
  const least = bound('minimum') ?? (above === undefined ? undefined : above + (step ?? 1));
  const most = bound('maximum') ?? (below === undefined ? undefined : below - (step ?? 1));
  const wanted = Math.min(Math.max(1, least ?? 1), most ?? Number.POSITIVE_INFINITY);
  if (step === undefined || step <= 0) return wanted;
  const rounded = Math.ceil(wanted / step) * step;
  return rounded > (most ?? Number.POSITIVE_INFINITY) ? rounded - step : rounded;
}

function exampleText(source: JsonSchema, meter: Meter): string {
  const { format, pattern, minLength, maxLength } = source;
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const sized = (text: string): string =>
    text.padEnd(Math.min(least, MAX_PADDING), text === '' ? 'a' : text).slice(0, most);
  if (known !== undefined) return known;
  if (typeof pattern !== 'string') return sized('example');
  const matches = textMatcher(pattern);
  return CANDIDATES.map(sized).find((text) => matches(text, meter) !== false) ?? sized('example');
}
