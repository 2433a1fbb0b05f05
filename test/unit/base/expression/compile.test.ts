import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../../src/base/expression/compile.js';
import { FUNCTIONS } from '../../../../src/base/expression/functions.js';

const NOW = Date.parse('2026-04-15T12:00:00Z');

const ITEM = {
  title: 'Fix the gate',
  state: 'open',
  count: 7,
  ratio: 0.25,
  urgent: true,
  archived: false,
  nothing: null,
  created_at: '2026-02-27T18:00:00Z',
  due: '2026-04-20',
  user: { login: 'ada', address: { city: 'Bath' } },
  labels: [{ name: 'bug', weight: 2 }, { name: 'gate', weight: null }, { name: 'ui' }],
  tags: ['a', 'b'],
  scores: [3, 1, 2],
  reviews: [{ by: ['x', 'y'], approved: true }, { by: ['z'], approved: false }, {}],
  empty: [],
  'full name': 'Ada L.',
  '@id': 12,
  größe: 5,
  if: 'a field',
};

const compute = (text: string, item: unknown = ITEM): unknown => {
  const compiled = compileExpression(text);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.compute(item, NOW);
};

const problemOf = (text: string): string => {
  const compiled = compileExpression(text);
  return compiled.ok ? 'none' : compiled.problem;
};

