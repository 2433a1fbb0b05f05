import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import type { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { QuotaMatch } from '../../../../src/config/policy-config.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { type StateStore, StoreError } from '../../../../src/store/state-store.js';
import {
  ALICE,
  aLimit,
  BOB,
  createQuotaBench,
  DELETE_ITEM,
  ELSEWHERE,
  GET_ITEM,
  operationCalled,
  SEARCH,
  UNAUTHENTICATED,
} from './quota-bench.js';

const INTROSPECT = operationCalled('introspect', { upstream: 'gateway', qualifiedName: 'introspect' });

describe('a quota on', () => {
  it.each<[string, QuotaMatch, Operation, Caller, boolean]>([
    ['everything', {}, GET_ITEM, UNAUTHENTICATED, true],
    ['an operation by its name', { operation: ['get_item'] }, GET_ITEM, ALICE, true],
    ['an operation by its qualified name', { operation: ['demo__*'] }, GET_ITEM, ALICE, true],
    ['another operation', { operation: ['get_*'] }, SEARCH, ALICE, false],
    ['a category', { category: ['DELETE', 'UPDATE'] }, DELETE_ITEM, ALICE, true],
    ['another category', { category: ['DELETE'] }, GET_ITEM, ALICE, false],
    ['an upstream', { upstream: ['wi*'] }, ELSEWHERE, ALICE, true],
    ['another upstream', { upstream: ['wiki'] }, GET_ITEM, ALICE, false],
    ['a client', { client: ['ali*'] }, GET_ITEM, ALICE, true],
    ['another client', { client: ['alice'] }, GET_ITEM, BOB, false],
    ['any client, for a caller without authentication', { client: ['*'] }, GET_ITEM, UNAUTHENTICATED, false],
    ['all of it at once', { operation: ['get_*'], category: ['DELETE'] }, GET_ITEM, ALICE, false],
    ['everything but what the gateway does itself', {}, INTROSPECT, ALICE, false],
    ['all names but those of the gateway', { operation: ['*'] }, INTROSPECT, ALICE, false],
    ['the gateway, by name', { upstream: ['gateway'] }, INTROSPECT, ALICE, true],
    ['an operation of the gateway, by name', { operation: ['introspect'] }, INTROSPECT, ALICE, true],
  ])('%s decides whether it counts the call (%#)', async (_, match, operation, caller, counted) => {
    const { service } = createQuotaBench({ limits: [aLimit({ match, hardStop: 1 })] });
    const charged = service.charge({ operation, arguments: {}, caller });
    expect(charged !== undefined).toBe(counted);
    await charged;
  });

  it('nothing makes no promise', () => {
    const { service } = createQuotaBench({});
    expect(service.charge({ operation: GET_ITEM, arguments: {}, caller: ALICE })).toBeUndefined();
  });
});

describe('a quota', () => {
  const unauthenticatedToo = { ...UNAUTHENTICATED, sessionId: 'session-4' };
  const aliceAgain = { ...ALICE, sessionId: 'session-5' };

  it.each([
    { per: 'all', first: ALICE, second: BOB, together: true },
    { per: 'client', first: ALICE, second: BOB, together: false },
    { per: 'client', first: ALICE, second: aliceAgain, together: true },
    { per: 'client', first: UNAUTHENTICATED, second: unauthenticatedToo, together: true },
    { per: 'client', first: UNAUTHENTICATED, second: ALICE, together: false },
    { per: 'session', first: ALICE, second: aliceAgain, together: false },
    { per: 'session', first: ALICE, second: ALICE, together: true },
  ] as const)(
    'per $per counts $first.sessionId and $second.sessionId together: $together',
    async ({ per, first, second, together }) => {
      const bench = createQuotaBench({ limits: [aLimit({ per, hardStop: 1 })] });
      await bench.charge({ caller: first });
      if (together) expect((await bench.refusal({ caller: second })).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
      else expect(await bench.charge({ caller: second })).toEqual([]);
    },
  );
});

describe('a hard stop', () => {
  it('refuses a call beyond it and says until when', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 3 })] });
    await bench.chargeTimes(3);
    const { code, message, details, traits } = await bench.refusal();
    expect({ code, message, details }).toEqual({
      code: 'RATE_LIMIT_QUOTA_EXHAUSTED',
      message: "Quota exhausted: 'calls' allows 3 requests per hour. Try again in 1847 seconds",
      details: {
        quota: 'calls',
        metric: 'requests_per_hour',
        current: 3,
        hard_stop_threshold: 3,
        resets_at: '2026-01-28T13:00:00.000Z',
        retry_after_seconds: 1847,
      },
    });
    expect(traits).toMatchObject({ httpStatus: 429, recoverable: true });
  });

  it('is lifted when its window ends', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 1 })] });
    await bench.charge();
    bench.time = Date.parse('2026-01-28T12:59:59.999Z');
    expect((await bench.refusal()).details).toMatchObject({ retry_after_seconds: 1 });
    bench.time += 1;
    expect(await bench.charge()).toEqual([]);
    await bench.refusal();
  });

  it('holds after a restart', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 1 })] });
    await bench.charge();
    const request = { operation: GET_ITEM, arguments: {}, caller: ALICE };
    await expect(bench.elsewhere().charge(request)).rejects.toMatchObject({ code: 'RATE_LIMIT_QUOTA_EXHAUSTED' });
  });

  it('of one quota leaves the call uncounted by another', async () => {
    const bench = createQuotaBench({
      api: { demo: [{ scope: 'global', limit: 100, window: 'hour' }] },
      limits: [
        aLimit({ name: 'all', hardStop: 100 }),
        aLimit({ name: 'gets', match: { operation: ['get_*'] }, hardStop: 2 }),
      ],
    });
    await bench.chargeTimes(2);
    for (let tries = 0; tries < 5; tries += 1) await bench.refusal();
    expect(await bench.service.status(ALICE)).toMatchObject({
      api_limits: { 'demo:global:hour': { remaining: 98 } },
      quotas: [
        { name: 'all', current: 2 },
        { name: 'gets', current: 2 },
      ],
    });
  });

  it('of 0 lets nothing through', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 0 })] });
    expect((await bench.refusal()).details).toMatchObject({ current: 0 });
  });
});

