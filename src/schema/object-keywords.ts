import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { attempt, type Check, descend, isFull, type Keyword, type Place, type Run, report } from './evaluation.js';
import { textMatcher } from './value-keywords.js';

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
