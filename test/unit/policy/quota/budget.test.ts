import { expect, it } from 'vitest';
import type { Window } from '../../../../src/config/policy-config.js';
import { spanOf } from '../../../../src/policy/quota/budget.js';

it.each<[Window, string, string, string]>([
  ['second', '2026-01-28T12:29:13.999Z', '2026-01-28T12:29:13.000Z', '2026-01-28T12:29:14.000Z'],
  ['minute', '2026-01-28T12:29:13.999Z', '2026-01-28T12:29:00.000Z', '2026-01-28T12:30:00.000Z'],
  ['hour', '2026-01-28T12:59:59.999Z', '2026-01-28T12:00:00.000Z', '2026-01-28T13:00:00.000Z'],
  ['hour', '2026-01-28T13:00:00.000Z', '2026-01-28T13:00:00.000Z', '2026-01-28T14:00:00.000Z'],
  ['day', '2024-02-28T23:00:00.000Z', '2024-02-28T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ['month', '2024-02-29T23:59:59.999Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('the window %s of %s begins at %s and ends at %s', (window, now, start, end) => {
  expect(spanOf(window, Date.parse(now))).toEqual({ start: Date.parse(start), end: Date.parse(end) });
});
