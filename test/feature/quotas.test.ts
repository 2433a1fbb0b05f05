import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { behaviourServer } from '../support/behaviours.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type LeanAnswer, type LeanCall, leanCaller } from '../support/lean-client.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';

const CALLS = 3_000;
const QUOTA = 300;
const AT_ONCE = 200;

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const configOf = (limits: readonly object[], more: object = {}): object => ({
  quotas: { limits },
  defaults: { maxConcurrency: 1_000 },
  mcpServers: { demo: dangerEntry(upstream) },
  ...more,
});

const call = (client: McpClient, params: object = {}, operation = 'do_safe'): Promise<Answer> =>
  client.call(EXECUTE, operation, { ...params });

const outcomeOf = ({ success, error }: LeanAnswer): string => (success ? 'OK' : (error?.code ?? ''));

/** Makes many concurrent calls, spread over the clients; returns how often each outcome occurred. */
async function callManyTimes(clients: readonly LeanCall[]): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  let next = 0;
  const callOn = async (): Promise<void> => {
    while (next < CALLS) {
      const client = clients[next++ % clients.length];
      if (client === undefined) return;
      const outcome = outcomeOf(await client(EXECUTE, 'do_safe'));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, callOn));
  return outcomes;
}

/** A quota per day, so that the window does not end during the test. */
const EXACT = [{ name: 'daily', metric: 'requests_per_day', hard_stop: QUOTA }];

const EXACTLY = new Map([
  ['OK', QUOTA],
  ['RATE_LIMIT_QUOTA_EXHAUSTED', CALLS - QUOTA],
]);

describe(`${CALLS} calls at once against a quota of ${QUOTA}`, () => {
  it('exactly the quota passes, on SQLite', async () => {
    await using gateway = await hostGateway(configOf(EXACT));
    const before = upstream.calls.length;
    expect(new Map([...(await callManyTimes([leanCaller(gateway.url)]))].sort())).toEqual(EXACTLY);
    expect(upstream.calls).toHaveLength(before + QUOTA);
  });

  it.skipIf(REDIS_BINARY === undefined)(
    `exactly the quota passes, on Redis with two gateways (${NO_REDIS})`,
    async () => {
      await using redis = await startRedisServer();
      const config = configOf(EXACT, { store: { type: 'redis', url: redis.url } });
      await using one = await hostGateway(config);
      await using two = await hostGateway(config);
      const before = upstream.calls.length;
      const outcomes = await callManyTimes([leanCaller(one.url), leanCaller(two.url)]);
      expect(new Map([...outcomes].sort())).toEqual(EXACTLY);
      expect(upstream.calls).toHaveLength(before + QUOTA);
    },
  );
});

describe('a quota', () => {
  it('warns, pauses until the caller continues, and stops', async () => {
    const limits = [{ name: 'calls', metric: 'requests_per_day', warn: 2, pause: 3, hard_stop: 5 }];
    await using gateway = await hostGateway(configOf(limits));
    await using client = await connectClient(gateway.url);
    const warningsOf = ({ raw }: Answer) =>
      (
        JSON.parse((raw['content'] as [{ text: string }])[0].text) as { warnings?: readonly { code: string }[] }
      ).warnings?.map(({ code }) => code);
    expect(warningsOf(await call(client))).toBeUndefined();
    expect(warningsOf(await call(client))).toEqual(['RATE_LIMIT_QUOTA_WARNING']);
    let answer = await call(client);
    while (answer.success) answer = await call(client);
    expect(answer.error).toMatchObject({
      code: 'RATE_LIMIT_QUOTA_PAUSE',
      details: { metric: 'requests_per_day', pause_threshold: 3 },
    });
    const token = answer.error?.details?.['confirmation_token'];
    expect(token).toMatch(/^quota_continue_/);
    expect(outcomeOf(await call(client, { _quota_continue: token }))).toBe('OK');
    let last = await call(client);
    while (last.success) last = await call(client);
    expect(last.error).toMatchObject({ code: 'RATE_LIMIT_QUOTA_EXHAUSTED', details: { hard_stop_threshold: 5 } });
    const { data } = await client.introspect({ query: 'quota_status' });
    expect(data.quotas).toMatchObject([{ metric: 'requests_per_day', current: 5, hard_stop: 5, status: 'exhausted' }]);
  });

  it('survives a restart', async () => {
    await using directory = await makeDirectory();
    const limits = [{ metric: 'requests_per_day', hard_stop: 2 }];
    const start = () => hostGateway(configOf(limits), { directory: directory.path });
    {
      await using gateway = await start();
      await using client = await connectClient(gateway.url);
      expect([outcomeOf(await call(client)), outcomeOf(await call(client))]).toEqual(['OK', 'OK']);
    }
    await using gateway = await start();
    await using client = await connectClient(gateway.url);
    expect(outcomeOf(await call(client))).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  });

  it('counts by operation, client and price', async () => {
    const limits = [
      { match: { operation: 'do_reversible' }, metric: 'requests_per_day', per: 'client', hard_stop: 1 },
      { match: { category: 'EXECUTE' }, metric: 'cost_per_day', hard_stop: 1 },
    ];
    const clients = { alice: { token: 'alice-has-a-long-token' }, bob: { token: 'bob-has-a-long-token-too' } };
    const quotas = { limits, pricing: [{ match: { operation: 'do_safe' }, cost_per_call: 0.4 }] };
    await using gateway = await hostGateway(configOf([], { quotas, clients }));
    await using alice = await connectClient(gateway.url, 'auto', { token: clients.alice.token });
    await using bob = await connectClient(gateway.url, 'auto', { token: clients.bob.token });
    const outcomes = [
      await call(alice, {}, 'do_reversible'),
      await call(alice, {}, 'do_reversible'),
      await call(bob, {}, 'do_reversible'),
      await call(alice),
      await call(bob),
      await call(alice),
    ].map(outcomeOf);
    const stopped = 'RATE_LIMIT_QUOTA_EXHAUSTED';
    expect(outcomes).toEqual(['OK', stopped, 'OK', 'OK', 'OK', stopped]);
  });

  it("of an upstream's own refuses calls before they reach the upstream", async () => {
    const entry = { ...dangerEntry(upstream), api_limits: [{ scope: 'global', limit: 2, window: 'day' }] };
    await using gateway = await hostGateway({ mcpServers: { demo: entry } });
    await using client = await connectClient(gateway.url);
    const before = upstream.calls.length;
    const answers = [await call(client), await call(client), await call(client)];
    expect(answers.map(outcomeOf)).toEqual(['OK', 'OK', 'RATE_LIMIT_EXCEEDED']);
    expect(answers[2]?.error?.details).toMatchObject({ limit: 2, remaining: 0, window: 'day' });
    expect(upstream.calls).toHaveLength(before + 2);
  });
});

it('counts a call that is sent again, as its server had it, against what the server allows', async () => {
  const api_limits = [{ scope: 'global', limit: 3, window: 'day' }];
  const operations = { crash: { category: 'READ', danger: 'safe' } };
  await using gateway = await hostGateway({ mcpServers: { demo: { ...behaviourServer(), operations, api_limits } } });
  await using client = await connectClient(gateway.url);
  const crash = async (): Promise<JsonObject | undefined> =>
    (await client.call('mcp_aql_read', 'crash', {})).error?.details;
  // Sent and sent again; then sent once, as there is nothing left to repeat it with; then not at all.
  await crash();
  await crash();
  expect(await crash()).toMatchObject({ limit: 3, remaining: 0 });
});
