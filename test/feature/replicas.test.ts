import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type LeanAnswer, type LeanCall, leanCaller } from '../support/lean-client.js';
import { callMessage, envelopeOf, initializeMessage, sendHttp } from '../support/raw-http.js';
import { NO_REDIS, REDIS_BINARY, type RedisServer, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const ANN = 'ann-has-a-long-token-01';
const BOB = 'bob-has-a-long-token-02';
const READ = 'mcp_aql_read';
const ROWS = 2_000;
const QUOTA = 10;

describe.skipIf(REDIS_BINARY === undefined)(`gateways that share one Redis (${NO_REDIS})`, () => {
  let redis: RedisServer;
  let danger: ReplayServer;
  let rows: RowsUpstream;
  let replicas: readonly ServedGateway[];
  const urls = (count: number): readonly string[] => replicas.slice(0, count).map(({ url }) => url);

  beforeAll(async () => {
    [redis, danger, rows] = await Promise.all([
      startRedisServer(),
      startDangerUpstream(),
      startRowsUpstream(makeRows(ROWS)),
    ]);
    const config = {
      store: { url: redis.url, sharedBytesPerClient: 8 * 1_048_576 },
      credentials: { key: 'the-key-of-what-is-kept-in-the-store' },
      clients: { ann: { token: ANN }, bob: { token: BOB } },
      policy: { confirmation: { maxIssuedPerMinute: 10_000, maxFailuresPerMinute: 10_000 } },
      quotas: {
        limits: [{ name: 'few', match: { operation: 'do_safe' }, metric: 'requests_per_day', hard_stop: QUOTA }],
      },
      mcpServers: { demo: dangerEntry(danger), rows: { url: rows.url } },
    };
    replicas = await Promise.all([1, 2, 3].map(() => serveGateway(config)));
  });

  afterAll(async () => {
    const opened = [...(replicas ?? []), rows, danger, redis];
    for (const each of opened) await each?.[Symbol.asyncDispose]();
  });

  it('any of them answers the next call', async () => {
    const drawn = fc.record({
      count: fc.constantFrom(2, 3),
      connect: fc.constantFrom(modernCaller, legacyCaller),
      scenario: fc.constantFrom(...Object.values(SCENARIOS)),
      picks: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
    });
    const property = fc.asyncProperty(drawn, async ({ count, connect, scenario, picks }) => {
      const pick = picker(urls(count), picks);
      const ann = await connect(pick, ANN);
      const bob = await connect(pick, BOB);
      await scenario(ann, bob);
    });
    const every = Object.values(SCENARIOS).flatMap((scenario) =>
      [modernCaller, legacyCaller].map((connect) => ({ count: 3, connect, scenario, picks: [0, 1, 2] })),
    );
    await fc.assert(property, { numRuns: 20, examples: every.map((each) => [each]) });
  });

  it('one quota holds for calls to all of them', async () => {
    const calls = urls(3).map((url) => leanCaller(url, ANN));
    const answers = await Promise.all(
      Array.from({ length: 3 * QUOTA }, (_, index) => calls[index % 3]?.(EXECUTE, 'do_safe', { path: '/a' })),
    );
    expect(answers.filter((answer) => answer?.success === true)).toHaveLength(QUOTA);
  });

  it('a session that its client has ended, or that is of another client, is taken over by none of them', async () => {
    const [one = '', two = ''] = urls(2);
    const bearer = { authorization: `Bearer ${ANN}` };
    const opened = await sendHttp(one, { headers: bearer, body: initializeMessage() });
    const session = { ...bearer, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const stranger = { ...session, authorization: `Bearer ${BOB}` };
    expect((await sendHttp(two, { headers: stranger, body: callMessage(2) })).status).toBe(404);
    expect((await sendHttp(one, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await sendHttp(two, { headers: session, body: callMessage(3) })).status).toBe(404);
  });

  it('a session that its client has ended in one ends in those that have it too', async () => {
    const [one = '', two = ''] = urls(2);
    const bearer = { authorization: `Bearer ${ANN}` };
    const opened = await sendHttp(one, { headers: bearer, body: initializeMessage() });
    const headers = { ...bearer, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const callTwo = async () => (await sendHttp(two, { headers, body: callMessage(2) })).status;
    expect(await callTwo()).toBe(200);
    expect((await sendHttp(one, { method: 'DELETE', headers })).status).toBe(200);
    await expect.poll(callTwo).toBe(404);
  });

  it('what a client has goes on when the gateway that gave it stops', async () => {
    const [one, two] = replicas;
    if (one === undefined || two === undefined) throw new Error('no gateways');
    let target = one.url;
    const ann = await legacyCaller(() => target, ANN);
    const page = await ann(READ, 'list_rows', { first: 5 });
    const token = tokenOf(await ann(EXECUTE, 'do_destructive', { path: '/b' }));
    one.process.kill('SIGTERM');
    await once(one.process, 'exit');
    target = two.url;
    const next = await ann(READ, 'list_rows', { first: 5, after: endOf(page) });
    expect(idsOf(next)).toEqual([6, 7, 8, 9, 10]);
    expect((await ann(EXECUTE, 'do_destructive', { path: '/b', _confirmation: token })).success).toBe(true);
  });
});

type Pick = () => string;
type Scenario = (ann: LeanCall, bob: LeanCall) => Promise<void>;

/** What a client does in several calls, each of which goes to another replica. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async pages(ann, bob) {
    const found: unknown[] = [];
    let answer = await ann(READ, 'list_rows', { team: 'team1', first: 150 });
    const cursor = endOf(answer);
    while (answer.data.pageInfo.hasNextPage === true) {
      found.push(...idsOf(answer));
      answer = await ann(READ, 'list_rows', { team: 'team1', first: 150, after: endOf(answer) });
    }
    found.push(...idsOf(answer));
    const all = makeRows(ROWS).filter(({ owner }) => owner.team === 'team1');
    expect(found).toEqual(all.map(({ id }) => id));
    const other = await bob(READ, 'list_rows', { team: 'team1', first: 150, after: cursor });
    expect(other.error?.code).toBe('VALIDATION_INVALID_VALUE');
  },
  async results(ann, bob) {
    const whole = await ann(READ, 'list_rows', {});
    const handle = /res_[\w-]+/.exec(JSON.stringify(whole.warnings))?.[0] ?? '';
    for (const index of [0, ROWS / 2, ROWS - 1]) {
      const part = await ann(READ, 'introspect', { query: 'result', name: handle, path: `rows[${index}].id` });
      expect(part.data.value).toBe(index + 1);
    }
    const other = await bob(READ, 'introspect', { query: 'result', name: handle });
    expect(other.error?.message).toContain('it belongs to another session');
  },
  async operations(ann) {
    const names: string[] = [];
    let after: string | null | undefined;
    do {
      const { data } = await ann(READ, 'introspect', { query: 'operations', first: 3, ...(after && { after }) });
      names.push(...data.operations.map(({ name }: { readonly name: string }) => name));
      after = data._protocol.page.after;
      // What is used most changes meanwhile, in some of the replicas.
      await ann(READ, 'get_row', { id: 1 });
    } while (after !== null);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(12);
  },
  async tokens(ann, bob) {
    const token = tokenOf(await ann(EXECUTE, 'do_destructive', { path: '/a' }));
    const params = { path: '/a', _confirmation: token };
    expect((await bob(EXECUTE, 'do_destructive', params)).success).toBe(false);
    const answers = await Promise.all([1, 2, 3].map(() => ann(EXECUTE, 'do_destructive', params)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect((await ann(EXECUTE, 'do_destructive', params)).error?.code).toBe('TOKEN_ALREADY_USED');
  },
};

function picker(urls: readonly string[], picks: readonly number[]): Pick {
  let turn = 0;
  return () => urls[(picks[turn++ % picks.length] ?? 0) % urls.length] ?? '';
}

/** A client of 2026-07-28, which has no session. */
async function modernCaller(pick: Pick, token: string): Promise<LeanCall> {
  return (...call) => leanCaller(pick(), token)(...call);
}

/** A client of 2025-11-25, whose session any replica goes on with. */
async function legacyCaller(pick: Pick, token: string): Promise<LeanCall> {
  const headers = { authorization: `Bearer ${token}` };
  const opened = await sendHttp(pick(), { headers, body: initializeMessage() });
  const session = { ...headers, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  return async (tool, operation, params: JsonObject = {}) => {
    const message = { ...callMessage(2), params: { name: tool, arguments: { operation, params } } };
    const { json } = await sendHttp(pick(), { headers: session, body: message });
    return envelopeOf(json) as LeanAnswer & JsonObject;
  };
}

const tokenOf = ({ error }: LeanAnswer): string => String(error?.details?.['confirmation_token']);
const endOf = ({ data }: LeanAnswer): string => data.pageInfo.endCursor;
const idsOf = ({ data }: LeanAnswer): readonly unknown[] => data.items.map(({ id }: { readonly id: number }) => id);
