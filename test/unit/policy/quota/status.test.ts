import { expect, it } from 'vitest';
import { ALICE, aLimit, BOB, createQuotaBench, DELETE_ITEM, ELSEWHERE, GET_ITEM, tokenOf } from './quota-bench.js';

const HOUR_END = '2026-01-28T13:00:00.000Z';

it('the quota status is empty without limits and quotas', async () => {
  const { service } = createQuotaBench({});
  expect(await service.status(ALICE)).toEqual({ adapter: 'gateway', api_limits: {}, quotas: [], next_reset: null });
});

it('the quota status has the specified shape', async () => {
  const bench = createQuotaBench({
    api: {
      demo: [
        { scope: 'global', limit: 5_000, window: 'hour' },
        { scope: 'endpoint', operation: 'search_*', limit: 30, window: 'minute' },
      ],
    },
    limits: [
      aLimit({ warn: 4_000, pause: 4_800, hardStop: 5_000 }),
      aLimit({ name: 'spending', metric: 'cost_per_day', per: 'client', warn: 5, hardStop: 50, currency: 'USD' }),
    ],
    pricing: [{ match: {}, costPerCall: 1.125 }],
  });
  await bench.chargeTimes(4);
  expect(await bench.service.status(ALICE)).toEqual({
    adapter: 'gateway',
    api_limits: {
      'demo:global:hour': { limit: 5_000, remaining: 4_996, window: 'hour', resets_at: HOUR_END },
      'demo:endpoint:search_*:minute': {
        limit: 30,
        remaining: 30,
        window: 'minute',
        resets_at: '2026-01-28T12:30:00.000Z',
      },
    },
    quotas: [
      {
        name: 'calls',
        per: 'all',
        metric: 'requests_per_hour',
        current: 4,
        warn: 4_000,
        pause: 4_800,
        hard_stop: 5_000,
        status: 'ok',
        resets_at: HOUR_END,
      },
      {
        name: 'spending',
        per: 'client',
        metric: 'cost_per_day',
        current: 4.5,
        warn: 5,
        hard_stop: 50,
        status: 'ok',
        currency: 'USD',
        resets_at: '2026-01-29T00:00:00.000Z',
      },
    ],
    next_reset: '2026-01-28T12:30:00.000Z',
  });
});

it("the quota status shows the caller's own share", async () => {
  const bench = createQuotaBench({
    limits: [
      aLimit({ name: 'each', per: 'client', hardStop: 5 }),
      aLimit({ name: 'of bob', match: { client: ['bob'] }, hardStop: 5 }),
    ],
  });
  await bench.charge();
  expect(await bench.service.status(ALICE)).toMatchObject({ quotas: [{ name: 'each', current: 1 }] });
  expect(await bench.service.status(BOB)).toMatchObject({
    quotas: [
      { name: 'each', current: 0 },
      { name: 'of bob', current: 0 },
    ],
  });
});

it('the status of a quota goes from ok over warn and paused to exhausted', async () => {
  const bench = createQuotaBench({ limits: [aLimit({ warn: 1, pause: 2, hardStop: 3 })] });
  const statusOf = async (caller = ALICE) =>
    ((await bench.service.status(caller))['quotas'] as { status: string }[])[0]?.status;
  expect(await statusOf()).toBe('ok');
  await bench.charge();
  expect(await statusOf()).toBe('warn');
  await bench.charge();
  expect(await statusOf()).toBe('paused');
  const continueToken = tokenOf(await bench.refusal());
  await bench.charge({ continueToken });
  expect([await statusOf(), await statusOf(BOB)]).toEqual(['exhausted', 'exhausted']);
});

it('the status of a quota is no longer paused for a caller that continued', async () => {
  const bench = createQuotaBench({ limits: [aLimit({ pause: 1 })] });
  await bench.charge();
  await bench.charge({ continueToken: tokenOf(await bench.refusal()) });
  const statuses = await Promise.all([ALICE, BOB].map((caller) => bench.service.status(caller)));
  expect(statuses).toMatchObject([{ quotas: [{ status: 'warn' }] }, { quotas: [{ status: 'paused' }] }]);
});

it('the quota status lists the upstreams that asked for a pause', async () => {
  const bench = createQuotaBench({});
  bench.service.noteLimits('demo', { retryAfterSeconds: 10 }, undefined, undefined);
  expect(await bench.service.status(ALICE)).toMatchObject({
    api_limits: { 'demo:announced': { remaining: 0, resets_at: '2026-01-28T12:29:23.000Z' } },
    next_reset: '2026-01-28T12:29:23.000Z',
  });
  bench.time += 10_000;
  expect(await bench.service.status(ALICE)).toMatchObject({ api_limits: {}, next_reset: null });
});

it('the quota status of a view shows only what counts one of its operations, and pauses of its upstreams', async () => {
  const bench = createQuotaBench({
    api: {
      demo: [
        { scope: 'global', limit: 10, window: 'hour' },
        { scope: 'endpoint', operation: 'search_*', limit: 5, window: 'hour' },
      ],
      wiki: [{ scope: 'global', limit: 20, window: 'hour' }],
    },
    limits: [
      aLimit({ name: 'demo', match: { upstream: ['demo'] }, hardStop: 5 }),
      aLimit({ name: 'wiki', match: { upstream: ['wiki'] }, hardStop: 5 }),
    ],
  });
  for (const upstream of ['demo', 'wiki'])
    bench.service.noteLimits(upstream, { retryAfterSeconds: 10 }, undefined, undefined);

  const scope = { operations: [GET_ITEM, DELETE_ITEM], upstreams: ['demo'] };
  const { api_limits, quotas } = await bench.service.status(ALICE, scope);
  expect(Object.keys(api_limits as object)).toEqual(['demo:global:hour', 'demo:announced']);
  expect(quotas).toMatchObject([{ name: 'demo' }]);

  const mixed = await bench.service.status(ALICE, { operations: [GET_ITEM, ELSEWHERE], upstreams: ['demo', 'wiki'] });
  expect(Object.keys(mixed['api_limits'] as object)).toEqual([
    'demo:global:hour',
    'wiki:global:hour',
    'demo:announced',
    'wiki:announced',
  ]);
});
