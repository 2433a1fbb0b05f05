import { describe, expect, it } from 'vitest';
import { createApprovalId, readApprovalId } from '../../../../src/policy/approvals/approval-queue.js';

describe('an approval id', () => {
  it('is short, without letters that look like digits, and another one each time', () => {
    const ids = Array.from({ length: 10_000 }, createApprovalId);
    for (const id of ids) expect(id).toMatch(/^ap_[0-9abcdefghjkmnpqrstvwxyz]{10}$/);
    expect(new Set(ids).size).toBe(10_000);
    expect(new Set(ids.join('').replaceAll('ap_', '')).size).toBe(32);
  });

  it.each([
    ['as it is', 'ap_01hx3q9zkb', 'ap_01hx3q9zkb'],
    ['in capitals', 'AP_01HX3Q9ZKB', 'ap_01hx3q9zkb'],
    ['with letters for digits', 'ap_oIhx3q9zkb', 'ap_01hx3q9zkb'],
    ['with l for 1', 'ap_0lhx3q9zkb', 'ap_01hx3q9zkb'],
    ['with blanks around it', '  ap_01hx3q9zkb\n', 'ap_01hx3q9zkb'],
  ])('is read %s', (_, typed, id) => {
    expect(readApprovalId(typed)).toBe(id);
  });
});
