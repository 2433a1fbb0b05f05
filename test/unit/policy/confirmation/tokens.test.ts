import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import type { DangerLevel } from '../../../../src/base/protocol/operation.js';
import type { OperationError } from '../../../../src/base/protocol/operation-error.js';
import { jointScope, type Token, type TokenScope } from '../../../../src/policy/confirmation/token-types.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { StoreError } from '../../../../src/store/state-store.js';
import { CALLER, createTokenBench, refusalOf, SCOPE, START, type TokenBench } from './token-bench.js';

const OTHER_CALLER: Caller = { ...CALLER, sessionId: 'session-2' };
const AGAIN = "Call 'github__delete_repository' again without a token to get a new one";

/** Moves the clock past the token's expiry and the grace. */
function lapse(bench: TokenBench): void {
  bench.time += 330_000;
}

describe('a confirmation token', () => {
  it('stays used in its gateway when the store goes back to an earlier state', async () => {
    const bench = createTokenBench();
    const token = await bench.issue();
    const [earlier] = await bench.store.list('token');
    await bench.tokens.redeem(token, SCOPE, CALLER);
    const { key, value } = earlier!;
    await bench.store.remove('token', key);
    await bench.store.insert('token', key, value, { expiresAt: START + 3_600_000 });
    bench.time += 1_000;
    const refusal = await refusalOf(bench.tokens.redeem(token, SCOPE, CALLER));
    expect([refusal.code, refusal.details['consumed_at']]).toEqual([
      'TOKEN_ALREADY_USED',
      new Date(START).toISOString(),
    ]);
  });

  it('is good for its call though the params that were kept for it cannot be removed', async () => {
    const store = new MemoryStore(() => START);
    store.remove = () => Promise.reject(new StoreError('it is away'));
    const bench = createTokenBench({ store });
    const token = await bench.issue({ params: { path: '/a' } });
    expect(await bench.tokens.redeem(token, SCOPE, CALLER)).toMatchObject({ operation: SCOPE.operation });
  });

  it('is a secret of the specified form, stored as a digest', async () => {
    const bench = createTokenBench();
    const { token, record } = await bench.tokens.issue({
      scope: SCOPE,
      caller: CALLER,
      danger: 'destructive',
      cooldownSeconds: 0,
      approval: 'ap_0123456789',
      context: { why: 'test' },
      params: { path: '/a' },
    });
    expect(token).toMatch(/^conf_[A-Za-z0-9_-]{43}$/);
    expect(token).not.toContain(record.id);
    const stored = await bench.store.list('token');
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored[0]).toMatchObject({ value: record });
    expect(record).toEqual({
      ...SCOPE,
      id: stored[0]!.key.slice(0, 12),
      type: 'confirmation',
      session: 'session-1',
      configuration: 'configuration-1',
      danger: 'destructive',
      issuedAt: START,
      notBefore: START,
      expiresAt: START + 300_000,
      consumedAt: null,
      keepsCall: true,
      approval: 'ap_0123456789',
      context: { why: 'test' },
    });
  });

  it('is unique over a thousand simultaneous requests', async () => {
    const bench = createTokenBench();
    const texts = await Promise.all(Array.from({ length: 1_000 }, () => bench.issue()));
    expect(new Set(texts).size).toBe(1_000);
    for (const text of texts) await bench.tokens.inspect(text, SCOPE, CALLER);
  });

  it.each<[DangerLevel, number]>([
    ['safe', 300],
    ['reversible', 300],
    ['destructive', 300],
    ['dangerous', 200],
    ['forbidden', 120],
  ])('of a %s operation lives for %i seconds and the grace', async (danger, seconds) => {
    const bench = createTokenBench();
    const text = await bench.issue({ danger });
    bench.time = START + (seconds + 30) * 1_000 - 1;
    await bench.tokens.inspect(text, SCOPE, CALLER);
    bench.time += 1;
    expect((await refusalOf(bench.tokens.inspect(text, SCOPE, CALLER))).code).toBe('TOKEN_EXPIRED');
  });

  it('lives as long as the request says', async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ lifetimeSeconds: 900 });
    bench.time += 900_000;
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ expiresAt: START + 900_000 });
  });

  it('is consumed by one call', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    bench.time += 5_000;
    expect(await bench.tokens.inspect(text, SCOPE, CALLER)).toMatchObject({ consumedAt: null });
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ consumedAt: START + 5_000 });
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).code).toBe('TOKEN_ALREADY_USED');
  });

  it('is redeemed once of a thousand simultaneous attempts', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    const attempts = Array.from({ length: 1_000 }, () => bench.tokens.redeem(text, SCOPE, CALLER));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['TOKEN_ALREADY_USED']));
  });

  it('survives a restart and is void under another configuration', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    const other = bench.elsewhere({ configuration: 'configuration-2' });
    expect((await refusalOf(other.redeem(text, SCOPE, CALLER))).code).toBe('TOKEN_INVALID');
    expect(await bench.elsewhere({}).redeem(text, SCOPE, CALLER)).toMatchObject({ operation: SCOPE.operation });
  });
});

