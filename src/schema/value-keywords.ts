import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import {
  attempt,
  type Check,
  descend,
  isFull,
  type Keyword,
  type Meter,
  type Place,
  type Run,
  report,
} from './evaluation.js';
import { formatTest } from './formats.js';
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

const format: Keyword = (name, schema, { formats }) => {
  const test = formatTest(name, formats);
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
    ? type(schema['type'], schema, { check: () => noCheck, resolve: () => undefined, formats: 'readable' })
    : undefined;
}

function noCheck(_value: unknown, _place: Place | undefined, _run: Run): void {
  // Nothing is asked.
}

const properties: Keyword = (rules, _schema, scope) => {
  if (!isJsonObject(rules)) return undefined;
  const checks = new Map<string, Check>();
  return (value, place, run) => {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (isFull(run)) return;
      run.meter.spend(1);
      if (!Object.hasOwn(rules, name)) continue;
      const check = checks.get(name) ?? scope.check(rules[name]);
      checks.set(name, check);
      run.seen?.members.add(name);
      descend(check, value[name], { parent: place, key: name }, run);
    }
  };
};

type Matcher = ReturnType<typeof textMatcher>;

function readPatterns(rules: unknown): readonly (readonly [matches: Matcher, rule: unknown])[] {
  return isJsonObject(rules) ? Object.entries(rules).map(([source, rule]) => [textMatcher(source), rule] as const) : [];
}

/** A name that cannot be held against a pattern is not held to its schema. */
const patternProperties: Keyword = (rules, _schema, scope) => {
  const patterns = readPatterns(rules).map(([matches, rule]) => [matches, scope.check(rule)] as const);
  return (value, place, run) => {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (isFull(run)) return;
      for (const [matches, check] of patterns) {
        if (matches(name, run.meter) !== true) continue;
        run.seen?.members.add(name);
        descend(check, value[name], { parent: place, key: name }, run);
      }
    }
  };
};

/** Names that neither `properties` nor `patternProperties` speak of; one that may match a pattern is not among them. */
const additionalProperties: Keyword = (rule, schema, scope) => {
  const named = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const patterns = readPatterns(schema['patternProperties']);
  const check = scope.check(rule);
  return (value, place, run) => {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (isFull(run)) return;
      run.meter.spend(1);
      if (Object.hasOwn(named, name) || patterns.some(([matches]) => matches(name, run.meter) !== false)) continue;
      run.seen?.members.add(name);
      if (rule === false) reportMember('additionalProperties', name, schema, value, place, run);
      else descend(check, value[name], { parent: place, key: name }, run);
    }
  };
};

export const unevaluatedProperties: Keyword = (rule, schema, scope) => {
  const check = scope.check(rule);
  return (value, place, run) => {
    const { seen } = run;
    if (!isJsonObject(value) || seen === undefined || seen.allMembers) return;
    for (const name of Object.keys(value)) {
      if (isFull(run)) return;
      run.meter.spend(1);
      if (seen.members.has(name)) continue;
      if (rule === false) reportMember('unevaluatedProperties', name, schema, value, place, run);
      else descend(check, value[name], { parent: place, key: name }, run);
    }
    seen.allMembers = true;
  };
};

const PARAMS = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
} as const;

function reportMember(
  keyword: keyof typeof PARAMS,
  name: string,
  parentSchema: JsonSchema,
  data: unknown,
  place: Place | undefined,
  run: Run,
): void {
  report(run, place, { keyword, params: { [PARAMS[keyword]]: name }, schema: false, parentSchema, data });
}

const propertyNames: Keyword = (rule, schema, scope) => {
  const check = scope.check(rule);
  return (value, place, run) => {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (isFull(run)) return;
      if (attempt(check, name, place, run).faults.length === 0) continue;
      const params = { propertyName: name };
      report(run, place, { keyword: 'propertyNames', params, schema: rule, parentSchema: schema, data: value });
    }
  };
};

function requireNames(keyword: string, names: unknown, schema: JsonSchema): Check | undefined {
  if (!Array.isArray(names)) return undefined;
  const wanted = [...new Set(names.filter((name): name is string => typeof name === 'string'))];
  return (value, place, run) => {
    if (!isJsonObject(value)) return;
    run.meter.spend(wanted.length);
    for (const name of wanted) {
      if (Object.hasOwn(value, name)) continue;
      const params = { missingProperty: name };
      report(run, place, { keyword, params, schema: names, parentSchema: schema, data: value });
      if (isFull(run)) return;
    }
  };
}

/** What a member demands that is there: other members (a list of names), or a schema of the whole. */
function dependent(keyword: string): Keyword {
  return (rules, schema, scope) => {
    if (!isJsonObject(rules)) return undefined;
    const checks = Object.entries(rules).flatMap(([name, rule]) => {
      const check = Array.isArray(rule) ? requireNames(keyword, rule, schema) : scope.check(rule);
      return check === undefined ? [] : [[name, check] as const];
    });
    return (value, place, run) => {
      if (!isJsonObject(value)) return;
      run.meter.spend(checks.length);
      for (const [name, check] of checks) if (Object.hasOwn(value, name)) check(value, place, run);
    };
  };
}

function count(keyword: string, holds: (length: number, limit: number) => boolean): Keyword {
  return (limit, schema) => {
    if (typeof limit !== 'number') return undefined;
    return (value, place, run) => {
      if (!isJsonObject(value)) return;
      const { length } = Object.keys(value);
      run.meter.spend(length);
      if (holds(length, limit)) return;
      report(run, place, { keyword, params: { limit }, schema: limit, parentSchema: schema, data: value });
    };
  };
}

export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  // The boolean form of draft-03 speaks of the member itself, and is no list.
  required: (names, schema) => requireNames('required', names, schema),
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  dependentRequired: dependent('dependentRequired'),
  dependentSchemas: dependent('dependentSchemas'),
  dependencies: dependent('dependencies'),
  minProperties: count('minProperties', (found, limit) => found >= limit),
  maxProperties: count('maxProperties', (found, limit) => found <= limit),
};
