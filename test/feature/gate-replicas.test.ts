import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type LeanAnswer, type LeanCall, leanCaller } from '../support/lean-client.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';
import { serveGateway } from '../support/served-gateway.js';

const TOKEN = 'alice-has-a-long-token';
const PARAMS = { path: '/notes/a.txt' };
const ATTEMPTS = 1_000;

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const configOf = (store?: object): object => ({
  ...(store === undefined ? {} : { store }),
  clients: { alice: { token: TOKEN } },
  // A lost race for a token counts as a failure, so the limit of failures must allow all attempts.
  policy: { confirmation: { maxFailuresPerMinute: 10_000 } },
  defaults: { maxConcurrency: 1_000 },
  mcpServers: { demo: dangerEntry(upstream) },
});

const call = (client: LeanCall, more: object = {}): Promise<LeanAnswer> =>
  client(EXECUTE, 'do_destructive', { ...PARAMS, ...more });

/** Redeems one token many times at once, with its params and alone, spread over the clients; returns how often each outcome occurred. */
async function redeemAtOnce(clients: readonly LeanCall[]): Promise<ReadonlyMap<string, number>> {
  const [first] = clients as [LeanCall];
  const token = (await call(first)).error?.details?.['confirmation_token'];
  const answers = await Promise.all(
    Array.from({ length: ATTEMPTS }, (_, index) => {
      const client = clients[index % clients.length] ?? first;
      // Half of them send the token alone.
      const isAlone = index % 4 < 2;
      return isAlone
        ? client(EXECUTE, 'do_destructive', { _confirmation: token })
        : call(client, { _confirmation: token });
    }),
  );
  const outcomes = new Map<string, number>();
  for (const { success, error } of answers) {
    const outcome = success ? 'OK' : (error?.code ?? '');
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

const ONE_WINNER = new Map([
  ['OK', 1],
  ['TOKEN_ALREADY_USED', ATTEMPTS - 1],
]);

describe(`${ATTEMPTS} redemptions of one token at once`, () => {
  it('make exactly one call, on SQLite', async () => {
    await using gateway = await serveGateway(configOf());
    const client = leanCaller(gateway.url, TOKEN);
    const before = upstream.calls.length;
    expect(await redeemAtOnce([client])).toEqual(ONE_WINNER);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('make exactly one call, on SQLite with two gateways on one file', async () => {
    await using one = await serveGateway(configOf());
    await using two = await serveGateway(configOf({ type: 'sqlite', file: `${one.directory}/.mcp-aql/state.db` }));
    const first = leanCaller(one.url, TOKEN);
    const second = leanCaller(two.url, TOKEN);
    const before = upstream.calls.length;
    expect(await redeemAtOnce([first, second])).toEqual(ONE_WINNER);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it.skipIf(REDIS_BINARY === undefined)(`make exactly one call, on Redis with two gateways (${NO_REDIS})`, async () => {
    await using redis = await startRedisServer();
    const config = configOf({ type: 'redis', url: redis.url });
    await using one = await serveGateway(config);
    await using two = await serveGateway(config);
    const first = leanCaller(one.url, TOKEN);
    const second = leanCaller(two.url, TOKEN);
    const before = upstream.calls.length;
    expect(await redeemAtOnce([first, second])).toEqual(ONE_WINNER);
    expect(upstream.calls).toHaveLength(before + 1);
  });
});

describe('a gateway whose store cannot be reached', () => {
  it.skipIf(REDIS_BINARY === undefined)(
    `refuses calls that need confirmation, and serves the others (${NO_REDIS})`,
    async () => {
      await using redis = await startRedisServer();
      await using gateway = await serveGateway(configOf({ type: 'redis', url: redis.url }));
      const client = leanCaller(gateway.url, TOKEN);
      expect((await call(client)).error?.code).toBe('CONFIRMATION_REQUIRED');
      await redis.kill();
      const before = upstream.calls.length;
      const refused = await call(client);
      expect(refused.error).toMatchObject({
        code: 'INTERNAL_ERROR',
        details: { reason: 'unavailable', retryable: true },
      });
      expect(upstream.calls).toHaveLength(before);
      expect((await client(EXECUTE, 'do_safe', PARAMS)).success).toBe(true);
    },
  );
});
