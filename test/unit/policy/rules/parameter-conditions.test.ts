import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import type { ParamCondition } from '../../../../src/config/policy-config.js';
import { ANONYMOUS, anEngine, aParameter, aRule, rated } from './an-engine.js';

const OPERATION = rated('safe', {
  name: 'pay',
  parameters: [
    aParameter('amount'),
    aParameter('file_path', 'filePath'),
    aParameter('id', 'name'),
    aParameter('name', 'displayName'),
    aParameter('filter_by', 'filter.by'),
  ],
});

type Params = Readonly<Record<string, ParamCondition>>;

/** Whether a call under the condition is denied by a rule that denies, and allowed by one that allows. */
function outcome(params: Params, args: JsonObject, operation: Operation = OPERATION): readonly [boolean, boolean] {
  const deny = aRule({ match: { operation: [operation.qualifiedName], params } });
  const denied = anEngine([deny]).decide(operation, args, ANONYMOUS).effect === 'deny';
  const allowed =
    anEngine([{ ...deny, decision: 'allow' }], 'untested').decide(operation, args, ANONYMOUS).effect === 'allow';
  return [denied, allowed];
}

const MATCHES = [true, true] as const;
const DOUBT = [true, false] as const;
const NOT = [false, false] as const;

type Row = readonly [params: Params, args: JsonObject, outcome: readonly [denied: boolean, allowed: boolean]];

function checkEach(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    it.each(rows)('%j on the arguments %j: a deny rule and an allow rule take effect %j', (params, args, expected) => {
      expect(outcome(params, args)).toEqual(expected);
    });
  });
}