describe('a token to continue past a quota pause', () => {
  const type = 'quota_continue';
  const scope = { ...SCOPE, quota: 'calls/1' };

  it('has a prefix of its own and is valid for its quota', async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ type, scope });
    expect(text).toMatch(/^quota_continue_[A-Za-z0-9_-]{43}$/);
    expect(await bench.tokens.redeem(text, scope, CALLER)).toMatchObject({ type, quota: 'calls/1' });
  });

  it.each([
    [
      'a quota token for a confirmation',
      { type, scope } as const,
      SCOPE,
      /^Token is for continuing past a quota pause and does not confirm/,
    ],
    ['a confirmation for a quota token', {}, scope, /^Token is not for continuing past the quota/],
    ['one quota for another', { type, scope } as const, { ...scope, quota: 'calls/2' }, /^Token is not for continuing/],
  ])('does not accept %s', async (_, request, asked, message) => {
    const bench = createTokenBench();
    const refusal = await refusalOf(bench.tokens.redeem(await bench.issue(request), asked, CALLER));
    expect(refusal.code).toBe('TOKEN_SCOPE_MISMATCH');
    expect(refusal.message).toMatch(message);
  });
});

describe('a refused confirmation token', () => {
  interface Case {
    readonly prepare?: (bench: TokenBench, text: string) => unknown;
    readonly scope?: Partial<TokenScope>;
    readonly code: OperationError['code'];
    readonly message: string;
    readonly details: object;
  }

  const names = { token_operation: SCOPE.operation };
  const cases: Readonly<Record<string, Case>> = {
    expired: {
      prepare: lapse,
      code: 'TOKEN_EXPIRED',
      message: "Confirmation token expired: '2026-03-01T12:05:00.000Z'",
      details: { expired_at: '2026-03-01T12:05:00.000Z', current_time: '2026-03-01T12:05:30.000Z' },
    },
    used: {
      prepare: (bench, text) => bench.tokens.redeem(text, SCOPE, CALLER),
      code: 'TOKEN_ALREADY_USED',
      message: "Confirmation token is good for one call and was used: '2026-03-01T12:00:00.000Z'",
      details: { consumed_at: '2026-03-01T12:00:00.000Z' },
    },
    'for another definition': {
      scope: { definition: 'definition-2' },
      code: 'TOKEN_SCOPE_MISMATCH',
      message: "Operation 'github__delete_repository' has changed since its confirmation token was issued",
      details: { ...names, requested_operation: SCOPE.operation },
    },
    'for other parameters': {
      scope: { parameters: 'parameters-2' },
      code: 'TOKEN_SCOPE_MISMATCH',
      message: "Confirmation token is for a call of 'github__delete_repository' with other parameters",
      details: { ...names, requested_operation: SCOPE.operation },
    },
    'for another adapter': {
      scope: { upstream: 'gitlab' },
      code: 'TOKEN_SCOPE_MISMATCH',
      message: "Confirmation token is for adapter 'github', not 'gitlab'",
      details: { ...names, requested_operation: SCOPE.operation },
    },
  };

  it.each(Object.entries(cases))('that is %s gets an answer that says so and the next step', async (_, expected) => {
    const bench = createTokenBench();
    const text = await bench.issue();
    await expected.prepare?.(bench, text);
    for (const attempt of ['inspect', 'redeem'] as const) {
      const { code, message, details } = await refusalOf(
        bench.tokens[attempt](text, { ...SCOPE, ...expected.scope }, CALLER),
      );
      expect(code).toBe(expected.code);
      expect(message).toBe(`${expected.message}. ${AGAIN}`);
      expect(details).toEqual({ token: text, ...expected.details });
    }
  });

  it('that is for another operation gets an answer that names both', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    const scope = { ...SCOPE, operation: 'github__delete_issue' };
    expect(await refusalOf(bench.tokens.redeem(text, scope, CALLER))).toMatchObject({
      code: 'TOKEN_SCOPE_MISMATCH',
      message:
        "Confirmation token is for operation 'github__delete_repository', not 'github__delete_issue'. " +
        "Call 'github__delete_issue' again without a token to get a new one",
      details: { token_operation: 'github__delete_repository', requested_operation: 'github__delete_issue' },
    });
  });

  it('that is for a batch gets an answer that speaks of the batch, not of an operation of that name', async () => {
    const bench = createTokenBench();
    const scopeOf = (count: number): TokenScope => jointScope(Array.from({ length: count }, () => SCOPE));
    const text = await bench.issue({ scope: scopeOf(2) });
    const again = 'Send the batch again without its token to get a new one';
    const messageOf = async (scope: TokenScope): Promise<string> =>
      (await refusalOf(bench.tokens.redeem(text, scope, CALLER))).message;
    expect(await messageOf(scopeOf(1))).toBe(
      `Confirmation token is for a batch of other operations or parameters, or for these in another order. ${again}`,
    );
    expect(await messageOf(SCOPE)).toBe(
      `Confirmation token is for a batch of 2 operations, not 'github__delete_repository'. ${AGAIN}`,
    );
    await bench.tokens.redeem(text, scopeOf(2), CALLER);
    expect(await messageOf(scopeOf(2))).toMatch(/^Confirmation token is good for one batch and was used: /);
    expect(await messageOf(scopeOf(2))).toContain(again);
  });

  it('is still valid for its own call', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    for (const part of Object.keys(SCOPE)) {
      await refusalOf(bench.tokens.redeem(text, { ...SCOPE, [part]: 'another' }, CALLER));
    }
    await refusalOf(bench.tokens.redeem(text, SCOPE, OTHER_CALLER));
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ consumedAt: START });
  });

  it('that has expired is distinguished from an unknown one for an hour', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    bench.time = START + 300_000 + 3_599_999;
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).code).toBe('TOKEN_EXPIRED');
    bench.time += 1;
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).code).toBe('TOKEN_INVALID');
  });
});

