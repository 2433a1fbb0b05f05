import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSecretTextFilter } from '../../../../src/policy/audit/redact.js';
import { Blocks } from '../../../../src/policy/safety/blocks.js';
import type { Challenge } from '../../../../src/policy/safety/challenge.js';
import { type ChallengeSubject, Challenges, makeCode } from '../../../../src/policy/safety/challenges.js';
import { openStore } from '../../../../src/store/open-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';

const ABOUT: ChallengeSubject = {
  kind: 'block',
  subject: 'client/alice',
  agent: 'cleaner',
  execution: 'exec_1',
  action: 'drop_table users',
  reason: 'denied',
  factors: ['it matches'],
};

const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function open(file?: string) {
  const store = await openStore(file === undefined ? { type: 'memory' } : { type: 'sqlite', file });
  opened.push(() => store.close());
  return start(store);
}

function start(store: StateStore, at = Date.UTC(2030, 0, 1)) {
  const clock = { now: at };
  const announced: { challenge: Challenge; code: string }[] = [];
  const challenges = new Challenges({
    store,
    expiresSeconds: 300,
    announce: (challenge, code) => announced.push({ challenge, code }),
    now: () => clock.now,
  });
  const issue = async (about: Partial<ChallengeSubject> = {}) => {
    const challenge = await challenges.issue({ ...ABOUT, ...about });
    return { challenge, code: announced.at(-1)?.code ?? '' };
  };
  const redeem = (id: string, code: string, subject = ABOUT.subject) =>
    challenges.redeem(id, code, subject, ['verify', 'block']);
  return { store, clock, challenges, announced, issue, redeem };
}

it('takes the right code once, in any spelling of a person', async () => {
  const { issue, redeem } = await open();
  const { challenge, code } = await issue();
  expect(code).toMatch(/^VC(?:-[0-9A-Z]{4}){7}$/);
  const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o');
  expect(await redeem(challenge.id, typed)).toMatchObject({ end: 'agreed', by: 'code' });
  await expect(redeem(challenge.id, code)).rejects.toMatchObject({ code: 'TOKEN_ALREADY_USED' });
});

it('keeps nothing of a code but its digest', async () => {
  const { issue, store } = await open();
  const { code } = await issue();
  const kept = JSON.stringify(await store.list('challenge'));
  expect(kept).toContain('drop_table users');
  for (const group of code.split('-').slice(1)) expect(kept.toUpperCase()).not.toContain(`-${group}-`);
  expect(createSecretTextFilter([])(`the code is ${code}, ${code.toLowerCase()}`)).not.toMatch(/vc-/i);
});

it('uses a challenge up with a wrong code, and takes no late one', async () => {
  const { issue, redeem, clock, challenges } = await open();
  const first = await issue();
  await expect(redeem(first.challenge.id, makeCode())).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  await expect(redeem(first.challenge.id, first.code)).rejects.toMatchObject({ code: 'TOKEN_ALREADY_USED' });
  const second = await challenges.renew(first.challenge);
  expect(second?.id).not.toBe(first.challenge.id);
  const third = await issue({ kind: 'verify' });
  clock.now += 300_000;
  await expect(redeem(third.challenge.id, third.code)).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' });
});

it("does not know another client's challenge, which stays as it was", async () => {
  const { issue, redeem } = await open();
  const { challenge, code } = await issue();
  await expect(redeem(challenge.id, makeCode(), 'client/bob')).rejects.toMatchObject({ code: 'NOT_FOUND_RESOURCE' });
  await expect(redeem(challenge.id, code)).resolves.toMatchObject({ end: 'agreed' });
});

it('refuses the eleventh failure of a minute, also after a restart, and takes the right code in the next one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'challenges-'));
  opened.push(() => rm(directory, { recursive: true }));
  const file = join(directory, 'state.db');
  const before = await open(file);
  const { challenge, code } = await before.issue();
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await expect(before.redeem(`unknown-${attempt}`, code)).rejects.toMatchObject({ code: 'NOT_FOUND_RESOURCE' });
  }
  await before.store.close();
  opened.pop();
  const after = await open(file);
  await expect(after.redeem(challenge.id, code)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { limit: 10, remaining: 0, window: 'minute', retry_after_seconds: 60 },
  });
  after.clock.now += 60_000;
  await expect(after.redeem(challenge.id, code)).resolves.toMatchObject({ end: 'agreed' });
});

it('gives one of many attempts at one time the agreement', async () => {
  const { issue, redeem } = await open();
  const { challenge, code } = await issue();
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => redeem(challenge.id, code)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('bounds how many new challenges one subject gets in a minute', async () => {
  const { issue, challenges } = await open();
  const { challenge } = await issue();
  const renewed = await Promise.all(Array.from({ length: 8 }, () => challenges.renew(challenge)));
  expect(renewed.filter((each) => each !== undefined)).toHaveLength(5);
});

it('shows an operator a new code in place of the one before', async () => {
  const { issue, redeem, challenges } = await open();
  const { challenge, code } = await issue();
  const shown = (await challenges.showCode(challenge.id)) ?? '';
  expect(shown).not.toBe(code);
  expect(await redeem(challenge.id, shown)).toMatchObject({ end: 'agreed' });
  expect(await challenges.showCode(challenge.id)).toBeUndefined();
});

it('keeps blocks of one client by challenge, whatever is changed at one time', async () => {
  const { store } = await open();
  const blocks = new Blocks(store);
  const block = (agent: string) => ({ subject: 'client/alice', agent, reason: 'x', since: 1, challenge: `c-${agent}` });
  await Promise.all(['a', 'b', 'c'].map((agent) => blocks.add(block(agent))));
  expect((await blocks.of('client/alice')).map(({ agent }) => agent).sort()).toEqual(['a', 'b', 'c']);
  await blocks.rechallenge('client/alice', 'c-a', 'c-new');
  await blocks.lift('client/alice', { challenge: 'c-new' });
  await blocks.lift('client/alice', { agent: 'b' });
  expect(await blocks.all()).toEqual([block('c')]);
  expect(await blocks.of('client/bob')).toEqual([]);
});
