import { describe, expect, it } from 'vitest';
import {
  ALICE,
  aLimit,
  BOB,
  createQuotaBench,
  DELETE_ITEM,
  GET_ITEM,
  tokenOf,
  UNAUTHENTICATED,
} from './quota-bench.js';

const LIMIT = aLimit({ pause: 2, hardStop: 5 });

describe('a pause', () => {
  it('asks whether to continue, with a token', async () => {
    const bench = createQuotaBench({ limits: [LIMIT] });
    await bench.chargeTimes(2);
    const { code, message, details } = await bench.refusal();
    expect({ code, message, details }).toEqual({
      code: 'RATE_LIMIT_QUOTA_PAUSE',
      message:
        "Quota pause threshold reached: 'calls' pauses with 2 requests per hour. If the call is really wanted, send it again " +
        "with the same params and '_quota_continue' set to details.confirmation_token",
      details: {
        quota: 'calls',
        metric: 'requests_per_hour',
        current: 2,
        pause_threshold: 2,
        hard_stop_threshold: 5,
        confirmation_token: expect.stringMatching(/^quota_continue_[A-Za-z0-9_-]{43}$/),
        expires_at: '2026-01-28T12:34:13.000Z',
      },
    });
  });

  it('ends for the caller that continues, up to the hard stop, at every gateway', async () => {
    const bench = createQuotaBench({ limits: [LIMIT] });
    await bench.chargeTimes(2);
    const continueToken = tokenOf(await bench.refusal());
    await bench.charge({ continueToken });
    await bench.charge({ operation: DELETE_ITEM });
    const request = { operation: GET_ITEM, arguments: {}, caller: ALICE };
    expect(await bench.elsewhere().charge(request)).toMatchObject({ warnings: [] });
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  });

  it('does not end for other callers', async () => {
    const bench = createQuotaBench({ limits: [LIMIT] });
    await bench.chargeTimes(2);
    await bench.charge({ continueToken: tokenOf(await bench.refusal()) });
    for (const caller of [BOB, UNAUTHENTICATED]) {
      expect((await bench.refusal({ caller })).code).toBe('RATE_LIMIT_QUOTA_PAUSE');
    }
    expect(await bench.charge({ caller: { ...ALICE, sessionId: 'session-9' } })).toEqual([]);
  });

  it('begins again in the next window', async () => {
    const bench = createQuotaBench({ limits: [LIMIT] });
    await bench.chargeTimes(2);
    await bench.charge({ continueToken: tokenOf(await bench.refusal()) });
    bench.time += 3_600_000;
    await bench.chargeTimes(2);
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_PAUSE');
  });

  it('needs no hard stop', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ warn: 1, pause: 2 })] });
    await bench.chargeTimes(2);
    const pause = await bench.refusal();
    expect(pause.details).not.toHaveProperty('hard_stop_threshold');
    await bench.charge({ continueToken: tokenOf(pause) });
    expect(await bench.chargeTimes(20)).toMatchObject([{ severity: 'high', details: { current: 23 } }]);
  });

  it('of each quota has a question of its own', async () => {
    const daily = aLimit({ name: 'daily', metric: 'requests_per_day', pause: 2 });
    const bench = createQuotaBench({ limits: [LIMIT, daily] });
    await bench.chargeTimes(2);
    const first = await bench.refusal();
    const second = await bench.refusal({ continueToken: tokenOf(first) });
    expect([first.details['quota'], second.details['quota']]).toEqual(['calls', 'daily']);
    expect(await bench.charge({ continueToken: tokenOf(second) })).toEqual([]);
  });

  it('asks nothing where another quota stops the call anyway', async () => {
    const bench = createQuotaBench({ limits: [LIMIT, aLimit({ name: 'few', hardStop: 2 })] });
    await bench.chargeTimes(2);
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  });

  it('of a token quota begins when the tokens are used up', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ metric: 'tokens_per_hour', pause: 10, hardStop: 20 })] });
    await (await bench.begin())(40);
    const pause = await bench.refusal();
    expect(pause.details).toMatchObject({ current: 10, pause_threshold: 10 });
    await (await bench.begin({ continueToken: tokenOf(pause) }))(40);
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  });
});

describe('a token to continue past a pause', () => {
  async function paused(limit = LIMIT) {
    const bench = createQuotaBench({ limits: [limit] });
    await bench.chargeTimes(2);
    return { bench, continueToken: tokenOf(await bench.refusal()) };
  }

  it('is valid once of several simultaneous calls', async () => {
    const { bench, continueToken } = await paused();
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => bench.charge({ continueToken })));
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'passed'));
    expect(codes.sort()).toEqual(['TOKEN_ALREADY_USED', 'TOKEN_ALREADY_USED', 'passed']);
  });

  it('is ignored where nothing is paused', async () => {
    const { bench, continueToken } = await paused();
    bench.time += 3_600_000;
    expect(await bench.charge({ continueToken })).toEqual([]);
    expect(await bench.charge({ continueToken: 'anything' })).toEqual([]);
  });

  it.each([
    ['another caller', { caller: BOB }, 'TOKEN_INVALID'],
    ['another operation', { operation: DELETE_ITEM }, 'TOKEN_SCOPE_MISMATCH'],
    ['other parameters', { arguments: { id: 2 } }, 'TOKEN_SCOPE_MISMATCH'],
    ['a made-up token', { continueToken: 'quota_continue_x' }, 'TOKEN_INVALID'],
  ] as const)('is refused with %s', async (_, changes, code) => {
    const { bench, continueToken } = await paused();
    expect((await bench.refusal({ continueToken, ...changes })).code).toBe(code);
    expect(await bench.service.status(ALICE)).toMatchObject({ quotas: [{ current: 2 }] });
    expect(await bench.charge({ continueToken })).toEqual([]);
  });

  it('is refused for the pause of another quota', async () => {
    const other = aLimit({ name: 'deletes', match: { operation: ['get_*'] }, metric: 'requests_per_day', pause: 3 });
    const bench = createQuotaBench({ limits: [LIMIT, other] });
    await bench.chargeTimes(2);
    const [token, spare] = [tokenOf(await bench.refusal()), tokenOf(await bench.refusal())];
    await bench.charge({ continueToken: token });
    const { code, message } = await bench.refusal({ continueToken: spare });
    expect(code).toBe('TOKEN_SCOPE_MISMATCH');
    expect(message).toMatch(/^Token is not for continuing past the quota pause of this call\./);
  });

  it('expires with the window where that ends within five minutes', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ metric: 'requests_per_minute', pause: 0 })] });
    expect((await bench.refusal()).details).toMatchObject({ expires_at: '2026-01-28T12:30:00.000Z' });
  });
});