describe('conditions on parameters', () => {
  checkEach('presence', [
    [{ amount: { present: true } }, { amount: null }, MATCHES],
    [{ amount: { present: true } }, {}, NOT],
    [{ amount: { present: false } }, {}, MATCHES],
    [{ amount: { present: false } }, { amount: 0 }, NOT],
    [{ amount: {} }, {}, NOT],
    [{ amount: {} }, { amount: 1 }, MATCHES],
    [{ amount: { present: false, gt: 1 } }, {}, NOT],
    [{ toString: { present: true } }, {}, NOT],
    [{ constructor: { present: false } }, {}, MATCHES],
    [{ ['__proto__']: { present: true } }, {}, NOT],
  ]);

  checkEach('equality', [
    [{ amount: { equals: 5 } }, { amount: 5 }, MATCHES],
    [{ amount: { equals: 5 } }, { amount: 6 }, NOT],
    [{ amount: { equals: 5 } }, {}, NOT],
    [{ amount: { equals: 5 } }, { amount: '5' }, DOUBT],
    [{ amount: { equals: 5 } }, { amount: ' 5.0' }, DOUBT],
    [{ amount: { equals: 0 } }, { amount: -0 }, MATCHES],
    [{ amount: { equals: 0 } }, { amount: null }, DOUBT],
    [{ amount: { equals: true } }, { amount: 'TRUE' }, DOUBT],
    [{ amount: { equals: true } }, { amount: 1 }, DOUBT],
    [{ amount: { equals: true } }, { amount: false }, NOT],
    [{ amount: { equals: 'prod' } }, { amount: ['prod'] }, DOUBT],
    [{ amount: { equals: 'prod' } }, { amount: ['dev'] }, NOT],
    [{ amount: { equals: 'prod' } }, { amount: 'PROD' }, NOT],
    [{ amount: { equals: ['a', 'b'] } }, { amount: ['a', 'b'] }, MATCHES],
    [{ amount: { equals: { a: [1, { b: 2 }] } } }, { amount: { a: [1, { b: 2 }] } }, MATCHES],
    [{ amount: { equals: { a: 1 } } }, { amount: { a: 1, b: 2 } }, NOT],
    [{ amount: { in: ['a', 5] } }, { amount: 'a' }, MATCHES],
    [{ amount: { in: ['a', 5] } }, { amount: '5' }, DOUBT],
    [{ amount: { in: ['a', 5] } }, { amount: 'b' }, NOT],
    [{ amount: { in: [] } }, { amount: 'b' }, NOT],
  ]);

  checkEach('comparison', [
    [{ amount: { gt: 100 } }, { amount: 101 }, MATCHES],
    [{ amount: { gt: 100 } }, { amount: 100 }, NOT],
    [{ amount: { gte: 100 } }, { amount: 100 }, MATCHES],
    [{ amount: { lt: 100 } }, { amount: 100 }, NOT],
    [{ amount: { lte: 100 } }, { amount: 100 }, MATCHES],
    [{ amount: { gte: 1, lt: 5 } }, { amount: 3 }, MATCHES],
    [{ amount: { gte: 1, lt: 5 } }, { amount: 5 }, NOT],
    [{ amount: { gt: 100 } }, {}, NOT],
    [{ amount: { gt: 100 } }, { amount: '1000' }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: '5' }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: '1e9' }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: null }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: { value: 1000 } }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: [1, 1000] }, DOUBT],
    [{ amount: { gt: 100 } }, { amount: [[1000]] }, MATCHES],
    [{ amount: { gt: 100 } }, { amount: [1, 2] }, NOT],
  ]);

  checkEach('patterns', [
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '/prod/x' }, MATCHES],
    [{ filePath: { glob: ['/dev/*', '/prod/*'] } }, { filePath: '/prod/x' }, MATCHES],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '/dev/x' }, NOT],
    [{ filePath: { glob: ['/prod/**'] } }, {}, NOT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '/dev/../prod/x' }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '/prod/../dev/x' }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '//prod//x' }, MATCHES],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '\\prod\\x' }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '../prod/x' }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: '/prod' }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: `/${'x'.repeat(5_000)}` }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: ['/dev/x', '/prod/x'] }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: ['/prod/x', '/prod/y'] }, MATCHES],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: [] }, NOT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: { path: '/prod/x' } }, DOUBT],
    [{ filePath: { glob: ['/prod/**'] } }, { filePath: null }, DOUBT],
    [{ filePath: { glob: ['4*'] } }, { filePath: 42 }, MATCHES],
    [{ filePath: { glob: ['!(dev)'] } }, { filePath: 'dev' }, DOUBT],
  ]);

  checkEach('names and paths', [
    [{ file_path: { equals: 'x' } }, { filePath: 'x' }, MATCHES],
    [{ 'input.file_path': { equals: 'x' } }, { filePath: 'x' }, MATCHES],
    [{ filter_by: { equals: 'x' } }, { 'filter.by': 'x' }, MATCHES],
    [{ 'filter.by': { equals: 'x' } }, { 'filter.by': 'x' }, MATCHES],
    // One parameter's canonical name is the other's spelling: the canonical name has it.
    [{ name: { equals: 'x' } }, { displayName: 'x' }, MATCHES],
    [{ name: { equals: 'x' } }, { name: 'x' }, NOT],
    [{ extra: { equals: 'x' } }, { extra: 'x' }, MATCHES],
    [{ 'options.force': { equals: true } }, { options: { force: true } }, MATCHES],
    [{ 'options.force': { equals: true } }, { options: {} }, NOT],
    [{ 'options.force': { present: false } }, { options: {} }, MATCHES],
    [{ 'options.force': { equals: true } }, { options: '{"force":true}' }, DOUBT],
    [{ 'options.force': { equals: true } }, { options: 1 }, NOT],
    [{ 'options.toString': { present: true } }, { options: {} }, NOT],
    [{ 'files.path': { glob: ['/prod/*'] } }, { files: [{ path: '/prod/x' }, { path: '/prod/y' }] }, MATCHES],
    [{ 'files.path': { glob: ['/prod/*'] } }, { files: [{ path: '/dev/x' }, { path: '/prod/y' }] }, DOUBT],
    [{ 'files.path': { glob: ['/prod/*'] } }, { files: [[{ path: '/prod/x' }]] }, MATCHES],
    [{ 'files.path': { glob: ['/prod/*'] } }, { files: [{}, { path: '/prod/y' }] }, DOUBT],
    [{ 'files.path': { glob: ['/prod/*'] } }, { files: [] }, NOT],
    [{ amount: { gt: 1 }, extra: { present: true } }, { amount: 2 }, NOT],
    [{ amount: { gt: 1 }, extra: { present: true } }, { amount: 2, extra: 1 }, MATCHES],
  ]);

  it("read an update's own field named 'input', and an 'input' that is a parameter like any other", () => {
    const update = rated('safe', { parameters: [aParameter('input', 'input', 'input')] });
    expect(outcome({ 'input.input': { equals: 1 } }, { input: 1 }, update)).toEqual(MATCHES);
    expect(outcome({ input: { equals: 1 } }, { input: 1 }, update)).toEqual(MATCHES);
    const other = rated('safe', { parameters: [aParameter('input')] });
    expect(outcome({ 'input.x': { equals: 1 } }, { input: { x: 1 } }, other)).toEqual(MATCHES);
  });

  it('confirm a call in doubt without lifting the trust matrix', () => {
    const match = { operation: [OPERATION.qualifiedName], params: { amount: { gt: 100 } } };
    const confirm = aRule({ decision: 'confirm', match });
    expect(anEngine([confirm]).decide(OPERATION, { amount: '5' }, ANONYMOUS).effect).toBe('confirm');
    expect(anEngine([confirm], 'untested').decide(OPERATION, { amount: '1000' }, ANONYMOUS).effect).toBe('deny');
    expect(anEngine([confirm], 'untested').decide(OPERATION, { amount: 1000 }, ANONYMOUS).effect).toBe('confirm');
  });
});
