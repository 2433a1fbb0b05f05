import { fastFormats, fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonSchema } from '../base/json/json.js';
import { type Check, type Keyword, type Meter, type Place, type Run, report } from './evaluation.js';
import { isEqual } from './json-equality.js';
import { compilePattern } from './pattern.js';

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

const type: Keyword = (wanted, schema) => {
  const names = Array.isArray(wanted) ? wanted : [wanted];
  const tests = names.flatMap((name) =>
    typeof name === 'string' && Object.hasOwn(TYPES, name) ? (TYPES[name] ?? []) : [],
  );
  if (tests.length === 0 || tests.length < names.length) return undefined;
  const isNullable = schema['nullable'] === true;
  return (value, place, run) => {
    if (tests.some((test) => test(value)) || (isNullable && value === null)) return;
    report(run, place, {
      keyword: 'type',
      params: { type: wanted },
      schema: wanted,
      parentSchema: schema,
      data: value,
    });
  };
};

const enumeration: Keyword = (wanted, schema) => {
  if (!Array.isArray(wanted)) return undefined;
  const plain = new Set<unknown>(wanted.filter((value) => typeof value !== 'object' || value === null));
  const structures = wanted.filter((value) => typeof value === 'object' && value !== null);
  return (value, place, run) => {
    if (plain.has(value)) return;
    if (typeof value === 'object' && value !== null && structures.some((one) => isEqual(one, value, run.meter))) return;
    const params = { allowedValues: wanted };
    report(run, place, { keyword: 'enum', params, schema: wanted, parentSchema: schema, data: value });
  };
};

const constant: Keyword = (wanted, schema) => (value, place, run) => {
  if (isEqual(value, wanted, run.meter)) return;
  const params = { allowedValue: wanted };
  report(run, place, { keyword: 'const', params, schema: wanted, parentSchema: schema, data: value });
};

/** A bound on a number; the draft-04 form of an exclusive one is `true` beside the inclusive one. */
function bound(keyword: string, holds: (value: number, limit: number) => boolean, beside?: string): Keyword {
  return (given, schema) => {
    const limit = given === true && beside !== undefined ? schema[beside] : given;
    if (typeof limit !== 'number') return undefined;
    return (value, place, run) => {
      if (typeof value !== 'number' || holds(value, limit)) return;
      report(run, place, { keyword, params: { limit }, schema: given, parentSchema: schema, data: value });
    };
  };
}

const multipleOf: Keyword = (step, schema) => {
  if (typeof step !== 'number' || step <= 0) return undefined;
  return (value, place, run) => {
    if (typeof value !== 'number') return;
    const times = value / step;
    // 0.3 / 0.1 is not quite 3 in binary fractions.
    if (Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))) return;
    const params = { multipleOf: step };
    report(run, place, { keyword: 'multipleOf', params, schema: step, parentSchema: schema, data: value });
  };
};

/** Lengths count code points, of which a text has at least half as many as UTF-16 units. */
function length(keyword: string, holds: (length: number, limit: number) => boolean): Keyword {
  return (limit, schema) => {
    if (typeof limit !== 'number') return undefined;
    return (value, place, run) => {
      if (typeof value !== 'string') return;
      const [most, least] = [value.length, Math.ceil(value.length / 2)];
      const agreed = holds(most, limit) === holds(least, limit) ? holds(most, limit) : undefined;
      if (agreed ?? holds(countCodePoints(value, run.meter), limit)) return;
      report(run, place, { keyword, params: { limit }, schema: limit, parentSchema: schema, data: value });
    };
  };
}

function countCodePoints(text: string, meter: Meter): number {
  meter.spend(text.length);
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

const pattern: Keyword = (source, schema) => {
  if (typeof source !== 'string') return undefined;
  const matches = textMatcher(source);
  return (value, place, run) => {
    if (typeof value !== 'string' || matches(value, run.meter) !== false) return;
    const params = { pattern: source };
    report(run, place, { keyword: 'pattern', params, schema: source, parentSchema: schema, data: value });
  };
};

/** Whether a text matches; undefined where the pattern cannot be checked. */
export function textMatcher(source: string): (text: string, meter: Meter) => boolean | undefined {
  return (text, meter) => {
    const { pattern: ready } = compilePatternWithin(source, meter);
    if (ready === undefined) return undefined;
    meter.spend(ready.testWork(text.length));
    return ready.test(text);
  };
}

/** What has been compiled is kept, so that the next call has the work for the rest. */
const metered = new WeakSet<object>();

function compilePatternWithin(source: string, meter: Meter): ReturnType<typeof compilePattern> {
  const compiled = compilePattern(source);
  if (compiled.pattern !== undefined && !metered.has(compiled.pattern)) {
    metered.add(compiled.pattern);
    meter.spend(compiled.pattern.compileWork);
  }
  return compiled;
}

/** Dates as the calendar has them; for the rest the simple forms, which are linear. */
const FORMATS: Readonly<Record<string, unknown>> = {
  ...fastFormats,
  date: fullFormats.date,
  time: fullFormats.time,
  'date-time': fullFormats['date-time'],
};

/** No format that is known here has longer texts, and some forms look at a text more than once. */
const LONGEST_FORMATTED = 10_000;

const format: Keyword = (name, schema) => {
  const test = typeof name === 'string' && Object.hasOwn(FORMATS, name) ? readFormat(FORMATS[name]) : undefined;
  if (test === undefined) return undefined;
  return (value, place, run) => {
    if (typeof value === 'string') run.meter.spend(value.length);
    if (test(value)) return;
    report(run, place, {
      keyword: 'format',
      params: { format: name },
      schema: name,
      parentSchema: schema,
      data: value,
    });
  };
};

function readFormat(definition: unknown): ((value: unknown) => boolean) | undefined {
  const texts = readTextTest(definition);
  if (texts !== undefined)
    return (value) => typeof value !== 'string' || value.length > LONGEST_FORMATTED || texts(value);
  if (typeof definition !== 'object' || definition === null || !('validate' in definition)) return undefined;
  if ('type' in definition && definition.type === 'number') {
    const { validate } = definition;
    return typeof validate === 'function'
      ? (value) => typeof value !== 'number' || validate(value) === true
      : undefined;
  }
  return readFormat(definition.validate);
}

function readTextTest(definition: unknown): ((text: string) => boolean) | undefined {
  if (definition instanceof RegExp) return (text) => definition.test(text);
  return typeof definition === 'function' ? (text) => definition(text) === true : undefined;
}

/** Keywords that look at one value alone. */
export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type,
  enum: enumeration,
  const: constant,
  minimum: bound('minimum', (value, limit) => value >= limit),
  maximum: bound('maximum', (value, limit) => value <= limit),
  exclusiveMinimum: bound('exclusiveMinimum', (value, limit) => value > limit, 'minimum'),
  exclusiveMaximum: bound('exclusiveMaximum', (value, limit) => value < limit, 'maximum'),
  multipleOf,
  minLength: length('minLength', (found, limit) => found >= limit),
  maxLength: length('maxLength', (found, limit) => found <= limit),
  pattern,
  format,
};

/** The plain types that a schema names at its top, for values whose whole schema is not checked. */
export function plainTypeCheck(schema: JsonSchema): Check | undefined {
  return 'type' in schema
    ? type(schema['type'], schema, { check: () => noCheck, resolve: () => undefined })
    : undefined;
}

function noCheck(_value: unknown, _place: Place | undefined, _run: Run): void {
  // Nothing is asked.
}
