import { describe, expect, it } from 'vitest';
import { choosePart } from '../../../src/pipeline/not-found.js';
import type { DangerLevel } from '../../../src/protocol/operation.js';
import { anOperation } from '../../support/an-operation.js';

const part = (value: string, level: DangerLevel) => {
  const classification = { ...anOperation().classification, danger: { level, reasons: [] } };
  return anOperation({ name: `${value}_crate`, fixedArguments: { crateMethod: value }, classification });
};

const parts = [part('delete', 'destructive'), part('create', 'reversible'), part('rename', 'reversible')];

describe('choosePart', () => {
  it.each([
    [{ crateMethod: 'rename', name: 'x' }, { name: 'x' }],
    [{ crate_method: 'RENAME', name: 'x' }, { name: 'x' }],
    [
      { id: 1, input: { crateMethod: 'rename', name: 'x' } },
      { id: 1, input: { name: 'x' } },
    ],
  ])('finds the part that %j means and removes the parameter that chooses', (given, params) => {
    const chosen = choosePart(parts, given);
    expect(chosen).toMatchObject({ operation: { name: 'rename_crate' }, params, meant: true });
    expect(chosen?.params).toEqual(params);
  });

  it.each([{}, { crateMethod: 'wipe' }, { crateMethod: { delete: 1 } }])(
    'takes the least dangerous where %j does not say',
    (given) => {
      expect(choosePart(parts, given)).toEqual({ operation: parts[1], params: {}, meant: false });
    },
  );

  it('returns undefined when there are no parts', () => {
    expect(choosePart([], { crateMethod: 'rename' })).toBeUndefined();
  });
});
