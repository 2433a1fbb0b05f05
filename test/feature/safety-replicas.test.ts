import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { behaviourServer } from '../support/behaviours.js';
import { dangerEntry, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { type LeanAnswer, leanCaller } from '../support/lean-client.js';
import { waitFor } from '../support/patience.js';
import { NO_REDIS, REDIS_BINARY, type RedisServer, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';
import { startReceiver, type WebhookReceiver } from '../unit/policy/approvals/webhook-receiver.js';

const TOKENS = { alice: 'alice-has-a-long-token', bob: 'bob-has-a-long-token-02' };
const BACKGROUND = { _execution: { background: true } };

let danger: ReplayServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [danger, receiver] = await Promise.all([startDangerUpstream(), startReceiver()]);
});

afterAll(async () => {
  for (const each of [danger, receiver]) await each?.[Symbol.asyncDispose]();
});

const configOf = (store: object): object => ({
  store,
  clients: Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }])),
  endpoint: { mode: 'single' },
  executions: { enabled: true },
  safetyLoop: {
    mode: 'enforcing',
    startApproval: 'none',
    deny: ['drop_*'],
    challenge: { channels: { webhook: { url: `${receiver.url}/codes`, secret: 'a-secret-of-the-webhook' } } },
  },
  mcpServers: {
    demo: dangerEntry(danger, 'certified'),
    behaviour: { ...behaviourServer(), operations: { '*': { category: 'EXECUTE', danger: 'safe' } } },
  },
});

function clientOf({ url }: ServedGateway, who: keyof typeof TOKENS) {
  const lean = leanCaller(url, TOKENS[who]);
  const call = (operation: string, params: JsonObject = {}): Promise<LeanAnswer> => lean('mcp_aql', operation, params);
  return {
    call,
    start: (element_name: string) => call('execute_agent', { element_name }),
    step: (element_name: string, next_action_hint: string) =>
      call('record_execution_step', { element_name, next_action_hint }),
    statusOf: (execution_id: string) => call('get_execution_status', { execution_id }),
    begin: async (operation: string, params: JsonObject = {}): Promise<string> => {
      const { data, error } = await call(operation, { ...params, ...BACKGROUND });
      expect(error).toBeUndefined();
      return data.execution_id;
    },
  };
}

const challengeIn = ({ data }: LeanAnswer): string =>
  /"verificationId":"(?<id>[^"]+)"/.exec(JSON.stringify(data))?.groups?.['id'] ?? '';

async function codeOf(challenge: string): Promise<string> {
  return waitFor(() => {
    const post = receiver.posts.map(({ body }) => JSON.parse(body)).find((each) => each.challenge.id === challenge);
    expect(post).toBeDefined();
    return post.code;
  });
}

