import { describe, expect, it } from 'vitest';
import { OUT_OF_TIME, runWithin, validatorFor } from '../../../../src/catalog/arguments/validators.js';
import type { JsonSchema } from '../../../../src/protocol/json.js';

describe('runWithin', () => {
  it('answers what the task answers', () => {
    expect(runWithin(1_000, () => 42)).toBe(42);
  });

  it('passes on what the task throws', () => {
    const cause = new RangeError('no');
    expect(() =>
      runWithin(1_000, () => {
        throw cause;
      }),
    ).toThrow(cause);
  });

  it('ends a task that never ends, and works again', () => {
    expect(
      runWithin(20, () => {
        for (;;);
      }),
    ).toBe(OUT_OF_TIME);
    expect(runWithin(1_000, () => 'again')).toBe('again');
  });
});

/** Thirty definitions, each of which asks for the next one twice: a thousand million checks of one value. */
function referenceBomb(): JsonSchema {
  const $defs: Record<string, JsonSchema> = { d30: { type: 'object' } };
  for (let index = 0; index < 30; index += 1) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { allOf: [next, next] };
  }
  return { $defs, $ref: '#/$defs/d0' };
}

it('a schema that would be checked for ever is left to its upstream', () => {
  const validator = validatorFor(referenceBomb());
  expect(validator.accepts({ a: 1 })).toBe(true);
  expect(validator.violations('not an object')).toEqual([]);
});

it('a schema with references is checked all the same', () => {
  const validator = validatorFor({
    $defs: { name: { type: 'string' } },
    properties: { name: { $ref: '#/$defs/name' } },
  });
  expect(validator.accepts({ name: 'a' })).toBe(true);
  expect(validator.accepts({ name: 1 })).toBe(false);
  expect(validator.violations({ name: 1 })).toHaveLength(1);
});
