import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { CALLER, createTokenBench, refusalOf, SCOPE, START } from './token-bench.js';

const NEW_SESSION: Caller = { ...CALLER, sessionId: 'session-2' };
const asClient = (caller: Caller, client: string): Caller => ({ ...caller, client });

describe('the limit of issued tokens', () => {
  it('applies per caller and minute', async () => {
    const bench = createTokenBench({ config: { maxIssuedPerMinute: 3 } });
    bench.time += 20_500;
    for (let issued = 0; issued < 3; issued += 1) await bench.issue();
    const { code, message, details } = await refusalOf(bench.issue());
    expect(code).toBe('RATE_LIMIT_EXCEEDED');
    expect(message).toBe('Limit of 3 confirmation tokens per minute reached. Try again in 40 seconds');
    expect(details).toEqual({
      limit: 3,
      remaining: 0,
      window: 'minute',
      resets_at: '2026-03-01T12:01:00.000Z',
      retry_after_seconds: 40,
    });
    await bench.issue({ caller: NEW_SESSION });
    bench.time = START + 60_000;
    await bench.issue();
    expect(await bench.store.list('token')).toHaveLength(5);
  });

  it('holds for simultaneous requests', async () => {
    const bench = createTokenBench({ config: { maxIssuedPerMinute: 3 } });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => bench.issue()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('is counted over the sessions of an authenticated client', async () => {
    const bench = createTokenBench({ config: { maxIssuedPerMinute: 1 } });
    await bench.issue({ caller: asClient(CALLER, 'ci') });
    expect((await refusalOf(bench.issue({ caller: asClient(NEW_SESSION, 'ci') }))).code).toBe('RATE_LIMIT_EXCEEDED');
    await bench.issue({ caller: asClient(NEW_SESSION, 'kiosk') });
    await bench.issue({ caller: NEW_SESSION });
  });
});

describe('the limit of failed confirmations', () => {
  const config = { maxFailuresPerMinute: 2 };

  it('refuses a token before it is checked, a valid one too', async () => {
    const bench = createTokenBench({ config });
    const text = await bench.issue();
    for (const guess of ['one', 'two']) {
      expect((await refusalOf(bench.tokens.redeem(guess, SCOPE, CALLER))).code).toBe('TOKEN_INVALID');
    }
    expect(await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Limit of 2 failed confirmations and revocations per minute reached. Try again in 60 seconds',
      details: { limit: 2, remaining: 0, window: 'minute', retry_after_seconds: 60 },
    });
    expect((await refusalOf(bench.tokens.inspect(text, SCOPE, CALLER))).code).toBe('RATE_LIMIT_EXCEEDED');
    expect(bench.events.at(-1)).toMatchObject({ event: 'TOKEN_REJECTED', failure_reason: 'RATE_LIMIT_EXCEEDED' });
    bench.time += 60_000;
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ consumedAt: bench.time });
  });

  it('reveals no more to simultaneous guesses than to successive ones', async () => {
    const bench = createTokenBench({ config });
    const guesses = Array.from({ length: 50 }, (_, index) => bench.tokens.redeem(`guess ${index}`, SCOPE, CALLER));
    const codes = await Promise.all(guesses.map(async (guess) => (await refusalOf(guess)).code));
    expect(codes.filter((code) => code === 'TOKEN_INVALID')).toHaveLength(2);
    expect(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(48);
  });

  it('counts no success', async () => {
    const bench = createTokenBench({ config });
    for (let call = 0; call < 5; call += 1) await bench.tokens.redeem(await bench.issue(), SCOPE, CALLER);
  });

  it('counts revocations, including those that succeed', async () => {
    const bench = createTokenBench({ config });
    const texts = [await bench.issue(), await bench.issue(), await bench.issue()] as const;
    await bench.tokens.revoke(texts[0], CALLER);
    await bench.tokens.revoke(texts[1], CALLER);
    expect((await refusalOf(bench.tokens.revoke(texts[2], CALLER))).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await refusalOf(bench.tokens.redeem(texts[2], SCOPE, CALLER))).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('is counted over the sessions of an authenticated client and does not refuse other callers', async () => {
    const bench = createTokenBench({ config });
    for (const caller of [CALLER, NEW_SESSION]) {
      expect((await refusalOf(bench.tokens.redeem('guess', SCOPE, asClient(caller, 'ci')))).code).toBe('TOKEN_INVALID');
    }
    const third = asClient({ ...CALLER, sessionId: 'session-3' }, 'ci');
    expect((await refusalOf(bench.tokens.redeem('guess', SCOPE, third))).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await refusalOf(bench.tokens.redeem('guess', SCOPE, CALLER))).code).toBe('TOKEN_INVALID');
  });
});
