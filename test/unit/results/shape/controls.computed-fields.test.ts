import { describe, expect, it } from 'vitest';
import { compileComputedFields } from '../../../../src/results/shape/controls.js';
import { anOperation } from '../../../support/an-operation.js';

const NOW = Date.parse('2026-04-15T00:00:00Z');

const computed = {
  age_days: { expression: 'days_since(created_at)', description: 'Days since creation' },
  child_count: { expression: 'length(children)' },
  is_stale: { expression: 'days_since(created_at) > 30' },
  label: { expression: "concat(kind, ': ', name)" },
};

describe('compileComputedFields', () => {
  it("gives each field as introspection shows it, in the operator's order", () => {
    const fields = compileComputedFields(anOperation({ computed }));
    expect(fields.map(({ name, type, description }) => [name, type, description])).toEqual([
      ['age_days', 'number', 'Days since creation'],
      ['child_count', 'number', 'length(children)'],
      ['is_stale', 'boolean', 'days_since(created_at) > 30'],
      ['label', 'string', "concat(kind, ': ', name)"],
    ]);
  });

  it("computes the specification's examples", () => {
    const item = {
      name: 'Atlas',
      kind: 'widget',
      created_at: '2026-02-27T00:00:00Z',
      children: new Array(12).fill({}),
    };
    const fields = compileComputedFields(anOperation({ computed }));
    const values = fields.map(({ name, compute }) => [name, compute(item, NOW)]);
    expect(Object.fromEntries(values)).toEqual({
      age_days: 47,
      child_count: 12,
      is_stale: true,
      label: 'widget: Atlas',
    });
  });

  it('gives no fields where none are declared, and leaves out invalid expressions', () => {
    expect(compileComputedFields(anOperation())).toEqual([]);
    const broken = { bad: { expression: '1 +' }, good: { expression: '1' } };
    expect(compileComputedFields(anOperation({ computed: broken })).map(({ name }) => name)).toEqual(['good']);
  });
});