describe('a confirmation token that the caller must not learn about', () => {
  const texts: Readonly<Record<string, (bench: TokenBench) => string | Promise<string>>> = {
    unknown: () => `conf_${'A'.repeat(43)}`,
    malformed: () => 'no token at all',
    empty: () => '',
    'with half a character': () => '\ud800',
    'of another caller': (bench) => bench.issue({ caller: OTHER_CALLER }),
    'of another caller, and expired': async (bench) => {
      const text = await bench.issue({ caller: OTHER_CALLER });
      lapse(bench);
      return text;
    },
    'of another caller, and used': async (bench) => {
      const text = await bench.issue({ caller: OTHER_CALLER });
      await bench.tokens.redeem(text, SCOPE, OTHER_CALLER);
      return text;
    },
    'that was revoked': async (bench) => {
      const text = await bench.issue();
      await bench.tokens.revoke(text, CALLER);
      return text;
    },
    'that is used, with a character more': async (bench) => {
      const text = await bench.issue();
      await bench.tokens.redeem(text, SCOPE, CALLER);
      return `${text}A`;
    },
  };

  it.each(Object.entries(texts))('(%s) gets the same answer for the same number of store accesses', async (_, make) => {
    const bench = createTokenBench();
    const text = await make(bench);
    for (const attempt of ['inspect', 'redeem'] as const) {
      const before = countCalls(bench);
      const { code, message, details } = await refusalOf(bench.tokens[attempt](text, SCOPE, CALLER));
      expect({ code, message, details }).toEqual({
        code: 'TOKEN_INVALID',
        message: expect.stringMatching(/^Confirmation token is invalid: this session has no such token, /),
        details: { token: text },
      });
      expect(before()).toEqual({ count: 1, get: 1, increment: 1 });
    }
  });

  it('is quoted up to the length of the longest token', async () => {
    const { details } = await refusalOf(createTokenBench().tokens.redeem('x'.repeat(5_000), SCOPE, CALLER));
    expect(details).toEqual({ token: 'x'.repeat(80) });
  });
});