describe('a warning', () => {
  const limit = aLimit({ warn: 4, pause: 10, hardStop: 20 });

  it('is sent from the threshold on, with severity high near the next threshold', async () => {
    const bench = createQuotaBench({ limits: [limit] });
    expect(await bench.chargeTimes(3)).toEqual([]);
    const [fourth] = await bench.charge();
    expect(fourth).toEqual({
      code: 'RATE_LIMIT_QUOTA_WARNING',
      message: 'Approaching quota limit',
      severity: 'medium',
      details: {
        quota: 'calls',
        metric: 'requests_per_hour',
        current: 4,
        warn_threshold: 4,
        pause_threshold: 10,
        hard_stop_threshold: 20,
        resets_at: '2026-01-28T13:00:00.000Z',
      },
    });
    expect(await bench.chargeTimes(5)).toMatchObject([{ severity: 'medium', details: { current: 9 } }]);
    expect(await bench.charge()).toMatchObject([{ severity: 'high', details: { current: 10 } }]);
  });

  it('of a quota without other thresholds always has severity medium', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ warn: 1 })] });
    expect(await bench.chargeTimes(50)).toMatchObject([{ severity: 'medium', details: { current: 50 } }]);
  });

  it('is sent for each quota', async () => {
    const bench = createQuotaBench({
      limits: [aLimit({ warn: 1 }), aLimit({ name: 'daily', metric: 'requests_per_day', warn: 1 })],
    });
    expect(await bench.charge()).toMatchObject([{ details: { quota: 'calls' } }, { details: { quota: 'daily' } }]);
  });
});

describe('a cost quota', () => {
  const spending = aLimit({ name: 'spending', metric: 'cost_per_day', hardStop: 0.3, currency: 'USD' });
  const pricing = [
    { match: {}, costPerCall: 0.1 },
    { match: { operation: ['search_*'] }, costPerCall: 0.25 },
    { match: { upstream: ['wiki'] }, costPerCall: 0 },
  ];

  it('counts the last price that matches, exactly', async () => {
    const bench = createQuotaBench({ limits: [spending], pricing });
    // In fractions 0.1 + 0.1 + 0.1 is more than 0.3.
    await bench.chargeTimes(3);
    expect((await bench.refusal()).details).toEqual({
      quota: 'spending',
      metric: 'cost_per_day',
      current: 0.3,
      currency: 'USD',
      hard_stop_threshold: 0.3,
      resets_at: '2026-01-29T00:00:00.000Z',
      retry_after_seconds: 41_447,
    });
  });

  it('may allow a cheap call and not an expensive one', async () => {
    const bench = createQuotaBench({ limits: [spending], pricing });
    await bench.charge();
    expect((await bench.refusal({ operation: SEARCH })).message).toBe(
      "Quota exhausted: 'spending' allows 0.3 USD per day. Try again in 41447 seconds",
    );
    await bench.chargeTimes(2);
  });

  it('does not apply to a call without a price', () => {
    const { service } = createQuotaBench({ limits: [spending], pricing });
    expect(service.charge({ operation: ELSEWHERE, arguments: {}, caller: ALICE })).toBeUndefined();
  });
});

