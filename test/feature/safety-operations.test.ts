import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { startDangerUpstream } from '../support/danger-upstream.js';
import { inlineServer } from '../support/inline-server.js';
import { openLoopOver } from '../support/loop-gateway.js';
import type { ReplayServer } from '../support/replay-server.js';

/** What counts for an agent are the operations that its words mean, and the words that people are shown. */
let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const tool = (description: string, properties: object) =>
  `{ tool: { description: ${JSON.stringify(description)}, inputSchema: { type: 'object', properties: ${JSON.stringify(properties)} } }, run: () => ({ content: [{ type: 'text', text: 'ran' }] }) }`;
const ID = { id: { type: 'string' } };

const shop = inlineServer(
  `{
    create_invoice: ${tool('Creates an invoice that bills a customer', { customer: { type: 'string' } })},
    update_price: ${tool('Sets the price of a product', { id: { type: 'string' }, price: { type: 'number' } })},
    delete_user: ${tool('Deletes a user', ID)},
    deploy_docs: ${tool('Deploys the documentation', ID)},
    git_push: ${tool('Pushes commits to a remote', ID)},
    get_secret: ${tool('Gets a secret', ID)},
    run_query: ${tool('Execute a raw SQL query on the SQLite database.', { sql: { type: 'string' } })},
    manage_note: ${tool('Manages notes', { method: { type: 'string', enum: ['get', 'create', 'delete'] }, text: { type: 'string' } })},
  }`,
  { trust: 'certified' },
);

const openLoop = (loop: object) => openLoopOver(upstream, { loop: { ...loop }, more: { mcpServers: { shop } } });
const UNREPORTED = { code: 'PERMISSION_DENIED', details: { reason: 'unreported_action' } };
const DENIED = { code: 'PERMISSION_DENIED', details: { reason: 'denied_action' } };

it('runs nothing that a pattern stands for, in whatever words an agent reports it', async () => {
  const loop = await openLoop({
    riskTolerance: 'aggressive',
    deny: ['create_invoice', 'delete_*', 'git push*'],
    requiresApproval: ['update_*'],
  });
  const alice = await loop.connect('alice');
  await alice.start('helper');
  const runs = async (hint: string, operation: string, params: JsonObject) => {
    await alice.step('helper', hint);
    return (await alice.call(operation, params)).error;
  };
  const customer = { customer: 'x' };
  for (const words of ['bill the customer Acme', 'an invoice for Acme', 'create%5finvoice', 'create an invoice'])
    expect(await runs(words, 'create_invoice', customer), words).toMatchObject(DENIED);
  for (const words of ['user 1 leaves', 'user', 'let go of user 1'])
    expect(await runs(words, 'delete_user', { id: '1' }), words).toMatchObject(DENIED);
  expect(await runs('bring the commits to the remote', 'git_push', { id: '1' })).toMatchObject(DENIED);
  for (const words of ['set the price of product 1', 'the price of a product'])
    expect(await runs(words, 'update_price', { id: '1', input: { price: 1 } }), words).toMatchObject(UNREPORTED);
});

it('blocks an agent that names an operation which a pattern stands for by the name of its tool', async () => {
  const loop = await openLoop({ deny: ['manage_note', 'git push*'] });
  const [alice, bob] = [await loop.connect('alice'), await loop.connect('bob')];
  await alice.start('helper');
  expect((await alice.step('helper', 'calling shop__create_note')).data).toMatchObject({ stopped: true });
  await bob.start('helper');
  expect((await bob.step('helper', 'calling git_push')).data).toMatchObject({ stopped: true });
});

it('holds the reads of an agent too that a pattern stands for', async () => {
  const loop = await openLoop({ deny: ['get_secret'], requiresApproval: ['run_query'] });
  const alice = await loop.connect('alice');
  const read = () => alice.call('run_query_read_only', { sql: 'SELECT 1' });
  expect(await alice.call('get_secret', { id: '1' })).toMatchObject({ success: true });
  await alice.start('helper');
  expect((await alice.call('get_secret', { id: '1' })).error).toMatchObject(DENIED);
  expect((await read()).error).toMatchObject(UNREPORTED);
  expect((await alice.step('helper', 'calling run_query_read_only')).data).toMatchObject({ continue: false });
});

it.each([
  'deploy_docs password=delete_user',
  'deploy_docs token="calling delete_user 1 too"',
  'deploy_docs Authorization: Bearer delete_user',
  'deploy_docs {"api_key": "delete_user 1"}',
  `deploy_docs ${'to the first of the pages, '.repeat(60)}delete_user ${'and then to the last ones, '.repeat(60)}`,
])('grants by an agreement what people were shown, and no more: %.60s', async (hint) => {
  const loop = await openLoop({ requiresApproval: ['deploy*'], riskTolerance: 'aggressive' });
  const alice = await loop.connect('alice');
  await alice.start('helper');
  expect((await alice.step('helper', hint)).data).toMatchObject({ continue: false });
  const { body } = await loop.admin('/admin/agents');
  const shown = JSON.stringify(body.challenges[0]);
  expect(shown).not.toContain('delete_user');
  expect(body.challenges[0].factors).toContainEqual(
    expect.stringMatching(/^an agreement opens one call each of: 'deploy_docs' \(\w+\)$/),
  );
  await loop.admin(`/admin/agents/challenges/${body.challenges[0].id}/agree`, {});
  expect((await alice.step('helper', hint)).data).toMatchObject({ continue: true });
  expect((await alice.call('delete_user', { id: '1' })).error).toMatchObject(UNREPORTED);
  expect(await alice.call('deploy_docs', { id: '1' })).toMatchObject({ success: true });
});

it('refuses everything of a blocked client that reaches a server, reads and resources included', async () => {
  const loop = await openLoop({ deny: ['rm -rf*'] });
  const alice = await loop.connect('alice');
  await alice.start('helper');
  expect((await alice.step('helper', 'rm -rf /')).data).toMatchObject({ stopped: true });
  const blocked = { code: 'PERMISSION_DENIED', details: { reason: 'agent_blocked' } };
  expect((await alice.call('get_secret', { id: '1' })).error).toMatchObject(blocked);
  expect((await alice.call('run_query_read_only', { sql: 'SELECT 1' })).error).toMatchObject(blocked);
  expect((await alice.call('run_query', { sql: 'SELECT 1' })).error).toMatchObject(blocked);
  expect(await alice.call('introspect', { query: 'operations' })).toMatchObject({ success: true });
});