describe.skipIf(REDIS_BINARY === undefined)(`two gateways over one Redis (${NO_REDIS})`, () => {
  let redis: RedisServer;
  let one: ServedGateway;
  let two: ServedGateway;

  beforeAll(async () => {
    redis = await startRedisServer();
    const config = configOf({ type: 'redis', url: redis.url });
    [one, two] = await Promise.all([serveGateway(config), serveGateway(config)]);
  });

  afterAll(async () => {
    for (const each of [one, two, redis]) await each?.[Symbol.asyncDispose]();
  });

  it('hold a client at both, and end what holds it at either', async () => {
    const [alice, elsewhere, bob] = [clientOf(one, 'alice'), clientOf(two, 'alice'), clientOf(two, 'bob')];
    await bob.start('watcher');
    await alice.start('cleaner');

    // The steps of its agent are known where it runs.
    const outside = await elsewhere.call('do_reversible', { path: '/a' });
    expect(outside.error).toMatchObject({ code: 'PERMISSION_DENIED', details: { reason: 'unreported_action' } });
    expect(outside.error?.message).toContain('in another gateway');

    const challenge_id = challengeIn(await alice.step('cleaner', 'calling drop_table users'));
    for (const refused of [
      await elsewhere.start('another'),
      await elsewhere.call('do_reversible', { path: '/a' }),
      await alice.start('another'),
    ]) {
      expect(refused.error?.details).toMatchObject({ reason: 'agent_blocked', verification_id: challenge_id });
    }
    expect(challengeIn(await bob.step('watcher', 'reading a.txt'))).toBe(challenge_id);

    const code = await codeOf(challenge_id);
    expect((await elsewhere.call('verify_challenge', { challenge_id, code })).data).toMatchObject({ unblocked: true });
    expect((await alice.step('cleaner', 'reading a.txt')).data).toMatchObject({ continue: true });
    await alice.call('complete_execution', { element_name: 'cleaner' });
  });

  it('know the executions of each other: their progress, their results, and how to cancel them', async () => {
    const [here, there, bob] = [clientOf(one, 'alice'), clientOf(two, 'alice'), clientOf(two, 'bob')];
    const [held, done] = [
      await here.begin('hold', { key: 'held' }),
      await here.begin('progress', { steps: 2, every_ms: 20 }),
    ];

    expect((await there.statusOf(held)).data).toMatchObject({ status: 'running', operation: 'behaviour__hold' });
    const ended = await there.call('get_execution_status', { execution_id: done, wait_seconds: 20 });
    expect(ended.data).toMatchObject({ status: 'completed', result: { success: true, data: 'done' } });
    const { executions } = (await there.call('list_executions')).data;
    expect(executions.map((each: JsonObject) => each['execution_id'])).toEqual(expect.arrayContaining([held, done]));
    expect((await bob.call('cancel_execution', { execution_id: held })).error?.code).toBe('NOT_FOUND_RESOURCE');

    expect((await there.call('cancel_execution', { execution_id: held })).data).toMatchObject({ status: 'cancelled' });
    expect((await here.statusOf(held)).data).toMatchObject({ status: 'cancelled' });

    const agent = (await here.start('helper')).data.execution_id;
    expect((await there.call('cancel_execution', { execution_id: agent })).data).toMatchObject({ agent: 'helper' });
    expect((await here.step('helper', 'reading a.txt')).error?.code).toBe('NOT_FOUND_RESOURCE');
  });
});

it('after a kill keeps ends and blocks, and gives what ran an end: agents, calls and pauses', async () => {
  await using directory = await makeDirectory();
  const config = configOf({ type: 'sqlite' });
  const before = await serveGateway(config, { directory: directory.path });
  onTestFinished(() => before[Symbol.asyncDispose]());
  const [alice, bob] = [clientOf(before, 'alice'), clientOf(before, 'bob')];
  const [done, held] = [await alice.begin('counter'), await alice.begin('hold', { key: 'killed' })];
  await alice.call('get_execution_status', { execution_id: done, wait_seconds: 20 });
  const agent = (await alice.start('cleaner')).data.execution_id;
  const challenge_id = challengeIn(await alice.step('cleaner', 'calling drop_table users'));
  await bob.start('painter');
  expect(challengeIn(await bob.step('painter', 'calling do_dangerous on /notes'))).not.toBe('');
  // A code that was not sent before the kill is lost with the gateway.
  const code = await codeOf(challenge_id);
  const exited = once(before.process, 'exit');
  before.process.kill('SIGKILL');
  await exited;

  await using after = await serveGateway(config, { directory: directory.path });
  const [back, bobBack] = [clientOf(after, 'alice'), clientOf(after, 'bob')];

  expect((await back.statusOf(done)).data).toMatchObject({ status: 'completed' });
  for (const id of [held, agent]) {
    expect((await back.statusOf(id)).data).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('Its gateway ended before it') },
    });
  }
  expect((await back.call('retry_execution', { execution_id: held })).error?.details).toMatchObject({
    reason: 'agent_blocked',
  });
  for (const name of ['cleaner', 'another']) {
    expect((await back.start(name)).error?.details).toMatchObject({ verification_id: challenge_id });
  }
  expect((await back.call('verify_challenge', { challenge_id, code })).data).toMatchObject({ unblocked: true });
  expect((await back.start('cleaner')).data).toMatchObject({ status: 'running' });
  // A pause ends with its agent.
  await bobBack.start('painter');
  expect((await bobBack.step('painter', 'reading a.txt')).data).toMatchObject({ continue: true });
});