describe('compileExpression', () => {
  it.each([
    ['1.5e2', 150],
    [`'it''s'`.replace("''", "\\'"), "it's"],
    ['"say \\"a\\nb\\""', 'say "a\nb"'],
    ['true', true],
    ['null', null],
    ['title', 'Fix the gate'],
    ['user.address.city', 'Bath'],
    ['`full name`', 'Ada L.'],
    ['@id', 12],
    ['größe', 5],
    ['`if`', 'a field'],
    ['user.missing.deeper', null],
    ['user', null],
    ['tags', null],
  ])('reads %s', (text, expected) => {
    expect(compute(text)).toBe(expected);
  });

  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 2 - 3', 5],
    ['7 % 4 / 2', 1.5],
    ['-count + 1', -6],
    ['2 - -3', 5],
    ["'#' + count", '#7'],
    ["title + '!'", 'Fix the gate!'],
    ['count / 0', null],
    ['0 / 0', null],
    ['1e308 * 10 > 0', null],
    ['title - 1', null],
    ['count + nothing', null],
    ['urgent + 1', null],
    ['-title', null],
  ])('computes %s as %s', (text, expected) => {
    expect(compute(text)).toBe(expected);
  });

  it.each([
    ['count == 7', true],
    ["count == '7'", false],
    ['count != 7', false],
    ['nothing == null', true],
    ['missing == null', true],
    ['labels != null', true],
    ['labels == tags', null],
    ['count >= 7 and count <= 7', true],
    ["due > '2026-04-01'", true],
    ['count < title', null],
    ['missing > 3', null],
    ['not urgent', false],
    ['not missing', null],
    ['not count == 8', true],
    ['archived and missing', false],
    ['urgent and missing', null],
    ['urgent or missing', true],
    ['missing or archived', null],
    ['urgent or urgent and archived', true],
    ['(archived or urgent) and urgent', true],
  ])('computes %s as %s', (text, expected) => {
    expect(compute(text)).toBe(expected);
  });

  it.each([
    ['days_since(created_at)', 46],
    ['hours_since(created_at)', 46 * 24 + 18],
    ['days_until(due)', 4],
    ['days_until(created_at) < 0', true],
    ["days_since('2026-04-15 12:00')", 0],
    ["days_since('2026-04-15T14:30:00+02:00')", -1],
    ["days_since('2026-04-15T14:00:00.5+0200')", -1],
    [`hours_since(${NOW / 1000 - 7200})`, 2],
    [`hours_since(${NOW - 7_200_000})`, 2],
    ["days_since('yesterday')", null],
    ["days_since('2026-13-45')", null],
    ["days_since('2026-02-30')", null],
    ['days_since(urgent)', null],
    ['days_since(missing)', null],
  ])('computes %s as %s', (text, expected) => {
    expect(compute(text)).toBe(expected);
  });

  it.each([
    ['length(labels)', 3],
    ['length(title)', 12],
    ['length(user)', null],
    ['length(missing)', null],
    ['count(labels)', 3],
    ["count(labels, 'weight')", 1],
    ["count(reviews, 'approved')", 1],
    ['count(empty)', 0],
    ['count(title)', null],
    ['sum(scores)', 6],
    ["sum(labels, 'weight')", 2],
    ['sum(empty)', 0],
    ['sum(missing)', null],
    ['sum(labels.weight)', 2],
    ["join(labels.name, ', ')", 'bug, gate, ui'],
    ["join(reviews.by, '')", 'xyz'],
    ['join(scores)', '3, 1, 2'],
    ['join(labels)', ''],
    ['join(title)', null],
    ["concat(title, ' by ', user.login, missing)", 'Fix the gate by ada'],
    ['lower(title)', 'fix the gate'],
    ['upper(state)', 'OPEN'],
    ['upper(count)', null],
    ["coalesce(nothing, missing, 'x')", 'x'],
    ['coalesce(nothing)', null],
    ['round(2.345, 1)', 2.3],
    ['round(-2.5)', -3],
    ['round(2.5, 99)', null],
    ['round(title)', null],
    ["if(urgent, 'now', 'later')", 'now'],
    ["if(missing, 'now', 'later')", 'later'],
    ["if(archived, 'now')", null],
    ["contains(title, 'gate')", true],
    ["contains(labels.name, 'bug')", true],
    ["contains(tags, 'c')", false],
    ['contains(count, 7)', null],
    ['min(scores)', 1],
    ['max(scores, count, nothing)', 7],
    ['max(tags)', 'b'],
    ['max(empty)', null],
    ['abs(-3)', 3],
    ['abs(title)', null],
  ])('computes %s as %s', (text, expected) => {
    expect(compute(text)).toBe(expected);
  });

  it('is tested with every function', () => {
    expect([...FUNCTIONS.keys()]).toHaveLength(17);
    for (const [name, { usage }] of FUNCTIONS) expect(usage.startsWith(`${name}(`)).toBe(true);
  });

  it.each([
    ['count + 1', 'number'],
    ["'#' + count", 'string'],
    ['count > 1', 'boolean'],
    ['coalesce(title, 0)', 'number'],
    ["if(urgent, 'a', 1)", 'string'],
    ['min(count, 2)', 'number'],
    ["max(due, '2026')", 'string'],
    ['title', 'string'],
    ['days_since(due)', 'number'],
    ['null', 'string'],
  ])('infers for %s the type %s', (text, type) => {
    expect(compileExpression(text)).toMatchObject({ ok: true, type });
  });

  it.each([
    ['', 'at character 1: expected a value, got the end'],
    ['1 +', 'at character 4: expected a value, got the end'],
    ['1 2', "at character 3: expected an operator or the end, got '2'"],
    ['(1', "at character 3: expected ')', got the end"],
    ['1)', "at character 2: expected an operator or the end, got ')'"],
    ['a < b < c', "at character 7: expected 'and', 'or' or the end, got '<'"],
    ['a.', 'at character 3: expected the name of a field, got the end'],
    ['a.1', "at character 3: expected the name of a field, got '1'"],
    ['or', "at character 1: expected a value, got 'or'"],
    ['a = 1', "at character 3: unexpected '='; expected '=='"],
    ['a && b', "at character 3: unexpected '&'; expected 'and'"],
    ['a; b', "at character 2: unexpected ';'"],
    ["'abc", "at character 1: expected a closing '"],
    ['lower(title', "at character 12: expected ',' or ')', got the end"],
    ['lower()', 'at character 1: expected 1 argument(s) for lower(text), got 0'],
    ['1 + round(1, 2, 3)', 'at character 5: expected 1 to 2 argument(s) for round(number, digits), got 3'],
    ['coalesce()', 'at character 1: expected at least 1 argument(s) for coalesce(a, b, …), got 0'],
    ['day_since(x)', "at character 1: there is no function 'day_since'; did you mean 'days_since'?"],
    ['1e999', "at character 1: expected a smaller number, got '1e999'"],
    ['_computed.age + 1', 'at character 1: a computed field cannot use another one; repeat its expression'],
    ['x'.repeat(1001), 'expected at most 1000 characters, got 1001'],
    [`${'('.repeat(31)}1${')'.repeat(31)}`, 'at character 31: expected at most 30 levels of nesting'],
  ])('refuses %j', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('names all functions where no similar one exists', () => {
    expect(problemOf('eval(title)')).toMatch(/^at character 1: there is no function 'eval'; use one of days_since, /);
  });

  it('accepts thirty levels of nesting, and the longest text allowed', () => {
    expect(compute(`${'('.repeat(30)}1${')'.repeat(30)}`)).toBe(1);
    expect(compute(`1${'+1'.repeat(499)}`)).toBe(500);
  });
});

