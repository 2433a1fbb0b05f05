import { expect, it } from 'vitest';
import { readTime } from '../../../../src/base/lib/time.js';

it.each<[text: string, iso: string | undefined]>([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', undefined],
  ['2026-04-31', undefined],
  ['2026-13-01', undefined],
  ['2026-00-10', undefined],
  ['2026-01-00', undefined],
  ['2026-01-31T10:20', '2026-01-31T10:20:00.000Z'],
  ['2026-01-31 10:20:30', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31t10:20:30z', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31T10:20:30.123456Z', '2026-01-31T10:20:30.123Z'],
  ['2026-01-31T10:20:30,5+02', '2026-01-31T08:20:30.500Z'],
  ['2026-01-31T10:20:30+0230', '2026-01-31T07:50:30.000Z'],
  ['2026-01-31T10:20:30-02:30', '2026-01-31T12:50:30.000Z'],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31x', undefined],
  ['2026-01', undefined],
  ['20260131', undefined],
  ['31.01.2026', undefined],
  ['2026-01-31T10:20:30Z and more of it here', undefined],
])('the text %j is read as the time %s', (text, iso) => {
  const time = readTime(text);
  expect(time === undefined ? undefined : new Date(time).toISOString()).toBe(iso);
});
