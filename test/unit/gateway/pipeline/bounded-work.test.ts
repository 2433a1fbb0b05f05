import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { limitPayload } from '../../../../src/base/protocol/limit-payload.js';
import { TURN_WORK } from '../../../../src/base/turns/turns.js';
import { PLAIN_SECTIONS } from '../../../../src/config/schema/serving-schema.js';
import { normaliseAll } from '../../../../src/config/schema/setting.js';
import { takeDirectives } from '../../../../src/gateway/pipeline/directives.js';
import { explainViolations } from '../../../../src/schema/explain-violations.js';
import { anOperation } from '../../../support/an-operation.js';

const DEFAULTS = normaliseAll(PLAIN_SECTIONS, {});

const members = (count: number, name: (index: number) => string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));

describe('looking at a request', () => {
  it('is counted, and is about 30 milliseconds for the most values that fit a request', () => {
    const lists = Array.from({ length: 50 }, () => Array.from({ length: 9_999 }, () => 1));
    const work = limitPayload(lists, DEFAULTS.limits);
    expect(work).toBeGreaterThan(limitPayload(lists.slice(0, 5), DEFAULTS.limits));
    expect(work).toBeLessThan(4.2 * TURN_WORK);
  });

  it('counts more for members and structures than for the values in them', () => {
    const { limits } = DEFAULTS;
    const workOf = (value: unknown): number => limitPayload(value, limits);
    const plain = workOf(Array.from({ length: 9_000 }, () => 1));
    expect(workOf(Array.from({ length: 9_000 }, () => ({})))).toBeGreaterThan(3 * plain);
    expect(workOf(members(9_000, (index) => `${index}`))).toBeGreaterThan(3 * plain);
  });

  it('takes more members than a call may have arguments', () => {
    const many = Object.fromEntries(Array.from({ length: 170_000 }, (_, index) => [`${index}`, {}]));
    const limits = { ...DEFAULTS.limits, maxArrayElements: 200_000 };
    expect(() => limitPayload(many, limits)).not.toThrow();
  });
});

describe('misspelt directives', () => {
  it('are looked for among the first names only', () => {
    const params = { ...members(1_000, (index) => `_meta_${index}`), _confirmaton: 'conf_1' };
    expect(takeDirectives(anOperation(), params, () => true).params).toBe(params);
  });

  it('are found beside some metadata', () => {
    expect(() =>
      takeDirectives(anOperation(), { _meta: 1, _request_id: 2, _confirmaton: 'conf_1' }, () => true),
    ).toThrow("did you mean '_confirmation'?");
  });
});

describe('explaining what alternatives ask for', () => {
  it('describes them once, however many items break them', () => {
    let reads = 0;
    const branch = {
      get type(): string {
        reads += 1;
        return 'object';
      },
    };
    const schema = [branch, { type: 'array' }];
    const scope = { root: { anyOf: schema }, nameOf: () => 'items', suggest: () => undefined };
    const violation = {
      keyword: 'anyOf',
      path: ['items'],
      params: {},
      schema,
      parentSchema: undefined,
      data: 1,
      branches: [[], []],
    };
    const readsFor = (count: number): number => {
      const before = reads;
      explainViolations(
        Array.from({ length: count }, () => violation),
        scope,
        50,
      );
      return reads - before;
    };
    const first = readsFor(1);
    expect(readsFor(1)).toBeLessThan(first);
  });
});
