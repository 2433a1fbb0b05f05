import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { type LeanAnswer, leanCaller } from '../support/lean-client.js';
import { callMessage, initializeMessage, sendHttp } from '../support/raw-http.js';
import { NO_REDIS, REDIS_BINARY, type RedisServer, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';
import { runCli } from '../support/run-cli.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const ANN = 'ann-has-a-long-token-01';
const OPERATOR = 'operator-has-a-long-token';
const READ = 'mcp_aql_read';
const MINUTE_AHEAD = 'data:text/javascript,const{now}=Date;Date.now=()=>now()+60000';

describe.skipIf(REDIS_BINARY === undefined)(`gateways of one Redis, when something is wrong (${NO_REDIS})`, () => {
  let redis: RedisServer;
  let danger: ReplayServer;
  let rows: RowsUpstream;
  let one: ServedGateway;
  let ahead: ServedGateway;
  let different: ServedGateway;

  beforeAll(async () => {
    [redis, danger, rows] = await Promise.all([
      startRedisServer(),
      startDangerUpstream(),
      startRowsUpstream(makeRows(2_000)),
    ]);
    const config = {
      store: { url: redis.url },
      credentials: { key: 'the-key-of-what-is-kept-in-the-store' },
      clients: { ann: { token: ANN } },
      executions: { enabled: true },
      policy: {
        rules: [{ match: { operation: 'do_reversible' }, decision: 'confirm', requires: 'human' }],
        approvals: { operators: { omar: { token: OPERATOR } } },
      },
      mcpServers: { demo: dangerEntry(danger), rows: { url: rows.url } },
    };
    [one, ahead] = await Promise.all([
      serveGateway(config),
      serveGateway(config, { nodeArgs: ['--import', MINUTE_AHEAD] }),
    ]);
    different = await serveGateway({
      ...config,
      credentials: { key: 'another-key-of-what-is-kept-in-the-store' },
      mcpServers: { rows: { url: rows.url } },
    });
  });

  afterAll(async () => {
    for (const each of [one, ahead, different, rows, danger, redis]) await each?.[Symbol.asyncDispose]();
  });

  const at = ({ url }: ServedGateway) => leanCaller(url, ANN);
  const readiness = async ({ url }: ServedGateway) =>
    (await sendHttp(new URL('/readyz', url).href, { method: 'GET' })).json;

  it('name another one that has another configuration or key, and what comes of it', async () => {
    await different.logged(
      'has another configuration: confirmations that one of them asks for are refused by the other',
    );
    await different.logged("has another 'credentials.key': large results of one of them are not found by the other");
    expect(different.stderr()).toContain(`:${one.process.pid}'`);
    expect(await readiness(different)).toMatchObject({ status: 'ready', replicas: 'degraded' });
    await one.logged(`:${different.process.pid}' shares this store and has another configuration`);
    expect(one.stderr()).not.toContain(`:${ahead.process.pid}'`);

    const told = '2 other gateways share the store, 1 of them configured differently';
    await expect.poll(async () => (await statusOf(one)).stdout).toContain(told);
    const { replicas } = JSON.parse((await statusOf(one, '--json')).stdout)[0].status.state;
    expect(replicas).toMatchObject({ state: 'degraded', same: 1, different: 1 });
    const visitor = new ConsoleVisitor(one.url);
    await visitor.signIn(OPERATOR);
    expect((await visitor.get('upstreams')).html).toContain(told);

    const whole = await at(one)(READ, 'list_rows', {});
    const handle = /res_[\w-]+/.exec(JSON.stringify(whole.warnings))?.[0] ?? '';
    const part = await at(different)(READ, 'introspect', { query: 'result', name: handle });
    expect(part.error).toMatchObject({ code: 'INTROSPECTION_ERROR', message: expect.stringContaining(handle) });
  });

  it('go on from the cursor of another catalog in their own', async () => {
    const first = await at(one)(READ, 'introspect', { query: 'operations', first: 3 });
    const { after } = first.data._protocol.page;
    const next = await at(different)(READ, 'introspect', { query: 'operations', first: 3, after });
    const namesOf = ({ data }: LeanAnswer) => data.operations.map(({ name }: { readonly name: string }) => name);
    const own = namesOf(await at(different)(READ, 'introspect', { query: 'operations', first: 100 }));
    expect(namesOf(next).length).toBeGreaterThan(0);
    expect(own).toEqual(expect.arrayContaining(namesOf(next)));
    expect(namesOf(first)).not.toEqual(expect.arrayContaining(namesOf(next)));
  });

  it('redeem the tokens of each other though their clocks differ by a minute', async () => {
    for (const [from, to] of [
      [one, ahead],
      [ahead, one],
    ] as const) {
      const token = tokenOf(await at(from)(EXECUTE, 'do_destructive', { path: '/a' }));
      const answer = await at(to)(EXECUTE, 'do_destructive', { path: '/a', _confirmation: token });
      expect(answer.error).toBeUndefined();
    }
    const whole = await at(ahead)(READ, 'list_rows', {});
    const handle = /res_[\w-]+/.exec(JSON.stringify(whole.warnings))?.[0] ?? '';
    const part = await at(one)(READ, 'introspect', { query: 'result', name: handle, path: 'rows[7].id' });
    expect(part.data.value).toBe(8);
  });

  it('go on with their sessions when Redis has lost everything, and say of a token that it is gone', async () => {
    const bearer = { authorization: `Bearer ${ANN}` };
    const opened = await sendHttp(one.url, { headers: bearer, body: initializeMessage() });
    const headers = { ...bearer, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const token = tokenOf(await at(one)(EXECUTE, 'do_destructive', { path: '/b' }));
    await redis.kill();
    await redis.start();
    const call = (params: object) => at(one)(EXECUTE, 'do_destructive', { path: '/b', ...params });
    await expect.poll(async () => (await call({})).error?.code).toBe('CONFIRMATION_REQUIRED');
    expect((await sendHttp(one.url, { headers, body: callMessage(2) })).status).toBe(200);
    expect((await call({ _confirmation: token })).error?.code).toBe('TOKEN_INVALID');
    const fresh = tokenOf(await call({}));
    expect((await call({ _confirmation: fresh })).success).toBe(true);
    expect(one.stderr() + ahead.stderr()).not.toContain('defect');
  });

  it('serve reads while Redis is away, and say of all else when to send it again', async () => {
    const first = await at(one)(READ, 'list_rows', { first: 5 });
    const { endCursor: after } = first.data.pageInfo;
    const handle = /res_[\w-]+/.exec(JSON.stringify((await at(one)(READ, 'list_rows', {})).warnings))?.[0] ?? '';
    const begun = await at(one)(READ, 'get_row', { id: 1, _execution: { background: true } });
    const { execution_id } = begun.data;
    await redis.kill();
    const details = { reason: 'unavailable', retryable: true, outcome: 'not_run', retry_after_seconds: 2 };
    const again = { code: 'INTERNAL_ERROR', message: expect.stringContaining('Send it again in 2 seconds'), details };
    expect((await at(ahead)(READ, 'get_row', { id: 1 })).success).toBe(true);
    // What the other one has kept is not lost: it cannot be looked up.
    expect((await at(ahead)(READ, 'list_rows', { first: 5, after })).error).toMatchObject(again);
    expect((await at(ahead)(READ, 'introspect', { query: 'result', name: handle })).error).toMatchObject(again);
    expect((await at(ahead)(READ, 'get_execution_status', { execution_id })).error).toMatchObject(again);
    expect((await at(ahead)(READ, 'list_executions', {})).error).toMatchObject(again);
    expect((await at(ahead)(EXECUTE, 'do_destructive', { path: '/d' })).error).toMatchObject(again);
    expect((await at(one)(READ, 'list_rows', { first: 5, after })).data.items).toHaveLength(5);
    expect(await readiness(ahead)).toMatchObject({ status: 'ready', store: 'failing' });
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const listed = await sendHttp(new URL('/admin/approvals', ahead.url).href, { method: 'GET', headers });
    expect([listed.status, listed.headers['retry-after'], listed.json.error.code]).toEqual([503, '2', 'UNAVAILABLE']);
    await redis.start();
    for (const each of [one, ahead]) await expect.poll(async () => (await readiness(each)).store).toBe('ok');
    expect(one.stderr() + ahead.stderr()).not.toContain('defect');
  });

  it('decide and run once what a killed one has asked a person for', async () => {
    const params = { path: '/c' };
    const asked = await at(one)(EXECUTE, 'do_reversible', params);
    const { id } = Object(asked.error?.details?.['approval']);
    const exited = once(one.process, 'exit');
    one.process.kill('SIGKILL');
    await exited;
    const before = danger.calls.length;
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const approve = new URL(`/admin/approvals/${id}/approve`, ahead.url).href;
    expect((await sendHttp(approve, { method: 'POST', headers, body: {} })).status).toBe(200);
    const call = () => at(ahead)(EXECUTE, 'do_reversible', { ...params, _confirmation: tokenOf(asked) });
    expect((await call()).success).toBe(true);
    expect((await call()).error?.code).toBe('TOKEN_ALREADY_USED');
    expect(danger.calls).toHaveLength(before + 1);
  });
});

const statusOf = ({ url }: ServedGateway, ...flags: readonly string[]) =>
  runCli(['status', '--url', new URL(url).origin, '--token', OPERATOR, ...flags], {});
const tokenOf = ({ error }: LeanAnswer): string => String(error?.details?.['confirmation_token']);