/** Counts the calls of the store's methods from now on. */
function countCalls({ store }: TokenBench): () => Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of ['get', 'replace', 'remove', 'count', 'increment', 'list'] as const) {
    const original = store[name].bind(store) as (...args: unknown[]) => Promise<unknown>;
    const counted = (...args: unknown[]): Promise<unknown> => {
      counts[name] = (counts[name] ?? 0) + 1;
      return original(...args);
    };
    Object.defineProperty(store, name, { value: counted, configurable: true });
  }
  return () => counts;
}

describe('a check of a confirmation token', () => {
  interface Fault {
    readonly apply: (bench: TokenBench, text: string) => unknown;
    readonly caller?: Caller;
    readonly scope?: Partial<TokenScope>;
    readonly message: RegExp;
  }

  const faults: readonly (readonly [string, Fault])[] = [
    ['exists', { apply: () => undefined, caller: OTHER_CALLER, message: /is invalid/ }],
    ['not expired', { apply: lapse, message: /expired: / }],
    ['not consumed', { apply: (bench, text) => bench.tokens.redeem(text, SCOPE, CALLER), message: /was used: / }],
    ['operation', { apply: () => undefined, scope: { operation: 'another' }, message: /is for operation/ }],
    ['definition', { apply: () => undefined, scope: { definition: 'another' }, message: /has changed/ }],
    ['parameters', { apply: () => undefined, scope: { parameters: 'another' }, message: /other parameters/ }],
    ['adapter', { apply: () => undefined, scope: { upstream: 'another' }, message: /is for adapter/ }],
  ];
  const pairs = faults.flatMap(([first, one], index) =>
    faults.slice(index + 1).map(([second, other]) => [first, second, one, other] as const),
  );

  it.each(pairs)("comes for '%s' before '%s'", async (_first, _second, one, other) => {
    const bench = createTokenBench();
    const text = await bench.issue();
    // In reverse order, because an expired token can no longer be used.
    await other.apply(bench, text);
    await one.apply(bench, text);
    const scope = { ...SCOPE, ...one.scope, ...other.scope };
    const { message } = await refusalOf(bench.tokens.redeem(text, scope, one.caller ?? CALLER));
    expect(message).toMatch(one.message);
  });

  it.each(faults.filter(([, { scope }]) => scope !== undefined))(
    "comes for '%s' before the cooldown",
    async (_, fault) => {
      const bench = createTokenBench();
      const text = await bench.issue({ cooldownSeconds: 60 });
      const { message } = await refusalOf(bench.tokens.redeem(text, { ...SCOPE, ...fault.scope }, CALLER));
      expect(message).toMatch(fault.message);
    },
  );
});

