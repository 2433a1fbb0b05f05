import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { CLIENT_KINDS, connectAsked } from '../support/asked-client.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

let server: ToolServer;
let live: LiveGateway;

afterEach(async () => {
  await live?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

type Rule = { readonly decision: string; readonly requires?: string; readonly reason?: string };

const OPERATOR = 'operator-has-a-long-token';

const ASKS: Rule = { decision: 'confirm', requires: 'human' };

const configOf = (rule: Rule, more: object = {}) => ({
  endpoint: { mode: 'single' },
  policy: { rules: [{ match: { operation: 'delete_note' }, ...rule }] },
  mcpServers: { notes: { url: server.url } },
  ...more,
});

async function open(configure: () => object = () => configOf(ASKS)): Promise<void> {
  const properties = { id: { type: 'string' } };
  server = await startToolServer([
    { name: 'delete_note', properties, writes: true, answer: () => textBlocks('deleted') },
    { name: 'list_notes', answer: () => textBlocks('[]') },
  ]);
  live = await openLiveGateway(configure());
}

/** A user who reloads the gateway while the question is open, and then agrees. */
const agreeAfter = (change: () => Promise<unknown>) => async (): Promise<JsonObject> => {
  await change();
  return { action: 'accept', content: { approve: true } };
};

const CHANGES: readonly (readonly [string, () => object])[] = [
  ['denies it', () => configOf({ decision: 'deny', reason: 'no more' })],
  ['asks for it in another way', () => configOf({ ...ASKS, reason: 'another' })],
  ['has no such server', () => configOf(ASKS, { mcpServers: {} })],
];

it.each(CLIENT_KINDS)('a user of %s agrees to nothing under a configuration that has changed since', async (kind) => {
  await open();
  for (const [, change] of CHANGES) {
    await live.reload(configOf(ASKS));
    const elicit = agreeAfter(() => live.reload(change()));
    await using asked = await connectAsked(kind, { url: live.url }, { elicit });
    const answer = await asked.call('delete_note', { id: '1' });
    expect(answer.success).toBe(false);
    expect(server.calls).toEqual([]);
  }
});

it.each(CLIENT_KINDS)('a user of %s agrees to no batch under a configuration that has changed since', async (kind) => {
  await open();
  for (const [, change] of CHANGES) {
    await live.reload(configOf(ASKS));
    const elicit = agreeAfter(() => live.reload(change()));
    await using asked = await connectAsked(kind, { url: live.url }, { elicit });
    await asked.batch(['1', '2'].map((id) => ({ operation: 'delete_note', params: { id } })));
    expect(server.calls).toEqual([]);
  }
});

it('an operator agrees to nothing under a configuration that has changed since', async () => {
  const approvals = { mode: 'wait', waitSeconds: 60, elicitation: false, operators: { eve: { token: OPERATOR } } };
  const config = (rule: Rule) => {
    const { policy, ...rest } = configOf(rule);
    return { ...rest, policy: { ...policy, approvals } };
  };
  await open(() => config(ASKS));
  const client = await live.connect('http', 'legacy');
  const calling = live.call(client, 'delete_note', { id: '1' });
  await expect.poll(() => live.gateway.approvals?.list().then(({ length }) => length)).toBe(1);
  const [waiting] = (await live.gateway.approvals?.list()) ?? [];
  await live.reload(config({ decision: 'deny', reason: 'no more' }));
  await live.gateway.approvals?.decide(waiting?.id ?? '', 'approved', { name: 'eve', way: 'http' });
  expect((await calling).success).toBe(false);
  expect(server.calls).toEqual([]);
});

it.each(CLIENT_KINDS)('a user of %s agrees to nothing in a view that has it no more', async (kind) => {
  const views = (operations: object) => ({ views: { team: { operations } } });
  await open(() => configOf(ASKS, views({})));
  const elicit = agreeAfter(() => live.reload(configOf(ASKS, views({ exclude: 'delete_note' }))));
  await using asked = await connectAsked(kind, { url: `${live.url}/team` }, { elicit });
  expect((await asked.call('delete_note', { id: '1' })).success).toBe(false);
  expect(server.calls).toEqual([]);
});