describe('an expression', () => {
  it.each(['constructor', '__proto__', 'user.constructor.name', 'toString', 'title.length', 'labels.length'])(
    'reads no prototype by %s',
    (text) => {
      expect([null, undefined]).toContain(compute(`if(${text} == null, null, ${text})`));
      expect(compute(`count(reviews, '${text}')`)).toBe(0);
    },
  );

  it('reads no method that has the name of a function, operator or constant', () => {
    expect(problemOf('constructor(1)')).toContain("there is no function 'constructor'");
    expect(problemOf('a toString b')).toContain('expected an operator');
  });

  it('does not read more than 10,000 elements', () => {
    const list = (length: number): unknown => ({ list: Array.from({ length }, () => ({ of: [1, 2] })) });
    expect(compute('length(list)', list(10_001))).toBe(10_001);
    for (const text of [
      "count(list, 'of')",
      'sum(list)',
      'join(list)',
      'contains(list, 1)',
      'max(list)',
      'sum(list.of)',
    ]) {
      expect(compute(text, list(10_001)), text).toBeNull();
    }
    expect(compute('sum(list.of)', list(5000))).toBe(15_000);
    expect(compute('sum(list.of)', list(5001))).toBeNull();
  });

  it('gives no text of more than 10,000 characters, and splits no character', () => {
    const item = { text: 'é'.repeat(9999), smile: '😀', long: 'x'.repeat(1_000_000), many: Array(10_000).fill('xyz') };
    for (const text of ['long', 'upper(long)', 'long + long', 'concat(long, long)', 'join(many, long)', 'join(many)']) {
      expect(String(compute(text, item)), text).toHaveLength(10_000);
    }
    expect(compute('text + smile', item)).toBe(`${item.text}\uFFFD`);
    expect(compute("contains(lower(long), 'x')", item)).toBe(true);
  });
});

const anyScalar = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('a', 'b.c', 'list', 'list.a', 'missing', "'text'", "'2026-01-01'", 'true', 'null', '1e300'),
);

/** Expressions of the grammar, most of them senseless. */
const { expression: anyExpression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    anyScalar,
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%', '==', '<', 'and', 'or'), tie('expression'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('expression').map((a) => `(not ${a})`),
    fc
      .tuple(fc.constantFrom(...FUNCTIONS), fc.array(tie('expression'), { minLength: 3, maxLength: 3 }))
      .map(([[name, { most }], operands]) => `${name}(${operands.slice(0, Math.min(most, 3)).join(', ')})`),
  ),
}));

describe('any expression over any item', () => {
  it('is compiled or refused, and never throws', () => {
    const pieces = fc.constantFrom(
      "'",
      '"',
      '`',
      '(',
      ')',
      '.',
      ',',
      '\\',
      'not ',
      'if(',
      '1',
      '-',
      'a',
      '<',
      '\u{10FFFF}',
      '\uD800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces).map((all) => all.join('')),
        ),
        (text) => {
          const compiled = compileExpression(text);
          if (!compiled.ok) expect(compiled.problem).toMatch(/^at character \d+: |^expected at most/);
          else expect(compiled.compute({ a: 1 }, NOW)).not.toBeUndefined();
        },
      ),
    );
  });

  it('gives a scalar or null', () => {
    fc.assert(
      fc.property(anyExpression, fc.jsonValue(), fc.jsonValue(), (text, a, element) => {
        fc.pre(text.length <= 1000);
        const value = compute(text, { a, b: { c: element }, list: [element, { a }, a] });
        expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
        if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
        expect(compute(text, a)).not.toBeUndefined();
      }),
    );
  });
});
