import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { startDangerUpstream } from '../support/danger-upstream.js';
import { challengeIn, type LoopSettings, openLoopOver, WRONG_CODE } from '../support/loop-gateway.js';
import type { ReplayServer } from '../support/replay-server.js';
import { runCommand } from '../support/run-command.js';

// The points are those of the acceptance list of the safety loop, each through the real front: 2 and 3 are in executions.test.ts, 7, 8 and the
// rest of 11 and 13 in safety-limits.test.ts, the kill of 10 and 11 in safety-replicas.test.ts.
let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const openLoop = (settings: LoopSettings = {}) => openLoopOver(upstream, settings);

describe('introspection', () => {
  it.each(['enforcing', 'monitoring', 'logging', 'disabled'] as const)(
    'shows mode %s, and offers what it has (point 1)',
    async (mode) => {
      const loop = await openLoop({ mode });
      const alice = await loop.connect('alice');
      const all = await alice.call('introspect', { query: 'operations', include: ['protocol'] });
      expect(all.data._protocol.capabilities.execution_safety_loop).toBe(mode);
      const shown = await alice.call('introspect', { query: 'operations', name: 'execute_agent' });
      if (mode !== 'disabled') {
        expect(shown.data.operation).toMatchObject({ semantic_category: 'EXECUTE' });
        expect(shown.data.operation.description).toContain('20 steps');
        return;
      }
      expect(shown.data.operation).toBeNull();
      expect((await alice.start('cleaner')).error?.code).toBe('NOT_FOUND_OPERATION');
    },
  );

  it('offers introspect and the six operations where there is no server at all (point 17)', async () => {
    const loop = await openLoop({ more: { mcpServers: {} } });
    const alice = await loop.connect('alice');
    const { data } = await alice.call('introspect', { query: 'operations' });
    expect(data.operations.map(({ name }: { name: string }) => name).sort()).toEqual([
      'abort_execution',
      'complete_execution',
      'confirm_operation',
      'execute_agent',
      'introspect',
      'record_execution_step',
      'verify_challenge',
    ]);
    await alice.start('guard');
    expect((await alice.step('guard', 'reading the notes of a.txt')).data).toMatchObject({ continue: true });
    expect((await alice.step('guard', 'executing shell command: rm -rf /srv')).data).toMatchObject({ stopped: true });
  });
});

