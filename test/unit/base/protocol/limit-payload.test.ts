import { describe, expect, it } from 'vitest';
import { limitPayload } from '../../../../src/base/protocol/limit-payload.js';
import type { PayloadLimits } from '../../../../src/base/protocol/limits.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';

const LIMITS: PayloadLimits = {
  maxRequestSize: 1_048_576,
  maxResponseSize: 10_485_760,
  maxStringLength: 12,
  maxArrayElements: 3,
  maxNestingDepth: 4,
};

function refusal(value: unknown): OperationError | undefined {
  try {
    limitPayload(value, LIMITS);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(OperationError);
    return error as OperationError;
  }
}

describe('limitPayload', () => {
  it('counts nesting as the specification does: {"a":{"b":{"c":{}}}} has depth 4', () => {
    expect(refusal({ a: { b: { c: {} } } })).toBeUndefined();
    expect(refusal({ a: { b: { c: { d: {} } } } })?.details).toEqual({
      limit_type: 'nesting_depth',
      limit_value: 4,
      actual_value: 5,
      unit: 'levels',
      setting: 'limits.maxNestingDepth',
    });
    expect(refusal({ a: [[[[]]]] })?.code).toBe('VALIDATION_PAYLOAD_TOO_LARGE');
  });

  it('limits array elements', () => {
    expect(refusal({ a: [1, 2, 3] })).toBeUndefined();
    expect(refusal({ a: [1, 2, 3, 4] })?.message).toBe('Payload exceeds array_elements limit of 3');
    expect(refusal({ a: 1, b: 2, c: 3, d: 4 })?.message).toBe('Payload exceeds object_members limit of 3');
  });

  it('limits strings in bytes, keys included', () => {
    expect(refusal({ a: 'x'.repeat(12) })).toBeUndefined();
    expect(refusal({ a: 'ä'.repeat(7) })?.details).toMatchObject({ limit_type: 'string_length', actual_value: 14 });
    expect(refusal({ ['k'.repeat(13)]: 1 })?.details).toMatchObject({ limit_type: 'string_length' });
  });

  it.each([
    ['a lone surrogate', 'a\ud800b'],
    ['a null byte', 'a\0b'],
  ])('refuses %s', (_what, value) => {
    expect(refusal({ a: [value] })?.code).toBe('VALIDATION_INVALID_ENCODING');
    expect(refusal({ [value]: 1 })?.code).toBe('VALIDATION_INVALID_ENCODING');
  });

  it('accepts paired surrogates and scalars', () => {
    expect(refusal({ a: ['😀', null, true], b: 1 })).toBeUndefined();
  });

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    'refuses %s, which JSON would send as null, and names its place',
    (value) => {
      const error = refusal({ operation: 'x', params: { where: [{ id: value }] } });
      expect([error?.code, error?.details['param_name']]).toEqual(['VALIDATION_INVALID_VALUE', 'where[0].id']);
    },
  );

  it('says where the characters are that are not allowed', () => {
    expect(refusal({ params: { a: ['x', 'a\0b'] } })?.details).toMatchObject({ location: 'a[1]' });
    expect(refusal({ input: { 'a\ud800': 1 } })?.details).toMatchObject({ location: 'input' });
  });

  it('refuses a million levels like five', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 1_000_000; level++) deep = [deep];
    expect(refusal(deep)?.details).toMatchObject({ limit_type: 'nesting_depth', actual_value: 5 });
  });
});
