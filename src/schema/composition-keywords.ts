import {
  adoptSeen,
  attempt,
  type Check,
  isFull,
  type Keyword,
  type Run,
  report,
  type Violation,
} from './evaluation.js';

const allOf: Keyword = (rules, _schema, scope) => {
  if (!Array.isArray(rules)) return undefined;
  const checks = rules.map((rule) => scope.check(rule));
  return (value, place, run) => {
    for (const check of checks) {
      if (isFull(run)) return;
      check(value, place, run);
    }
  };
};

/** With `unevaluated...` somewhere, every alternative that holds is looked at, not only the first. */
const anyOf: Keyword = (rules, schema, scope) => {
  if (!Array.isArray(rules) || rules.length === 0) return undefined;
  const checks = rules.map((rule) => scope.check(rule));
  return (value, place, run) => {
    const branches: (readonly Violation[])[] = [];
    let holds = false;
    for (const check of checks) {
      const trial = attempt(check, value, place, run);
      if (trial.faults.length === 0) {
        adoptSeen(run, trial);
        holds = true;
        if (run.seen === undefined) return;
      } else {
        branches.push(trial.faults);
      }
    }
    if (holds) return;
    report(run, place, { keyword: 'anyOf', params: {}, schema: rules, parentSchema: schema, data: value, branches });
  };
};

const oneOf: Keyword = (rules, schema, scope) => {
  if (!Array.isArray(rules) || rules.length === 0) return undefined;
  const checks = rules.map((rule) => scope.check(rule));
  return (value, place, run) => {
    const branches: (readonly Violation[])[] = [];
    const passing: number[] = [];
    for (const [index, check] of checks.entries()) {
      const trial = attempt(check, value, place, run);
      branches.push(trial.faults);
      if (trial.faults.length > 0) continue;
      adoptSeen(run, trial);
      passing.push(index);
      if (passing.length > 1) break;
    }
    if (passing.length === 1) return;
    const params = { passingSchemas: passing.length === 0 ? null : passing };
    report(run, place, { keyword: 'oneOf', params, schema: rules, parentSchema: schema, data: value, branches });
  };
};

const not: Keyword = (rule, schema, scope) => {
  const check = scope.check(rule);
  return (value, place, run) => {
    if (attempt(check, value, place, run).faults.length > 0) return;
    report(run, place, { keyword: 'not', params: {}, schema: rule, parentSchema: schema, data: value });
  };
};

const condition: Keyword = (rule, schema, scope) => {
  const branch = (name: string): Check | undefined => (name in schema ? scope.check(schema[name]) : undefined);
  const [check, yes, no] = [scope.check(rule), branch('then'), branch('else')];
  return (value, place, run) => {
    const trial: Run = attempt(check, value, place, run);
    const holds = trial.faults.length === 0;
    if (holds) adoptSeen(run, trial);
    (holds ? yes : no)?.(value, place, run);
  };
};

/** A reference that leads nowhere here, such as a remote one, asks for nothing: the upstream knows what it means. */
const reference: Keyword = (target, schema, scope) => {
  if (typeof target !== 'string') return undefined;
  const found = scope.resolve(target, schema);
  return found === undefined ? undefined : scope.check(found);
};

export const COMPOSITION_KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  $dynamicRef: reference,
  $recursiveRef: reference,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
};