describe('an agent that reports its steps', () => {
  it('runs from its start to its end, in either spelling of the parameters (point 16)', async () => {
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    const started = await alice.start('helper', { parameters: { goal: 'tidy' }, max_autonomous_steps: 2 });
    expect(started.data).toMatchObject({
      execution_id: expect.any(String),
      status: 'running',
      started_at: expect.any(String),
      directive: { continue: true, stepsRemaining: 2 },
    });
    expect((await alice.start('helper')).error?.code).toBe('CONFLICT_ALREADY_EXISTS');
    const camel = { element_name: 'helper', nextActionHint: 'look at a.txt', stepDescription: 'x' };
    expect((await alice.call('record_execution_step', camel)).data).toMatchObject({
      continue: true,
      stepsRemaining: 1,
    });
    const both = await alice.call('record_execution_step', { ...camel, next_action_hint: 'look at b.txt' });
    expect(both.success).toBe(false);
    const done = await alice.call('complete_execution', { element_name: 'helper', summary: 'tidy now' });
    expect(done.data).toMatchObject({ status: 'completed', execution_id: started.data.execution_id });
    expect((await alice.step('helper', 'look at a.txt')).error?.code).toBe('NOT_FOUND_RESOURCE');
    await alice.start('helper');
    expect((await alice.call('abort_execution', { element_name: 'helper' })).data).toMatchObject({
      status: 'cancelled',
    });
  });

  it('pauses beyond its steps until another client or an operator confirms, and never by its own word (points 4 and 14)', async () => {
    const loop = await openLoop({ loop: { maxAutonomousSteps: 1 } });
    const [alice, again, bob] = [await loop.connect('alice'), await loop.connect('alice'), await loop.connect('bob')];
    const { execution_id } = (await alice.start('helper')).data;
    expect((await alice.step('helper', 'look at a')).data).toMatchObject({ continue: true });
    const paused = await alice.step('helper', 'look at b');
    expect(paused.data).toMatchObject({
      continue: false,
      reason: 'Step limit exceeded',
      notifications: [{ type: 'autonomy_pause', timestamp: expect.any(String) }],
    });
    expect(paused.data).not.toHaveProperty('stopped');
    for (const self of [alice, again]) {
      const refused = await self.call('confirm_operation', { execution_id });
      expect(refused.error).toMatchObject({ code: 'PERMISSION_DENIED', details: { reason: 'self_approval' } });
    }
    expect((await alice.step('helper', 'look at b')).data).toMatchObject({ continue: false });
    expect((await bob.call('confirm_operation', { execution_id })).data).toMatchObject({ confirmed: true });
    expect((await alice.step('helper', 'look at b')).data).toMatchObject({ continue: true });
    await alice.step('helper', 'look at c');
    const { challenges } = (await loop.admin('/admin/agents')).body;
    const waiting = challenges.find((each: JsonObject) => each['execution'] === execution_id);
    expect((await loop.admin(`/admin/agents/challenges/${waiting.id}/agree`, {})).status).toBe(200);
    expect((await alice.step('helper', 'look at c')).data).toMatchObject({ continue: true });
  });

  it('pauses after a failure and for what needs approval, which a person with the code confirms (points 5 and 6)', async () => {
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    const { execution_id } = (await alice.start('helper')).data;
    expect((await alice.step('helper', 'look at a', { outcome: 'failure' })).data).toMatchObject({ continue: false });
    const { challenges } = (await loop.admin('/admin/agents')).body;
    const code = await loop.codeOf(challenges[0].id);
    expect((await alice.call('confirm_operation', { execution_id, code })).data).toMatchObject({ confirmed: true });
    expect((await alice.step('helper', 'look at a')).data).toMatchObject({ continue: true });
    expect((await alice.step('helper', 'git push origin main')).data).toMatchObject({ continue: false });
  });

  it('holds what has to be verified until the right code comes, and asks again after a wrong one (points 11 and 13)', async () => {
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    await alice.start('helper');
    const hint = 'calling do_dangerous on /notes';
    const held = await alice.step('helper', hint);
    expect(held.data).toMatchObject({ continue: false, nextStepRisk: 'verify' });
    expect(held.data).not.toHaveProperty('stopped');
    const first = challengeIn(held);
    expect(held.data.reason).toContain(first);
    const wrong = await alice.call('verify_challenge', { challenge_id: first, code: WRONG_CODE });
    expect(wrong.error?.code).toBe('TOKEN_INVALID');
    const code = await loop.codeOf(first);
    expect((await alice.call('verify_challenge', { challenge_id: first, code })).error?.code).toBe(
      'TOKEN_ALREADY_USED',
    );
    const second = challengeIn(await alice.step('helper', hint));
    expect(second).not.toBe(first);
    const right = { challenge_id: second, code: await loop.codeOf(second) };
    expect((await alice.call('verify_challenge', right)).data).toMatchObject({ verified: true, unblocked: false });
    expect((await alice.step('helper', hint)).data).toMatchObject({ continue: true });
    const before = upstream.calls.length;
    expect((await alice.call('do_dangerous', { path: '/notes' })).success).toBe(true);
    expect(upstream.calls).toHaveLength(before + 1);
  });
});

