import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { BearerTokens, FailedAttempts, RefusalNotices } from '../../../../src/server/auth/bearer-tokens.js';

const END = Date.parse('2027-01-31');

const holders = [
  { name: 'ci', keys: [{ hash: hashToken('first-token') }] },
  { name: 'lab', keys: [{ hash: hashToken('second-token') }, { hash: hashToken('old-token'), expiresAt: END }] },
];
const tokens = new BearerTokens(holders, () => END - 1);

describe('bearer tokens', () => {
  it.each([
    ['Bearer first-token', 'ci'],
    ['Bearer second-token', 'lab'],
    ['Bearer old-token', 'lab'],
    ['bearer first-token', 'ci'],
    ['BEARER   first-token  ', 'ci'],
    ['Bearer first-tokens', undefined],
    ['Bearer first-toke', undefined],
    ['Bearer FIRST-TOKEN', undefined],
    ['Bearer first-token second-token', undefined],
    ['Bearerfirst-token', undefined],
    ['Basic first-token', undefined],
    ['first-token', undefined],
    ['Bearer ', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('identify the sender of %j as %s', (header, name) => {
    expect(tokens.holderOf(header)).toBe(name);
    expect(tokens.holderOf(header)).toBe(name);
  });

  it('are good until they expire, also those that have been used', () => {
    let now = END - 1;
    const aging = new BearerTokens(holders, () => now);
    expect(aging.holderOf('Bearer old-token')).toBe('lab');
    now = END;
    expect([aging.holderOf('Bearer old-token'), aging.holderOf('Bearer second-token')]).toEqual([undefined, 'lab']);
  });

  it('are valid only when they are spelled exactly', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!['first-token', 'second-token', 'old-token'].includes(text.trim()));
        expect(tokens.holderOf(`Bearer ${text}`)).toBeUndefined();
      }),
    );
  });
});

function attempts(failures: number) {
  const clock = { now: 5_000_000 };
  const failed = new FailedAttempts(() => clock.now);
  for (let count = 0; count < failures; count += 1) failed.note('192.0.2.1');
  return { failed, clock };
}

describe('failed attempts', () => {
  it('are allowed twenty times in a minute', () => {
    expect(attempts(19).failed.secondsToWait('192.0.2.1')).toBe(0);
    expect(attempts(20).failed.secondsToWait('192.0.2.1')).toBe(60);
  });

  it('are counted per address', () => {
    expect(attempts(20).failed.secondsToWait('192.0.2.2')).toBe(0);
  });

  it('are forgotten when the minute is over', () => {
    const { failed, clock } = attempts(20);
    clock.now += 59_001;
    expect(failed.secondsToWait('192.0.2.1')).toBe(1);
    clock.now += 999;
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
    failed.note('192.0.2.1');
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
  });

  it('are those of a network: a machine has many addresses of IPv6', () => {
    const { failed } = attempts(0);
    for (let count = 0; count < 20; count += 1) failed.note(`2001:db8:1:2::${count}`);
    expect(failed.secondsToWait('2001:db8:1:2:ffff::1')).toBe(60);
    expect(failed.secondsToWait('2001:db8:1:3::1')).toBe(0);
    expect(failed.secondsToWait('::ffff:192.0.2.1')).toBe(0);
  });

  it('are remembered for the latest thousand addresses', () => {
    const { failed } = attempts(20);
    for (let count = 0; count < 999; count += 1) failed.note(`198.51.100.${count}`);
    expect(failed.secondsToWait('192.0.2.1')).toBe(60);
    failed.note('203.0.113.1');
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
  });
});

it('reports the first refused request at once and counts the others in the next notice', () => {
  let now = 1_000_000;
  const told: Observation[] = [];
  const notices = new RefusalNotices(
    (observation) => told.push(observation),
    '/mcp',
    () => now,
  );
  for (let count = 0; count < 500; count += 1) notices.refused('192.0.2.1');
  now += 59_999;
  notices.refused('192.0.2.1');
  expect(told).toEqual([
    { kind: 'notice', level: 'warn', message: "Refused a request to /mcp from '192.0.2.1' without a valid token." },
  ]);
  now += 1;
  notices.refused('192.0.2.2');
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({
    message: "Refused a request to /mcp from '192.0.2.2' without a valid token (and 500 more since the last notice).",
  });
});
