import { describe, expect, it } from 'vitest';
import type { AnnouncedLimits } from '../../../../src/base/protocol/limits.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import type { ApiLimit } from '../../../../src/config/gateway-config.js';
import { ALICE, aLimit, BOB, createQuotaBench, DELETE_ITEM, ELSEWHERE, GET_ITEM, SEARCH } from './quota-bench.js';

const GLOBAL: ApiLimit = { scope: 'global', limit: 2, window: 'minute' };
const SEARCHES: ApiLimit = { scope: 'endpoint', operation: 'search_*', limit: 2, window: 'second' };
const DELETIONS: ApiLimit = { scope: 'category', category: 'DELETE', limit: 2, window: 'day' };

describe('an upstream with a limit', () => {
  it.each<[ApiLimit, Operation, string, string]>([
    [GLOBAL, GET_ITEM, 'calls per minute', '2026-01-28T12:30:00.000Z'],
    [SEARCHES, SEARCH, "calls of 'search_*' per second", '2026-01-28T12:29:14.000Z'],
    [DELETIONS, DELETE_ITEM, "calls of 'DELETE' per day", '2026-01-29T00:00:00.000Z'],
  ])('gets no call beyond %j', async (limit, operation, words, resetsAt) => {
    const bench = createQuotaBench({ api: { demo: [limit] } });
    await bench.charge({ operation });
    await bench.charge({ operation, caller: BOB });
    const seconds = (Date.parse(resetsAt) - bench.time) / 1_000;
    const { code, message, details } = await bench.refusal({ operation });
    expect({ code, message, details }).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: `API rate limit exceeded: upstream 'demo' allows 2 ${words}. Try again in ${seconds} seconds`,
      details: {
        upstream: 'demo',
        limit: 2,
        remaining: 0,
        window: limit.window,
        resets_at: resetsAt,
        retry_after_seconds: seconds,
      },
    });
    bench.time = Date.parse(resetsAt);
    expect(await bench.charge({ operation })).toEqual([]);
  });

  it.each<[ApiLimit, Operation]>([
    [GLOBAL, ELSEWHERE],
    [SEARCHES, GET_ITEM],
    [DELETIONS, GET_ITEM],
  ])('gets the calls that the limit does not apply to: %j', (limit, operation) => {
    const { service } = createQuotaBench({ api: { demo: [limit] } });
    expect(service.charge({ operation, arguments: {}, caller: ALICE })).toBeUndefined();
  });

  it('refuses a call before any quota does', async () => {
    const bench = createQuotaBench({ api: { demo: [GLOBAL] }, limits: [aLimit({ pause: 1, hardStop: 2 })] });
    await bench.charge();
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_PAUSE');
    const full = createQuotaBench({ api: { demo: [GLOBAL] }, limits: [aLimit({ hardStop: 2 })] });
    await full.chargeTimes(2);
    expect((await full.refusal()).code).toBe('RATE_LIMIT_EXCEEDED');
  });
});

describe("a limit in an upstream's answer", () => {
  it('refuses calls until the upstream may be called again', async () => {
    const bench = createQuotaBench({});
    bench.service.noteLimits('demo', { retryAfterSeconds: 30 }, undefined, undefined);
    const { code, message, details } = await bench.refusal();
    expect({ code, message, details }).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: "API rate limit exceeded: upstream 'demo' has asked callers to wait. Try again in 30 seconds",
      details: {
        upstream: 'demo',
        remaining: 0,
        resets_at: '2026-01-28T12:29:43.000Z',
        retry_after_seconds: 30,
      },
    });
    expect(bench.service.charge({ operation: ELSEWHERE, arguments: {}, caller: ALICE })).toBeUndefined();
    bench.time += 30_000;
    expect(await bench.charge()).toEqual([]);
  });

  it.each<[string, AnnouncedLimits & { readonly resetsIn?: number }, number | undefined]>([
    ['nothing left', { remaining: 0, resetsIn: 10_000 }, 10],
    ['something left', { remaining: 1, resetsIn: 10_000 }, undefined],
    ['nothing left, for no time', { remaining: 0 }, undefined],
    ['nothing left, until before now', { remaining: 0, resetsIn: -1 }, undefined],
    ['both, of which the later counts', { remaining: 0, resetsIn: 10_000, retryAfterSeconds: 20 }, 20],
    ['a year', { retryAfterSeconds: 31_536_000 }, 300],
    ['no time', { retryAfterSeconds: 0 }, undefined],
  ])('of %s', async (_, { resetsIn, ...limits }, seconds) => {
    const bench = createQuotaBench({});
    const resets = resetsIn === undefined ? {} : { resetsAt: bench.time + resetsIn };
    bench.service.noteLimits('demo', { ...limits, ...resets }, undefined, undefined);
    if (seconds === undefined) expect(await bench.charge()).toEqual([]);
    else expect((await bench.refusal()).details).toMatchObject({ retry_after_seconds: seconds });
  });

  it('is not shortened by a later, shorter one', async () => {
    const bench = createQuotaBench({});
    bench.service.noteLimits('demo', { retryAfterSeconds: 30 }, undefined, undefined);
    bench.service.noteLimits('demo', { retryAfterSeconds: 1 }, undefined, undefined);
    expect((await bench.refusal()).details).toMatchObject({ retry_after_seconds: 30 });
  });

  it('of one tool keeps back that tool alone, until another is refused too', async () => {
    const bench = createQuotaBench({});
    const refused = { status: 429, retryAfterSeconds: 30 };
    bench.service.noteLimits('demo', refused, GET_ITEM.tool, undefined);
    expect((await bench.refusal({ operation: GET_ITEM })).details).toMatchObject({ tool: GET_ITEM.tool });
    expect(await bench.charge({ operation: SEARCH })).toEqual([]);
    bench.service.noteLimits('demo', refused, SEARCH.tool, undefined);
    expect((await bench.refusal({ operation: DELETE_ITEM })).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('of an outage keeps back reads alone and is not called a rate limit', async () => {
    const bench = createQuotaBench({});
    bench.service.noteLimits('demo', { status: 503, retryAfterSeconds: 864_000 }, GET_ITEM.tool, undefined);
    expect(await bench.refusal({ operation: SEARCH })).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { reason: 'unavailable', outcome: 'not_run', retry_after_seconds: 300 },
    });
    expect(await bench.charge({ operation: DELETE_ITEM })).toEqual([]);
  });

  it('is put to the test by one call a minute', async () => {
    const bench = createQuotaBench({});
    bench.service.noteLimits('demo', { retryAfterSeconds: 300 }, undefined, undefined);
    bench.time += 59_000;
    await bench.refusal();
    bench.time += 1_000;
    expect(await bench.charge()).toEqual([]);
    expect((await bench.refusal()).details).toMatchObject({ retry_after_seconds: 5 });
    // Still refused: the server says so again.
    bench.service.noteLimits('demo', { retryAfterSeconds: 240 }, undefined, undefined);
    bench.time += 10_000;
    expect((await bench.refusal()).details).toMatchObject({ retry_after_seconds: 230 });
  });

  it('counts nothing of a call that is kept back', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 5 })] });
    bench.service.noteLimits('demo', { retryAfterSeconds: 30 }, undefined, undefined);
    await bench.refusal();
    expect(await bench.service.status(ALICE)).toMatchObject({ quotas: [{ current: 0 }] });
  });
});