describe('a blocked agent', () => {
  it('stays blocked under every name and in every session, all agents learn of it, and a code lifts it (point 10)', async () => {
    const loop = await openLoop();
    const [alice, again, bob] = [
      await loop.connect('alice'),
      await loop.connect('alice', 'modern'),
      await loop.connect('bob'),
    ];
    await bob.start('watcher');
    await alice.start('cleaner');
    const stopped = await alice.step('cleaner', 'calling drop_table users');
    expect(stopped.data).toMatchObject({
      continue: false,
      stopped: true,
      notifications: [{ type: 'danger_zone', metadata: { verificationId: expect.any(String) } }],
    });
    const heard = await bob.step('watcher', 'look at a');
    expect(heard.data).toMatchObject({ continue: true, notifications: [{ type: 'danger_zone' }] });
    expect(challengeIn(heard)).toBe(challengeIn(stopped));
    expect(JSON.stringify(heard.data)).not.toContain('cleaner');
    for (const refused of [
      await alice.step('cleaner', 'look at a'),
      await alice.start('cleaner'),
      await alice.start('another-name'),
      await alice.call('complete_execution', { element_name: 'cleaner' }),
      await alice.call('abort_execution', { element_name: 'cleaner' }),
      await alice.call('do_reversible', { path: '/a' }),
      await again.start('another-session'),
    ]) {
      expect(refused.error).toMatchObject({
        code: 'PERMISSION_DENIED',
        details: { reason: 'agent_blocked', verification_id: challengeIn(stopped), since: expect.any(String) },
      });
    }
    expect(
      (await bob.call('verify_challenge', { challenge_id: challengeIn(stopped), code: WRONG_CODE })).error?.code,
    ).toBe('NOT_FOUND_RESOURCE');
    const code = await loop.codeOf(challengeIn(stopped));
    const lifted = await alice.call('verify_challenge', { challenge_id: challengeIn(stopped), code });
    expect(lifted.data).toMatchObject({ verified: true, unblocked: true });
    expect((await alice.step('cleaner', 'look at a')).data).toMatchObject({ continue: true });
    // What the operator denies stays denied.
    expect((await alice.step('cleaner', 'calling drop_table users')).data).toMatchObject({ stopped: true });
  });

  it('gets a new challenge with the refusal when the last one is used up, and an operator lifts the block (point 10)', async () => {
    const loop = await openLoop();
    const alice = await loop.connect('alice');
    await alice.start('cleaner');
    const first = challengeIn(await alice.step('cleaner', 'calling drop_table users'));
    await alice.call('verify_challenge', { challenge_id: first, code: WRONG_CODE });
    const refused = await alice.start('cleaner');
    expect(refused.error?.details?.['verification_id']).not.toBe(first);
    const { blocked } = (await loop.admin('/admin/agents')).body;
    expect(blocked).toMatchObject([{ subject: 'client/alice', agent: 'cleaner' }]);
    const lifted = await loop.admin('/admin/agents/unblock', { subject: 'client/alice' });
    expect(lifted).toMatchObject({ status: 200, body: { lifted: [{ agent: 'cleaner' }] } });
    expect((await alice.step('cleaner', 'look at a')).data).toMatchObject({ continue: true });
  });

  it('is listed by a command, without any code, and unblocked by one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'loop-store-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const store = { type: 'sqlite', file: join(directory, 'state.db') };
    await writeFile(join(directory, 'gateway.config.json'), JSON.stringify({ store, mcpServers: {} }));
    const agents = (...args: readonly string[]) => runCommand(['agents', ...args], { cwd: directory });
    const loop = await openLoop({ store });
    const alice = await loop.connect('alice');
    await alice.start('cleaner');
    const id = challengeIn(await alice.step('cleaner', 'calling drop_table users'));
    const { stdout } = await agents('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      blocked: [{ subject: 'client/alice', agent: 'cleaner', challenge: id }],
      challenges: [{ id, kind: 'block' }],
    });
    expect(stdout).not.toContain(await loop.codeOf(id));
    expect(await agents('unblock', 'client/bob')).toMatchObject({ code: 5 });
    expect(await agents('unblock', 'client/alice', 'cleaner')).toMatchObject({ code: 0 });
    expect((await alice.step('cleaner', 'look at a')).data).toMatchObject({ continue: true });
  });

  it('stays blocked after a restart and in another gateway over the same store, where the code lifts it too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'loop-store-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const store = { type: 'sqlite', file: join(directory, 'state.db') };
    const [here, there] = [await openLoop({ store }), await openLoop({ store })];
    const [alice, elsewhere, bob] = [
      await here.connect('alice'),
      await there.connect('alice'),
      await there.connect('bob'),
    ];
    await bob.start('watcher');
    await alice.start('cleaner');
    const challenge_id = challengeIn(await alice.step('cleaner', 'calling drop_table users'));
    expect((await elsewhere.start('cleaner')).error?.details).toMatchObject({ reason: 'agent_blocked' });
    expect(challengeIn(await bob.step('watcher', 'look at a'))).toBe(challenge_id);
    await here[Symbol.asyncDispose]();
    const restarted = await openLoop({ store });
    const back = await restarted.connect('alice');
    expect((await back.start('cleaner')).error?.details).toMatchObject({ reason: 'agent_blocked' });
    const code = await here.codeOf(challenge_id);
    expect((await elsewhere.call('verify_challenge', { challenge_id, code })).data).toMatchObject({ unblocked: true });
    expect((await back.start('cleaner')).data).toMatchObject({ status: 'running' });
  });
});

