import { describe, expect, it } from 'vitest';
import { formatTest } from '../../../src/schema/formats.js';

/** By format: texts that some reading accepts, and texts that none does. */
const TEXTS: Readonly<Record<string, readonly [accepted: readonly string[], refused: readonly string[]]>> = {
  'date-time': [
    [
      ...['2026-11-28T10:00:00Z', '2026-11-28T10:00:00+05:30', '2026-11-28T10:00:00', '2026-11-28T10:00', '2026-11-28'],
      ...[
        '2026-11-28 10:00:00.123456',
        '2026-11-28T10:00:00,5+0100',
        '20261128T100000Z',
        '2026-W48-6T10:00',
        '2026-332',
      ],
    ],
    ['tomorrow', '2026-02-30T10:00:00Z', '2026-11-28T25:00', '10:00', '28.11.2026', ''],
  ],
  date: [
    ['2026-02-28', '20260228', '2026-02', '2024-02-29', '2026-11-28T00:00:00'],
    ['2026-02-29', '2026-13-01', 'today', ''],
  ],
  time: [
    ['10:30', '10:30:00', '10:30:00.5', '10:30:00Z', '10:30+02:00', 'T10:30', '103000'],
    ['25:00', '10:61', 'noon', ''],
  ],
  duration: [
    ['PT1H', 'P1DT2H', 'PT0.5S', 'P1W', 'P1.5D', '-P1D', 'P1Y2M'],
    ['P', 'PT', '1 hour', ''],
  ],
  email: [
    ['a+b@x.org', "o'neil@x.org", 'jörg@x.org', 'Ann <ann@x.org>', 'a@bücher.example'],
    ['nowhere', ''],
  ],
  uuid: [
    [
      '6fa459ea-ee8a-3ca4-894e-db77e160355e',
      '6fa459eaee8a3ca4894edb77e160355e',
      'urn:uuid:6fa459ea-ee8a-3ca4-894e-db77e160355e',
    ],
    ['6fa459ea', 'none'],
  ],
  uri: [['https://x.org/a b', 'https://x.org/ä', 'mailto:a@b.c', 'x.org'], []],
  hostname: [['bücher.example', 'a_b.example'], []],
  ipv4: [['127.0.0.1'], ['127.0.0.256', 'localhost']],
};

describe.each(Object.entries(TEXTS))('the format %s', (format, [accepted, refused]) => {
  const takes = (text: string): boolean => formatTest(format, 'readable')?.(text) !== false;

  it.each(accepted)('takes %j, as some reading does', (text) => {
    expect(takes(text)).toBe(true);
  });

  it.each(refused.map((text) => [text]))('refuses %j, which no reading takes', (text) => {
    expect(takes(text)).toBe(false);
  });
});

it('a format takes all that its standard allows, and strictly nothing else', () => {
  expect(formatTest('time', 'strict')?.('10:30:00')).toBe(false);
  expect(formatTest('uri', 'strict')?.('https://x.org/a b')).toBe(false);
  expect(formatTest('date-time', 'strict')?.('2026-11-28T10:00:00Z')).toBe(true);
});
