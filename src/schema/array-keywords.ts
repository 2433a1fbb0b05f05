import { attempt, type Check, descend, isFull, type Keyword, type Place, type Run, report } from './evaluation.js';
import { hasRepetition } from './json-equality.js';

/** Runs a check on the items from an index on. */
function eachItem(items: readonly unknown[], from: number, check: Check, place: Place | undefined, run: Run): void {
  for (let index = from; index < items.length && !isFull(run); index += 1) {
    descend(check, items[index], { parent: place, key: String(index) }, run);
  }
}

/** One check for each of the first items: `prefixItems`, and `items` as a list before draft 2020-12. */
const tuple: Keyword = (schemas, _schema, scope) => {
  if (!Array.isArray(schemas)) return undefined;
  const checks = schemas.map((part) => scope.check(part));
  return (value, place, run) => {
    if (!Array.isArray(value)) return;
    for (const [index, check] of checks.entries()) {
      if (index >= value.length) break;
      descend(check, value[index], { parent: place, key: String(index) }, run);
    }
    if (run.seen !== undefined) run.seen.itemsBefore = Math.max(run.seen.itemsBefore, checks.length);
  };
};

/** What the items after the first ones must be; `false` bounds the list. */
function rest(keyword: string, from: number): Keyword {
  return (rule, schema, scope) => {
    if (rule === false) {
      return (value, place, run) => {
        if (!Array.isArray(value) || value.length <= from) return;
        report(run, place, { keyword, params: { limit: from }, schema: rule, parentSchema: schema, data: value });
      };
    }
    const check = scope.check(rule);
    return (value, place, run) => {
      if (!Array.isArray(value)) return;
      eachItem(value, from, check, place, run);
      if (run.seen !== undefined) run.seen.itemsBefore = value.length;
    };
  };
}

const items: Keyword = (rule, schema, scope) => {
  if (Array.isArray(rule)) return tuple(rule, schema, scope);
  const prefix = schema['prefixItems'];
  return rest('items', Array.isArray(prefix) ? prefix.length : 0)(rule, schema, scope);
};

const additionalItems: Keyword = (rule, schema, scope) => {
  const first = schema['items'];
  return Array.isArray(first) ? rest('additionalItems', first.length)(rule, schema, scope) : undefined;
};

const contains: Keyword = (rule, schema, scope) => {
  const check = scope.check(rule);
  const least = typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const most = typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Number.POSITIVE_INFINITY;
  return (value, place, run) => {
    if (!Array.isArray(value)) return;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (attempt(check, item, { parent: place, key: String(index) }, run).faults.length > 0) continue;
      found += 1;
      run.seen?.items.add(index);
    }
    if (found >= least && found <= most) return;
    const params = { minContains: least, ...(Number.isFinite(most) && { maxContains: most }) };
    report(run, place, { keyword: 'contains', params, schema: rule, parentSchema: schema, data: value });
  };
};

const uniqueItems: Keyword = (rule, schema) => {
  if (rule !== true) return undefined;
  return (value, place, run) => {
    if (!Array.isArray(value) || !hasRepetition(value, run.meter)) return;
    report(run, place, { keyword: 'uniqueItems', params: {}, schema: rule, parentSchema: schema, data: value });
  };
};

function count(keyword: string, holds: (length: number, limit: number) => boolean): Keyword {
  return (limit, schema) => {
    if (typeof limit !== 'number') return undefined;
    return (value, place, run) => {
      if (!Array.isArray(value) || holds(value.length, limit)) return;
      report(run, place, { keyword, params: { limit }, schema: limit, parentSchema: schema, data: value });
    };
  };
}

export const unevaluatedItems: Keyword = (rule, _schema, scope) => {
  const check = scope.check(rule);
  return (value, place, run) => {
    const { seen } = run;
    if (!Array.isArray(value) || seen === undefined) return;
    for (let index = seen.itemsBefore; index < value.length && !isFull(run); index += 1) {
      run.meter.spend(1);
      if (!seen.items.has(index)) descend(check, value[index], { parent: place, key: String(index) }, run);
    }
    seen.itemsBefore = value.length;
  };
};

export const ARRAY_KEYWORDS: Readonly<Record<string, Keyword>> = {
  prefixItems: tuple,
  items,
  additionalItems,
  contains,
  uniqueItems,
  minItems: count('minItems', (found, limit) => found >= limit),
  maxItems: count('maxItems', (found, limit) => found <= limit),
};