describe('calls of a session in which an agent runs', () => {
  it('pass where the last step covers them, once each and not with more danger, and reads pass freely', async () => {
    const loop = await openLoop({ loop: { riskTolerance: 'aggressive' } });
    const alice = await loop.connect('alice');
    expect((await alice.call('do_destructive', { path: '/a' })).success).toBe(true);
    await alice.start('helper');
    const unreported = await alice.call('do_destructive', { path: '/a' });
    expect(unreported.error).toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { reason: 'unreported_action', operation: 'do_destructive' },
    });
    expect(unreported.error?.message).toContain('record_execution_step');
    expect((await alice.step('helper', 'calling do_destructive on /a')).data).toMatchObject({ continue: true });
    expect((await alice.call('do_destructive_too', { path: '/a' })).error?.details).toMatchObject({
      reason: 'unreported_action',
    });
    expect((await alice.call('do_destructive', { path: '/a' })).success).toBe(true);
    expect((await alice.call('do_destructive', { path: '/b' })).error?.details).toMatchObject({
      reason: 'unreported_action',
    });
    await alice.call('complete_execution', { element_name: 'helper' });
    expect((await alice.call('do_destructive', { path: '/b' })).success).toBe(true);
  });

  it('that policy asks to confirm are told to the agent until another client confirms or they run (point 15)', async () => {
    const rules = [{ match: { operation: 'do_reversible' }, decision: 'confirm' }];
    const loop = await openLoop({ more: { policy: { rules } } });
    const [alice, bob] = [await loop.connect('alice'), await loop.connect('bob')];
    await alice.start('helper');
    await alice.step('helper', 'calling do_reversible on /a');
    const asked = await alice.call('do_reversible', { path: '/a' });
    expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
    const confirmation_token = asked.error?.details?.['confirmation_token'];
    const isPending = async (): Promise<boolean> => {
      const { notifications = [] } = (await alice.step('helper', 'calling do_reversible on /a')).data;
      return notifications.some(
        ({ type, metadata }: JsonObject) =>
          type === 'permission_pending' && (metadata as JsonObject)['operation'] === 'do_reversible',
      );
    };
    expect(await isPending()).toBe(true);
    expect((await alice.call('confirm_operation', { confirmation_token })).error?.details).toMatchObject({
      reason: 'self_approval',
    });
    expect(
      (await bob.call('confirm_operation', { confirmation_token: 'conf_wrong-token-of-another' })).error?.code,
    ).toBe('TOKEN_INVALID');
    expect(await isPending()).toBe(true);
    expect((await bob.call('confirm_operation', { confirmation_token })).data).toMatchObject({ confirmed: true });
    expect(await isPending()).toBe(false);
    expect((await alice.call('do_reversible', { path: '/a', _confirmation: confirmation_token })).success).toBe(true);
  });
});