describe('the cooldown of a token', () => {
  it.each([86_400_000, 40 * 86_400_000])(
    'is no longer than itself after the clock is set back by %i ms',
    async (back) => {
      const bench = createTokenBench();
      const text = await bench.issue({ cooldownSeconds: 5 });
      const redeem = () => bench.tokens.redeem(text, SCOPE, CALLER);
      bench.time -= back;
      expect((await refusalOf(redeem())).details).toMatchObject({ retry_after_seconds: 5 });
      bench.time += 3_000;
      expect((await refusalOf(redeem())).details).toMatchObject({ retry_after_seconds: 2 });
      bench.time += 2_000;
      expect(await redeem()).toMatchObject({ operation: SCOPE.operation });
    },
  );

  it('is no longer than itself for a gateway whose clock is behind, and does not begin anew there', async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ cooldownSeconds: 5 });
    bench.time -= 20_000;
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).details).toMatchObject({
      retry_after_seconds: 5,
    });
    bench.time += 25_000;
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ operation: SCOPE.operation });
  });

  it('lets a token live no longer where the clock is set back', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    bench.time -= 86_400_000;
    await bench.tokens.inspect(text, SCOPE, CALLER);
    bench.time += 340_000;
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER))).code).toBe('TOKEN_EXPIRED');
  });

  it('refuses the call with the same token, which stays valid', async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ cooldownSeconds: 30 });
    bench.time += 12_500;
    const { code, message, details } = await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER));
    expect(code).toBe('CONFIRMATION_REQUIRED');
    expect(message).toBe(
      "Operation 'github__delete_repository' may not run yet. Call it again with the same token in 18 seconds",
    );
    expect(details).toEqual({
      operation: 'github__delete_repository',
      danger_level: 'destructive',
      reasons: ['it has a waiting time between the question and the execution'],
      confirmation_token: text,
      expires_at: '2026-03-01T12:05:00.000Z',
      not_before: '2026-03-01T12:00:30.000Z',
      retry_after_seconds: 18,
    });
    bench.time = START + 30_000;
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ consumedAt: START + 30_000 });
  });

  it("extends the token's lifetime where it is longer", async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ cooldownSeconds: 1_000 });
    bench.time += 1_059_999;
    expect(await bench.tokens.redeem(text, SCOPE, CALLER)).toMatchObject({ expiresAt: START + 1_060_000 });
  });

  it('does not stop an inspection and is not counted as a failure', async () => {
    const bench = createTokenBench({ config: { maxFailuresPerMinute: 1 } });
    const text = await bench.issue({ cooldownSeconds: 30 });
    for (let attempt = 0; attempt < 5; attempt += 1) await refusalOf(bench.tokens.redeem(text, SCOPE, CALLER));
    expect(await bench.tokens.inspect(text, SCOPE, CALLER)).toMatchObject({ notBefore: START + 30_000 });
  });
});