/** Lets everything that is ready run. */
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a token quota', () => {
  const limit = aLimit({ name: 'reading', metric: 'tokens_per_minute', warn: 50, hardStop: 100 });

  it('counts the tokens of the answer and stops the next call', async () => {
    const bench = createQuotaBench({ limits: [limit] });
    const answer = async (characters: number) => (await bench.begin())(characters);
    await answer(199);
    expect(await bench.charge()).toMatchObject([{ details: { current: 50 } }]);
    await answer(196);
    await answer(1);
    expect((await bench.refusal()).details).toMatchObject({ current: 100, metric: 'tokens_per_minute' });
  });

  it('counts an answer in the window in which it comes, and gives back in the earlier one what it held', async () => {
    const bench = createQuotaBench({ limits: [limit] });
    const end = await bench.begin();
    bench.time += 60_000;
    await end(400);
    await bench.refusal();
    bench.time -= 60_000;
    expect(await bench.charge()).toEqual([]);
  });

  it('does not apply to a call of another client', () => {
    const { service } = createQuotaBench({ limits: [{ ...limit, match: { client: ['bob'] } }] });
    expect(service.charge({ operation: GET_ITEM, arguments: {}, caller: ALICE })).toBeUndefined();
  });

  it('lets as many calls run at once as there may be tokens for, and the others when these have ended', async () => {
    const bench = createQuotaBench({ limits: [{ ...limit, hardStop: 60_000 }], answerTokens: 25_000 });
    const running: ((characters: number) => Promise<void>)[] = [];
    const outcomes: unknown[] = [];
    const calls = Array.from({ length: 30 }, async () => {
      const end = await bench.begin().catch((refusal: OperationError) => void outcomes.push(refusal.code));
      if (end !== undefined) running.push(end);
    });
    await turns();
    // Of an unknown size, each may have 25,000: two fit below the threshold, and the one that crosses it.
    expect(running).toHaveLength(3);
    for (const end of running.splice(0)) await end(100_000);
    await Promise.all(calls);
    expect(outcomes).toEqual(Array.from({ length: 27 }, () => 'RATE_LIMIT_QUOTA_EXHAUSTED'));
  });

  it('lets calls that begin together wait for each other where the store answers later, and refuses none of them', async () => {
    const store = (now: () => number): StateStore => new LateStore(now);
    const bench = createQuotaBench({ store, limits: [{ ...limit, hardStop: 30_000 }], answerTokens: 25_000 });
    const calls = Array.from({ length: 40 }, async () => (await bench.begin())(100));
    await Promise.all(calls);
    expect((await bench.service.status(ALICE))['quotas']).toMatchObject([{ current: 1_000 }]);
  });

  it('refuses all calls that begin together once answers have used the budget up, where the store answers later', async () => {
    const store = (now: () => number): StateStore => new LateStore(now);
    const bench = createQuotaBench({ store, limits: [{ ...limit, hardStop: 30_000 }], answerTokens: 25_000 });
    await (await bench.begin())(200_000);
    const refusals = await Promise.all(Array.from({ length: 40 }, () => bench.refusal()));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['RATE_LIMIT_QUOTA_EXHAUSTED']));
  });

  it('reserves what recent answers had', async () => {
    const bench = createQuotaBench({ limits: [{ ...limit, hardStop: 60_000 }], answerTokens: 25_000 });
    await (await bench.begin())(400);
    const ends = await Promise.all(Array.from({ length: 100 }, () => bench.begin()));
    await Promise.all(ends.map((end) => end(4)));
    expect((await bench.service.status(ALICE))['quotas']).toMatchObject([{ current: 200 }]);
  });

  it('lets a call that has no answer go on where it had to wait for another without one', async () => {
    const bench = createQuotaBench({ limits: [limit] });
    const end = await bench.begin();
    const second = bench.begin();
    await end(0);
    await (await second)(0);
    expect((await bench.service.status(ALICE))['quotas']).toMatchObject([{ current: 0 }]);
  });

  it('counts a part of a stored answer for the operation that gave it, and stops parts as well', async () => {
    const bench = createQuotaBench({ limits: [{ ...limit, match: { operation: ['get_item'] } }] });
    const part = { operation: INTROSPECT, arguments: { query: 'result', name: 'res_1' }, partsOf: [GET_ITEM] };
    await (await bench.begin(part))(400);
    expect((await bench.refusal(part)).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
    expect((await bench.refusal()).code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  });

  it('counts no request for a further page, as nothing is sent for it', async () => {
    const bench = createQuotaBench({ limits: [aLimit({ hardStop: 1 })] });
    expect(
      bench.service.charge({ operation: GET_ITEM, arguments: {}, caller: ALICE, partsOf: [GET_ITEM] }),
    ).toBeUndefined();
  });

  it('does not apply to a read whose answer stays inside the gateway', () => {
    const { service } = createQuotaBench({ limits: [limit] });
    expect(service.charge({ operation: GET_ITEM, arguments: {}, caller: ALICE, delivered: false })).toBeUndefined();
  });
});

