import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { ARRAY_KEYWORDS, unevaluatedItems } from './array-keywords.js';
import { COMPOSITION_KEYWORDS } from './composition-keywords.js';
import {
  type Check,
  type Keyword,
  Meter,
  noneSeen,
  report,
  type Scope,
  Undecided,
  type Violation,
} from './evaluation.js';
import type { Formats } from './formats.js';
import { createReferences } from './references.js';
import { measureSchema } from './schema-size.js';
import { OBJECT_KEYWORDS, plainTypeCheck, unevaluatedProperties, VALUE_KEYWORDS } from './value-keywords.js';

/** What became of one check. */
export interface Verdict {
  /** Every way in which the value does not fit, up to a bound. */
  readonly violations: readonly Violation[];
  /** Why the value was not checked to the end; what violates nothing is then for the upstream to judge. */
  readonly undecided?: string;
  /** Units of work that the check took. */
  readonly work: number;
}

/** A JSON Schema, ready for values. */
interface Validator {
  /** Checks that share a meter share its work. */
  check(value: unknown, meter?: Meter): Verdict;
  /** Whether a part of the schema, such as a parameter's, takes a value. What is undecided counts as taken. */
  takes(part: unknown, value: unknown, meter?: Meter): boolean;
}

/**
 * The validator of a schema of any dialect; the keywords of all drafts are read alike. Each part of the schema is prepared
 * when a value first comes to it, so a large schema costs what is used of it. Nothing that a schema or a value holds can make
 * a check endless: its work is counted (https://json-schema.org/draft/2020-12/json-schema-core#section-13).
 */
export function validatorFor(schema: JsonSchema, formats: Formats = 'readable'): Validator {
  return VALIDATORS[formats](schema);
}

const VALIDATORS: Readonly<Record<Formats, (schema: JsonSchema) => Validator>> = {
  readable: oncePer((schema) => createValidator(schema, 'readable')),
  strict: oncePer((schema) => createValidator(schema, 'strict')),
};

function createValidator(schema: JsonSchema, formats: Formats): Validator {
  const size = measureSchema(schema);
  if (size.excess !== undefined) {
    const undecided = `its schema is too large to check: ${size.excess}`;
    return {
      check: (value) => ({ violations: plainTypeViolations(schema, value), undecided, work: 0 }),
      takes: () => true,
    };
  }
  const scope = createScope(schema, formats);
  const seen = size.asksForUnseen;
  const whole = scope.check(schema);
  return {
    check(value, meter = new Meter()) {
      const verdict = run(whole, value, seen, meter);
      if (verdict.undecided === undefined || verdict.violations.length > 0) return verdict;
      return { ...verdict, violations: plainTypeViolations(schema, value) };
    },
    takes: (part, value, meter = new Meter()) => run(scope.check(part), value, seen, meter).violations.length === 0,
  };
}

function run(check: Check, value: unknown, tracksSeen: boolean, meter: Meter): Verdict {
  meter.restart();
  const violations: Violation[] = [];
  try {
    check(value, undefined, { meter, faults: violations, seen: tracksSeen ? noneSeen() : undefined });
    return { violations, work: meter.work };
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    // What was found so far is certain: only what every value must fulfil is reported at the top.
    return { violations, ...(violations.length === 0 && { undecided: error.message }), work: meter.work };
  }
}

/** In the order in which they are asked, and so report. Those that ask what others have looked at come last. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    ...VALUE_KEYWORDS,
    ...ARRAY_KEYWORDS,
    ...OBJECT_KEYWORDS,
    ...COMPOSITION_KEYWORDS,
    unevaluatedItems,
    unevaluatedProperties,
  }),
);
const ORDER: ReadonlyMap<string, number> = new Map(Array.from(KEYWORDS.keys(), (name, index) => [name, index]));

function createScope(root: JsonSchema, formats: Formats): Scope {
  const references = createReferences(root);
  const prepared = new WeakMap<JsonSchema, Check>();
  const scope: Scope = {
    check: (schema) => {
      if (schema === false) return refuse;
      if (!isJsonObject(schema)) return accept;
      const known = prepared.get(schema);
      if (known !== undefined) return known;
      const check = prepareLater(schema, scope);
      prepared.set(schema, check);
      return check;
    },
    resolve: references.resolve,
    formats,
  };
  return scope;
}

const accept: Check = () => undefined;

const refuse: Check = (value, place, run) =>
  report(run, place, { keyword: 'false schema', params: {}, schema: false, parentSchema: undefined, data: value });

function prepareLater(schema: JsonSchema, scope: Scope): Check {
  let checks: readonly Check[] | undefined;
  return (value, place, run) => {
    if (checks === undefined) {
      run.meter.spend(preparationWork(schema));
      checks = prepare(schema, scope);
    }
    run.meter.spend(1 + checks.length);
    run.meter.enter();
    for (const check of checks) check(value, place, run);
    run.meter.leave();
  };
}

/** For each part, and for each element that it lists. */
const PART_UNITS = 100;
const ELEMENT_UNITS = 5;

function preparationWork(schema: JsonSchema): number {
  const lengths = Object.keys(schema).map((name) => {
    const rule = schema[name];
    return Array.isArray(rule) ? rule.length : 0;
  });
  return PART_UNITS + ELEMENT_UNITS * lengths.reduce((sum, length) => sum + length, 0);
}

function prepare(schema: JsonSchema, scope: Scope): readonly Check[] {
  const rank = (name: string): number => ORDER.get(name) ?? 0;
  const names = Object.keys(schema).filter((name) => KEYWORDS.has(name));
  return names
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((name) => KEYWORDS.get(name)?.(schema[name], schema, scope) ?? []);
}

/** The plain types of the members that a schema names at its top: the little that is checked of every value. */
function plainTypeViolations(schema: JsonSchema, value: unknown): readonly Violation[] {
  const { properties } = schema;
  if (!isJsonObject(properties) || !isJsonObject(value)) return [];
  const check: Check = (_value, _place, run) => {
    for (const name of Object.keys(value)) {
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (isJsonObject(part)) plainTypeCheck(part)?.(value[name], { parent: undefined, key: name }, run);
    }
  };
  return run(check, value, false, new Meter()).violations;
}