describe('the other modes', () => {
  it('monitoring gives the factors of enforcing and holds nothing, and logging evaluates nothing (point 9)', async () => {
    const [enforcing, monitoring, logging] = [
      await openLoop(),
      await openLoop({ mode: 'monitoring' }),
      await openLoop({ mode: 'logging' }),
    ];
    const clients = [
      await enforcing.connect('alice'),
      await monitoring.connect('alice'),
      await logging.connect('alice'),
    ] as const;
    for (const client of clients) await client.start('helper');
    for (const hint of ['calling drop_table users', 'git push origin main', 'calling do_forbidden']) {
      const fresh = await openLoop();
      const alice = await fresh.connect('alice');
      await alice.start('helper');
      const held = await alice.step('helper', hint);
      const told = await clients[1].step('helper', hint);
      expect(told.data).toMatchObject({ continue: true, factors: held.data.factors });
      expect(told.data).not.toHaveProperty('stopped');
      expect((await clients[2].step('helper', hint)).data).toEqual({
        continue: true,
        factors: ['not evaluated: logging mode'],
      });
    }
    expect((await clients[1].call('do_destructive', { path: '/a' })).success).toBe(true);
    expect(monitoring.receiver.posts).toHaveLength(0);
  });

  it('say at the start what becomes of reports, and after the end that nothing is left to do', async () => {
    const startedIn = async (mode: 'enforcing' | 'monitoring' | 'logging') => {
      const alice = await (await openLoop({ mode })).connect('alice');
      const { directive } = (await alice.start('helper')).data;
      await alice.call('complete_execution', { element_name: 'helper' });
      const { error } = await alice.call('abort_execution', { element_name: 'helper' });
      expect(error?.message).toContain('if it has ended, nothing more is to be done');
      return directive;
    };
    expect((await startedIn('enforcing')).factors[0]).toMatch(/report each action before it$/);
    expect((await startedIn('monitoring')).factors[0]).toMatch(/in mode monitoring nothing is held$/);
    expect(await startedIn('logging')).toEqual({
      continue: true,
      factors: ['started: report each action before it; in mode logging reports are kept, and nothing is held'],
    });
  });
});

it('shows a code to nobody but people: not in answers, logs, files or records (point 12)', async () => {
  const loop = await openLoop();
  const alice = await loop.connect('alice');
  await alice.start('helper');
  const verify = challengeIn(await alice.step('helper', 'calling do_dangerous on /notes'));
  const block = challengeIn(await alice.step('helper', 'calling drop_table users'));
  const codes = [await loop.codeOf(verify), await loop.codeOf(block)];
  const shown = await loop.admin(`/admin/agents/challenges/${block}/code`, {});
  expect(shown.status).toBe(200);
  codes.push(shown.body.code);
  // What a person passes on is not written down either.
  await alice.call('verify_challenge', { challenge_id: verify, code: codes[1] ?? '' });
  await alice.call('verify_challenge', { challenge_id: block, code: shown.body.code });
  await alice.step('helper', `look at ${codes[0]}`);
  await alice.call('complete_execution', { element_name: 'helper', summary: `the code was ${codes[0]}` });
  await loop.gateway.close();
  const files = await readdir(loop.dataDir, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
  const answers = loop.wire.slice(0, -2).join('\n');
  const journal = texts.join('\n');
  expect(journal).toContain('CHALLENGE_ISSUED');
  expect(journal).toContain('AGENT_UNBLOCKED');
  for (const code of codes) {
    for (const text of [journal, answers, JSON.stringify(loop.observations)]) {
      expect(text.toUpperCase()).not.toContain(code);
      expect(text.toUpperCase()).not.toContain(code.replaceAll('-', ''));
    }
  }
});

it('ends the agents of a session with it, and starts one only with an agreement where that is configured (point 18)', async () => {
  const loop = await openLoop({ loop: { startApproval: 'token' } });
  const alice = await loop.connect('alice');
  const asked = await alice.start('helper');
  expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
  const _confirmation = asked.error?.details?.['confirmation_token'];
  expect((await alice.start('helper', { _confirmation })).data).toMatchObject({ status: 'running' });
  const session = loop.observations.flatMap((each) => (each.kind === 'session' ? [each.sessionId] : [])).at(-1) ?? '';
  loop.gateway.endSession(session);
  expect((await alice.step('helper', 'look at a')).error?.code).toBe('NOT_FOUND_RESOURCE');
});
