import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema } from '../../../src/base/json/json.js';
import type { Operation, RiskCondition } from '../../../src/base/protocol/operation.js';
import { operationOfCall } from '../../../src/catalog/operation.js';
import { anOperation } from '../../support/an-operation.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

const withRisk = (when: RiskCondition, path: readonly string[] = ['flag'], category: 'EXECUTE' | 'READ' = 'EXECUTE') =>
  anOperation({
    cacheSeconds: 5,
    classification: {
      category,
      danger: { level: category === 'READ' ? 'safe' : 'reversible', reasons: ['usual'] },
      confidence: 1,
      evidence: [],
      risks: [{ path, when, danger: 'destructive', reason: 'because of it' }],
    },
  });

const levelOf = (operation: Operation, args: JsonObject): string =>
  operationOfCall(operation, args).classification.danger.level;

describe('the danger of a call', () => {
  const isTrue: RiskCondition = { is: [true] };

  it.each([true, 'true', 'TRUE ', 1, '1', 'yes', 'on', ['true'], '["true"]', '[not json'])(
    'counts %j as true, because some server may take it for true',
    (flag) => expect(levelOf(withRisk(isTrue), { flag })).toBe('destructive'),
  );

  it.each([false, 'false', 0, null, '', undefined])('does not count %j as true', (flag) =>
    expect(levelOf(withRisk(isTrue), flag === undefined ? {} : { flag })).toBe('reversible'),
  );

  it.each<[unknown, string]>([
    [['--force'], 'destructive'],
    ['origin --force-with-lease=main', 'destructive'],
    ['["\\u002d-force"]', 'destructive'],
    [{ extra: [{ '--force': true }] }, 'destructive'],
    [['origin', 'enforce', '--no-force'], 'reversible'],
    [null, 'reversible'],
  ])('finds a word with a given beginning in %j: %s', (flag, level) =>
    expect(levelOf(withRisk({ begins: ['--force'] }), { flag })).toBe(level),
  );

  it.each<[string, RiskCondition, readonly string[], JsonObject, boolean]>([
    [
      'a member of a list',
      { is: ['delete'] },
      ['edits', 'type'],
      { edits: [{ type: 'add' }, { type: 'Delete' }] },
      true,
    ],
    ['no member of the list', { is: ['delete'] }, ['edits', 'type'], { edits: [{ type: 'add' }] }, false],
    ['JSON in a text', { is: ['delete'] }, ['edits', 'type'], { edits: '[{"type":"delete"}]' }, true],
    ['other JSON in a text', { is: ['delete'] }, ['edits', 'type'], { edits: '[{"type":"add"}]' }, false],
    ['a text that cannot be read', { is: ['delete'] }, ['edits', 'type'], { edits: 'type: delete' }, true],
    ['a file name', { present: true }, ['file'], { file: 'a.txt' }, true],
    ['an empty file name', { present: true }, ['file'], { file: '' }, false],
    ['an empty list', { present: true }, ['remove'], { remove: [] }, false],
    ['what is on by default and left out', { unless: [false] }, ['overwrite'], {}, true],
    ['what is on by default and switched off', { unless: [false] }, ['overwrite'], { overwrite: false }, false],
    [
      'a name at any depth',
      { holds: ['$out'] },
      ['stages'],
      { stages: [{ $match: {} }, { $facet: { a: [{ $out: 'b' }] } }] },
      true,
    ],
    ['the name as a value', { holds: ['$out'] }, ['stages'], { stages: [{ $match: { a: '$out' } }] }, false],
    ['a name in JSON text', { holds: ['$out'] }, ['stages'], { stages: '[{"\\u0024out":"b"}]' }, true],
  ])('looks at %s', (_what, when, path, args, raised) =>
    expect(levelOf(withRisk(when, path), args)).toBe(raised ? 'destructive' : 'reversible'),
  );

  it('names the reasons of the level that it reaches', () => {
    expect(operationOfCall(withRisk(isTrue), { flag: true }).classification.danger.reasons).toEqual(['because of it']);
    expect(operationOfCall(withRisk(isTrue), {}).classification.danger.reasons).toEqual(['usual']);
  });

  it('makes EXECUTE of a READ that takes a risk, which is then neither cached nor repeated', () => {
    const read = withRisk(isTrue, ['flag'], 'READ');
    const used = operationOfCall(read, { flag: true });
    expect([used.classification.category, used.retryable, used.cacheSeconds]).toEqual(['EXECUTE', false, undefined]);
    expect(operationOfCall(read, { flag: false })).toBe(read);
  });
});

describe('risks that the operator declares', () => {
  const PUSH = aTool('git_push', objectOf({ branch: { type: 'string' }, forceWithLease: { type: 'boolean' } }));
  const curated = (risks: object[]) =>
    buildTestOperation(PUSH, { curation: [{ pattern: 'git_push', risks: risks as never }] });

  it('replace those that the gateway finds, in either spelling', () => {
    expect(levelOf(buildTestOperation(PUSH), { forceWithLease: true })).toBe('destructive');
    const operation = curated([{ parameter: 'force_with_lease', is: [true], danger: 'dangerous' }]);
    expect(levelOf(operation, { forceWithLease: true })).toBe('dangerous');
    const branch = curated([{ parameter: 'branch', is: ['main'] }]);
    expect([levelOf(branch, { branch: 'main' }), levelOf(branch, { forceWithLease: true })]).toEqual([
      'destructive',
      'reversible',
    ]);
  });

  it('switch them off with an empty list', () => {
    expect(levelOf(curated([]), { forceWithLease: true })).toBe('reversible');
  });
});

describe('the danger of an operation whose every call takes a risk', () => {
  const build = (properties: JsonObject, required: readonly string[], name = 'capture_page') =>
    buildTestOperation(aTool(name, { ...objectOf(properties), required })).classification;
  const saveTo = { type: 'string', description: 'Save the page to this file' };

  it('is that of the risk, and a READ that must write is no READ', () => {
    const written = build({ save_to: saveTo }, ['save_to']);
    expect([written.category, written.danger.level, written.risks]).toEqual(['CREATE', 'destructive', undefined]);
    const schema = { ...objectOf({ counter: { type: 'string' } }), required: ['counter'] };
    const risks = [{ parameter: 'counter', danger: 'destructive' }] as never;
    const { classification } = buildTestOperation(aTool('get_report', schema), {
      curation: [{ pattern: 'get_report', risks }],
    });
    expect([classification.category, classification.danger.level]).toEqual(['EXECUTE', 'destructive']);
  });

  it('is the usual one where a call can do without', () => {
    const { category, danger, risks } = build({ save_to: saveTo }, []);
    expect([category, danger.level, risks?.length]).toEqual(['READ', 'reversible', 1]);
    expect(build({ force: { type: 'boolean' } }, ['force'], 'git_push').danger.level).toBe('reversible');
  });
});

function objectOf(properties: JsonObject): JsonSchema {
  return { type: 'object', properties };
}
