import { expect, it } from 'vitest';
import type { AuditEvent } from '../../../../src/policy/audit/audit-event.js';
import { isRefusal, RefusalShares, sourceOf } from '../../../../src/policy/audit/audit-trail.js';

const signIn = (event: 'signed_in' | 'signed_out' | 'refused', operator?: string): AuditEvent => ({
  type: 'sign_in',
  event,
  address: '10.0.0.7',
  actor: operator === undefined ? {} : { operator },
});

it('counts refused sign-ins as refusals of a source of their own, and records every other', () => {
  expect([isRefusal(signIn('refused')), sourceOf(signIn('refused'))]).toEqual([true, 'sign-ins']);
  expect([isRefusal(signIn('signed_in', 'omar')), sourceOf(signIn('signed_in', 'omar'))]).toEqual([
    false,
    'operator/omar',
  ]);
  expect(isRefusal(signIn('signed_out', 'omar'))).toBe(false);
});

it('admits what a source may write in an hour, and counts what it left out', () => {
  const shares = new RefusalShares(100);
  expect([60, 60, 40].map((characters) => shares.admits('sign-ins', characters, 0))).toEqual([true, false, true]);
  expect(shares.admits('client/alice', 60, 0)).toBe(true);
  expect(shares.end(3_600_000)).toEqual([{ source: 'sign-ins', count: 1, since: '1970-01-01T00:00:00.000Z' }]);
});
