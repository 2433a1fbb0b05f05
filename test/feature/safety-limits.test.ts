import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { startDangerUpstream } from '../support/danger-upstream.js';
import { challengeIn, type LoopSettings, openLoopOver, WRONG_CODE } from '../support/loop-gateway.js';
import type { ReplayServer } from '../support/replay-server.js';

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const openLoop = (settings: LoopSettings = {}) => openLoopOver(upstream, settings);

/** Lets the clock of the gateway be set; its timers run on. */
function holdClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.setSystemTime(Date.now() + ms);
}

it('holds by tier, and below that by the tolerance of all or of one agent (points 7 and 8)', async () => {
  const agents = { careful: { riskTolerance: 'conservative' }, bold: { riskTolerance: 'aggressive' } };
  const loop = await openLoop({ loop: { agents } });
  const bob = await loop.connect('bob');
  for (const [agent, hint, held, tier] of [
    ['careful', 'calling do_reversible', undefined, 'advisory'],
    ['careful', 'calling do_destructive', false, 'confirm'],
    ['plain', 'calling do_destructive', false, 'confirm'],
    ['bold', 'calling do_destructive', undefined, 'confirm'],
    ['bold', 'calling do_dangerous', false, 'verify'],
    ['last', 'calling do_forbidden', true, 'danger_zone'],
  ] as const) {
    await bob.start(agent);
    const { data } = await bob.step(agent, hint);
    expect([agent, data.continue, data.stopped, data.nextStepRisk]).toEqual([
      agent,
      held === undefined,
      held === true ? true : undefined,
      tier,
    ]);
    await bob.call('abort_execution', { element_name: agent });
  }
});

it('lifts the pause of a code that comes too late, and asks anew for the same action (point 11)', async () => {
  const pass = holdClock();
  const loop = await openLoop();
  const alice = await loop.connect('alice');
  await alice.start('helper');
  const hint = 'calling do_dangerous on /notes';
  const first = challengeIn(await alice.step('helper', hint));
  expect((await alice.step('helper', 'look at a')).data).toMatchObject({ continue: false });
  pass(301_000);
  const late = await alice.call('verify_challenge', { challenge_id: first, code: await loop.codeOf(first) });
  expect(late.error?.code).toBe('TOKEN_EXPIRED');
  expect((await alice.start('other')).data).toMatchObject({ status: 'running' });
  const again = await alice.step('helper', hint);
  expect(again.data).toMatchObject({ continue: false });
  expect(challengeIn(again)).not.toBe(first);
  pass(301_000);
  expect((await alice.step('helper', 'look at a')).data).toMatchObject({ continue: true });
});

it('refuses the eleventh failed code of a minute for all agents of a client, and also where the clock goes back (point 13)', async () => {
  const pass = holdClock();
  const loop = await openLoop();
  const [alice, again] = [await loop.connect('alice'), await loop.connect('alice', 'modern')];
  await alice.start('helper');
  const challenge_id = challengeIn(await alice.step('helper', 'calling drop_table users'));
  const code = await loop.codeOf(challenge_id);
  const guess = (index: number) =>
    (index % 2 === 0 ? alice : again).call('verify_challenge', { challenge_id: `unknown-${index}`, code: WRONG_CODE });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(index)));
  const codes = answers.map(({ error }) => error?.code).sort();
  expect(codes).toEqual([...Array(10).fill('NOT_FOUND_RESOURCE'), 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']);
  const refused = await alice.call('verify_challenge', { challenge_id, code });
  expect(refused.error?.details).toMatchObject({ limit: 10, remaining: 0, window: 'minute' });
  pass(-1_000);
  expect((await alice.start('another')).error?.details).toMatchObject({ reason: 'agent_blocked' });
  pass(62_000);
  expect((await alice.call('verify_challenge', { challenge_id, code })).data).toMatchObject({ unblocked: true });
});

describe('an agent that wants out', () => {
  it('finds no way to a call that no step covers: not in a batch, by another name, or in the background', async () => {
    const more = { executions: { enabled: true } };
    const loop = await openLoop({ loop: { riskTolerance: 'aggressive' }, more });
    const alice = await loop.connect('alice');
    await alice.start('helper');
    const before = upstream.calls.length;
    const unreported = { code: 'PERMISSION_DENIED', details: { reason: 'unreported_action' } };
    const path = { path: '/a' };
    for (const [operation, params] of [
      ['do_destructive', path],
      ['demo__do_destructive', path],
      ['DoDestructive', path],
      ['do_destructive', { ...path, _execution: { background: true } }],
    ] as const) {
      const { error } = await alice.call(operation, params);
      if (error?.code !== 'NOT_FOUND_OPERATION') expect([operation, error]).toMatchObject([operation, unreported]);
    }
    expect((await alice.step('helper', 'calling do_destructive on /a')).data).toMatchObject({ continue: true });
    const { content } = await alice.client.callTool({
      name: 'mcp_aql',
      arguments: { operations: Array(3).fill({ operation: 'demo__do_destructive', params: path }) },
    });
    const { results } = JSON.parse((content as readonly { text: string }[])[0]?.text ?? '{}');
    expect(results.map(({ result }: JsonObject) => (result as JsonObject)['success'])).toEqual([true, false, false]);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('calls nothing after its end, or without one, where the operator requires agents', async () => {
    const loop = await openLoop({ loop: { requireAgent: true } });
    const alice = await loop.connect('alice');
    await alice.start('helper');
    await alice.step('helper', 'calling do_dangerous on /notes');
    await alice.call('complete_execution', { element_name: 'helper' });
    const refused = await alice.call('do_dangerous', { path: '/notes' });
    expect(refused.error).toMatchObject({ code: 'PERMISSION_DENIED', details: { reason: 'no_agent' } });
    await alice.start('helper');
    await alice.step('helper', 'calling do_reversible on /notes');
    expect((await alice.call('do_reversible', { path: '/notes' })).success).toBe(true);
  });

  it('is granted nothing that a search supposes behind an approved word', async () => {
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    await alice.start('helper');
    expect((await alice.step('helper', 'look at the notes, do something dangerous')).data).toMatchObject({
      continue: true,
    });
    expect((await alice.call('do_dangerous', { path: '/a' })).error?.details).toMatchObject({
      reason: 'unreported_action',
    });
  });

  it('is asked about anew by another name, and cannot flood people', async () => {
    // All in one minute of the limit.
    holdClock();
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    for (let index = 0; index < 25; index += 1) {
      await alice.start(`helper-${index}`);
      const held = await alice.step(`helper-${index}`, 'calling do_dangerous on /notes');
      expect(held.data).toMatchObject({ continue: false });
      await alice.call('complete_execution', { element_name: `helper-${index}` });
    }
    await loop.gateway.close();
    expect(loop.receiver.posts.length).toBeLessThanOrEqual(20);
  });

  it('gets one agreement from many answers at one time, which is good for one report', async () => {
    const loop = await openLoop();
    const [alice, bob] = [await loop.connect('alice'), await loop.connect('bob')];
    const { execution_id } = (await alice.start('helper')).data;
    await alice.step('helper', 'git push origin main');
    const answers = await Promise.all(Array.from({ length: 6 }, () => bob.call('confirm_operation', { execution_id })));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const reports = await Promise.all(Array.from({ length: 3 }, () => alice.step('helper', 'git push origin main')));
    expect(reports.filter(({ data }) => data.continue)).toHaveLength(1);
  });
});