describe('while the store is away', () => {
  const away = new StoreError('no connection');

  function withFailing(method: 'increment' | 'count') {
    return createQuotaBench({
      limits: [aLimit({ match: { operation: ['get_*'] }, metric: 'tokens_per_day', hardStop: 100 })],
      store: (now): StateStore => {
        const store = new MemoryStore(now);
        return Object.assign(store, { [method]: () => Promise.reject(away) });
      },
    });
  }

  it('calls that must be counted are refused, and others run', async () => {
    const bench = withFailing('increment');
    const { code, cause } = await bench.refusal();
    expect({ code, cause }).toEqual({ code: 'INTERNAL_ERROR', cause: away });
    expect(await bench.charge({ operation: SEARCH })).toEqual([]);
  });

  it('an answer is not lost because it cannot be counted', async () => {
    const { begin, store, observations } = createQuotaBench({
      limits: [aLimit({ metric: 'tokens_per_day', hardStop: 100 })],
    });
    const end = await begin();
    Object.assign(store, { increment: () => Promise.reject(away) });
    await end(100);
    expect(observations).toEqual([
      { kind: 'notice', level: 'warn', message: 'the tokens of an answer were not counted: no connection' },
    ]);
  });

  it('the status is refused', async () => {
    await expect(withFailing('count').service.status(ALICE)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

/** Counts in the order in which it is asked, as one connection to a server does, and answers in a later turn. */
class LateStore extends MemoryStore {
  override async increment(steps: Parameters<MemoryStore['increment']>[0]): ReturnType<MemoryStore['increment']> {
    const counted = super.increment(steps);
    await new Promise(setImmediate);
    return counted;
  }
}

it('does not let a call be repeated that cannot be counted', async () => {
  const bench = createQuotaBench({
    api: { [GET_ITEM.upstream]: [{ scope: 'global', limit: 5, window: 'hour' }] },
    store: (now) => {
      const store = new MemoryStore(now);
      return Object.assign(store, { increment: () => Promise.reject(new StoreError('it is away')) });
    },
  });
  expect(await bench.service.chargeRepeat(GET_ITEM, ALICE)).toBe(false);
});

it("counts a repeat on the upstream's limits and on no quota", async () => {
  const bench = createQuotaBench({
    api: { [GET_ITEM.upstream]: [{ scope: 'global', limit: 2, window: 'hour' }] },
    limits: [aLimit({ hardStop: 1 })],
  });
  expect(await bench.service.chargeRepeat(GET_ITEM, ALICE)).toBe(true);
  expect(await bench.service.status(ALICE)).toMatchObject({
    api_limits: { 'demo:global:hour': { remaining: 1 } },
    quotas: [{ current: 0 }],
  });
  await bench.charge();
  expect(await bench.service.chargeRepeat(GET_ITEM, ALICE)).toBe(false);
});