describe('the revocation of a token', () => {
  it('makes it invalid', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    expect(await bench.tokens.revoke(text, CALLER)).toMatchObject({ operation: SCOPE.operation });
    expect(await bench.store.list('token')).toEqual([]);
  });

  it.each<[string, string, (bench: TokenBench, text: string) => unknown, Caller]>([
    ['another caller', 'TOKEN_INVALID', () => undefined, OTHER_CALLER],
    ['its owner too late', 'TOKEN_ALREADY_USED', ({ tokens }, text) => tokens.redeem(text, SCOPE, CALLER), CALLER],
    ['its owner after it expired', 'TOKEN_EXPIRED', lapse, CALLER],
    ['its owner twice', 'TOKEN_INVALID', ({ tokens }, text) => tokens.revoke(text, CALLER), CALLER],
  ])('by %s is refused: %s', async (_, code, prepare, caller) => {
    const bench = createTokenBench();
    const text = await bench.issue();
    await prepare(bench, text);
    const refusal = await refusalOf(bench.tokens.revoke(text, caller));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain('Call the operation again without a token');
  });

  it('and a simultaneous redemption do not both succeed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const bench = createTokenBench();
      const text = await bench.issue();
      const attempts = [bench.tokens.redeem(text, SCOPE, CALLER), bench.tokens.revoke(text, CALLER)];
      const outcomes = await Promise.allSettled(round % 2 === 0 ? attempts : attempts.reverse());
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('does not happen to the tokens of an authenticated client when a session of it ends', async () => {
    const bench = createTokenBench();
    const text = await bench.issue({ caller: { ...CALLER, client: 'ci' } });
    await bench.tokens.endSession(CALLER.sessionId);
    const later = { ...CALLER, client: 'ci', sessionId: 'a later session' };
    const other = { ...later, client: 'cd' };
    expect((await refusalOf(bench.tokens.redeem(text, SCOPE, other))).message).toMatch(
      /: client 'cd' has no such token\./,
    );
    expect((await refusalOf(bench.elsewhere({ configuration: 'x' }).redeem(text, SCOPE, later))).message).toMatch(
      /configuration has changed/,
    );
    expect(await bench.tokens.redeem(text, SCOPE, later)).toMatchObject({ session: 'client:ci' });
  });

  it('happens at the end of a session, for its tokens only', async () => {
    const bench = createTokenBench();
    const [mine, yours] = [await bench.issue(), await bench.issue({ caller: OTHER_CALLER })];
    await bench.tokens.endSession(CALLER.sessionId);
    expect((await refusalOf(bench.tokens.redeem(mine, SCOPE, CALLER))).code).toBe('TOKEN_INVALID');
    expect(await bench.tokens.redeem(yours, SCOPE, OTHER_CALLER)).toMatchObject({ session: 'session-2' });
  });
});

describe('the audit trail of tokens', () => {
  const actor = { session: 'session-1', client_name: 'editor', transport: 'http' };
  const subject = { operation: 'github__delete_repository', adapter: 'github', actor };

  it('has each event of a token, by an id that is not part of the token', async () => {
    const bench = createTokenBench();
    const caller = { ...CALLER, client: 'ci' };
    const { token: text, record } = await bench.tokens.issue({
      scope: SCOPE,
      caller,
      danger: 'destructive',
      cooldownSeconds: 0,
    });
    await bench.tokens.redeem(text, SCOPE, caller);
    await refusalOf(bench.tokens.redeem(text, SCOPE, caller));
    const event = { type: 'token', token_id: record.id, ...subject, actor: { ...actor, client: 'ci' } };
    expect(bench.events).toEqual([
      { ...event, event: 'TOKEN_ISSUED', outcome: 'success' },
      { ...event, event: 'TOKEN_VALIDATED', outcome: 'success' },
      { ...event, event: 'TOKEN_REJECTED', outcome: 'failure', failure_reason: 'TOKEN_ALREADY_USED' },
    ]);
    expect(JSON.stringify(bench.events)).not.toContain(text);
  });

  it('has revocations, including those at the end of a session', async () => {
    const bench = createTokenBench();
    const text = await bench.issue();
    const { id } = (await bench.tokens.inspect(text, SCOPE, CALLER)) satisfies Token;
    const { id: otherId } = await bench.tokens.inspect(await bench.issue(), SCOPE, CALLER);
    bench.events.length = 0;
    await bench.tokens.revoke(text, CALLER);
    await refusalOf(bench.tokens.revoke('conf_unknown', CALLER));
    await bench.tokens.endSession(CALLER.sessionId);
    expect(bench.events).toEqual([
      { type: 'token', event: 'TOKEN_REVOKED', token_id: id, ...subject, outcome: 'success' },
      {
        type: 'token',
        event: 'TOKEN_REJECTED',
        token_id: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
        outcome: 'failure',
        failure_reason: 'TOKEN_INVALID',
        actor,
      },
      {
        type: 'token',
        event: 'TOKEN_REVOKED',
        token_id: otherId,
        outcome: 'success',
        actor: { session: 'session-1' },
      },
    ]);
  });
});

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
