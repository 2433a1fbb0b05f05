import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type LeanAnswer, type LeanCall, leanCaller } from '../support/lean-client.js';
import { startRedisSentinel } from '../support/redis-groups.js';
import { NO_REDIS, REDIS_BINARY } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const ANN = 'ann-has-a-long-token-01';
const READ = 'mcp_aql_read';

describe.skipIf(REDIS_BINARY === undefined)(`two gateways whose sentinels promote another Redis (${NO_REDIS})`, () => {
  let redis: Awaited<ReturnType<typeof startRedisSentinel>>;
  let danger: ReplayServer;
  let rows: RowsUpstream;
  let gateways: readonly ServedGateway[] = [];

  beforeAll(async () => {
    [redis, danger, rows] = await Promise.all([
      startRedisSentinel({ sentinels: 3, copies: 2, copiesToWrite: 1 }),
      startDangerUpstream(),
      startRowsUpstream(makeRows(200)),
    ]);
    const config = {
      store: { sentinel: { name: 'main', nodes: redis.urls } },
      clients: { ann: { token: ANN } },
      policy: { confirmation: { maxIssuedPerMinute: 100_000, maxFailuresPerMinute: 100_000 } },
      credentials: { key: 'the-key-of-what-is-kept-in-the-store' },
      quotas: {
        limits: [{ name: 'many', match: { operation: 'do_safe' }, metric: 'requests_per_day', hard_stop: 100_000 }],
      },
      mcpServers: { demo: dangerEntry(danger), rows: { url: rows.url } },
    };
    gateways = await Promise.all([serveGateway(config), serveGateway(config)]);
  });

  afterAll(async () => {
    for (const each of [...gateways, rows, danger, redis]) await each?.[Symbol.asyncDispose]();
  });

  it.each([
    ['while it is well', () => redis.failOver()],
    ['after it was killed', () => redis.killServer()],
  ])('run each call once, serve reads, and say what to do meanwhile: %s', async (when, change) => {
    const [one, other] = gateways.map(({ url }) => leanCaller(url, ANN)) as [LeanCall, LeanCall];
    const { endCursor: after } = (await one(READ, 'list_rows', { first: 5 })).data.pageInfo;
    const begun = danger.calls.length;
    const answered: string[] = [];
    const refusals: NonNullable<LeanAnswer['error']>[] = [];
    let isOver = false;
    /** Sends a call again until it is answered by something else than that the store is away. */
    const insist = async (gateway: LeanCall, operation: string, params: JsonObject): Promise<LeanAnswer> => {
      for (;;) {
        const answer = await gateway(EXECUTE, operation, params);
        if (answer.success) answered.push(String(params['path']));
        if (answer.error?.code !== 'INTERNAL_ERROR') return answer;
        refusals.push(answer.error);
      }
    };
    const confirm = async (worker: string): Promise<void> => {
      for (let at = 0; !isOver; at += 1) {
        const path = `/${when}/${worker}/${at}`;
        const asked = await insist(one, 'do_destructive', { path });
        const confirmed = { path, _confirmation: String(asked.error?.details?.['confirmation_token']) };
        const results = [
          await insist(other, 'do_destructive', confirmed),
          await insist(one, 'do_destructive', confirmed),
        ];
        const codes = results.map(({ error }) => error?.code);
        // A token that was made, or used, in the last moment before the change may be unknown after it, or count as used.
        expect(['TOKEN_ALREADY_USED', 'TOKEN_INVALID']).toContain(codes[1]);
        expect([undefined, codes[1]]).toContain(codes[0]);
      }
    };
    const count = async (): Promise<void> => {
      for (let at = 0; !isOver; at += 1)
        await insist(at % 2 === 0 ? one : other, 'do_safe', { path: `/${when}/counted/${at}` });
    };
    const read = async (): Promise<void> => {
      for (let at = 0; !isOver; at += 1)
        expect((await (at % 2 === 0 ? one : other)(READ, 'get_row', { id: 1 })).success).toBe(true);
    };
    const load = Promise.all([confirm('a'), confirm('b'), count(), read()]).finally(() => {
      isOver = true;
    });
    await Promise.race([load, change()]);
    for (const gateway of [one, other]) await insist(gateway, 'do_safe', { path: `/${when}/again` });
    isOver = true;
    await load;
    const ran = danger.calls.slice(begun).map((call) => Object(call.arguments).path);
    expect(ran.toSorted()).toEqual(answered.toSorted());
    expect(new Set(ran).size).toBe(ran.length - 1);
    for (const { message } of refusals) expect(message).toMatch(/did not run'?\. Send it again in \d+ seconds$/);
    expect((await other(READ, 'list_rows', { first: 5, after })).data.items[0]).toMatchObject({ id: 6 });
  });
});
