import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import type { ReplayServer } from '../support/replay-server.js';

const TOOL = 'do_destructive';
/** Two upstreams offer the tool, so neither has its bare name. */
const OPERATION = `demo__${TOOL}`;
const PARAMS = { path: '/notes/a.txt', count: 3 };
/** A token of the right form that was never issued. */
const UNKNOWN_TOKEN = `conf_${'A'.repeat(43)}`;

let upstream: ReplayServer;
let gateway: RunningGateway;
let client: McpClient;

const CLIENTS = { alice: { token: 'alice-has-a-long-token' }, bob: { token: 'bob-has-a-long-token-too' } };

/** Two upstreams with the same operations, so that a token can be tried on another adapter. */
const configOf = (policy: object = {}): object => ({
  clients: CLIENTS,
  policy,
  mcpServers: { demo: dangerEntry(upstream), other: dangerEntry(upstream) },
});

const as = (name: keyof typeof CLIENTS, mode: 'auto' | 'legacy' = 'auto', url = gateway.url): Promise<McpClient> =>
  connectClient(url, mode, { token: CLIENTS[name].token });

const call = (who: McpClient, more: object = {}, operation = OPERATION): Promise<Answer> =>
  who.call(EXECUTE, operation, { ...PARAMS, ...more });

const tokenIn = ({ error }: Answer): string => String(error?.details?.['confirmation_token']);

const codeOf = ({ success, error }: Answer): string => (success ? 'OK' : (error?.code ?? ''));

beforeAll(async () => {
  upstream = await startDangerUpstream();
  // One client makes every kind of mistake here, which the usual limit of failures would refuse.
  gateway = await hostGateway(configOf({ confirmation: { maxFailuresPerMinute: 1_000 } }));
  client = await as('alice');
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

describe('a question about a long call', () => {
  const LONG = `begin ${'x'.repeat(4_000)} middle ${'y'.repeat(4_000)} end`;
  const wayOf = ({ error }: Answer): JsonObject | undefined =>
    (error?.details?.['read_whole'] as { params: JsonObject } | undefined)?.params;
  const read = (who: McpClient, params: JsonObject = {}): Promise<Answer> =>
    who.call('mcp_aql_read', 'introspect', params);

  it('shows its beginning and its end, and leads its caller to all of it', async () => {
    const asked = await call(client, { path: LONG });
    const message = String(asked.error?.details?.['confirmation_message']);
    expect(message).toMatch(/'begin .* end'/);
    expect(message).not.toContain('middle');

    expect(await read(client, wayOf(asked))).toMatchObject({
      data: { value: { parameters: { ...PARAMS, path: LONG } } },
    });
    await using bob = await as('bob');
    expect(await read(bob, wayOf(asked))).toMatchObject({ success: false });
    expect(await call(client, { path: LONG, confirmation_token: tokenIn(asked) })).toMatchObject({ success: true });
  });

  it('hides secrets there, too', async () => {
    const asked = await call(client, { path: `${LONG} password=hunter2-and-more` });
    const whole = JSON.stringify((await read(client, wayOf(asked))).data);
    expect(whole).toContain('middle');
    expect(whole).not.toContain('hunter2');
  });

  it('leads nowhere where it shows all', async () => {
    expect(wayOf(await call(client))).toBeUndefined();
  });
});

describe('a confirmation token', () => {
  it('comes with the danger, the reasons, the question and the expiry', async () => {
    const { error, raw } = await call(client);
    expect(raw['isError'] ?? false).toBe(false);
    expect(error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: {
        operation: OPERATION,
        danger_level: 'destructive',
        confirmation_message: `Run '${OPERATION}' (destructive) on upstream 'demo' with path = '/notes/a.txt', count = 3?`,
        requires: 'token',
      },
    });
    expect(error?.message).toContain('This operation requires confirmation');
    expect(tokenIn({ error } as Answer)).toMatch(/^conf_[A-Za-z0-9_-]{22,75}$/);
    const lifetime = Date.parse(String(error?.details?.['expires_at'])) - Date.now();
    expect(lifetime).toBeGreaterThan(290_000);
    expect(lifetime).toBeLessThanOrEqual(300_000);
  });

  it.each(['_confirmation', 'confirmation_token'])(
    'is accepted as %s, once, and is not sent to the upstream',
    async (name) => {
      const token = tokenIn(await call(client));
      const before = upstream.calls.length;
      expect(codeOf(await call(client, { [name]: token }))).toBe('OK');
      expect(upstream.calls.slice(before)).toEqual([{ name: TOOL, arguments: PARAMS }]);
      expect(codeOf(await call(client, { [name]: token }))).toBe('TOKEN_ALREADY_USED');
      expect(upstream.calls).toHaveLength(before + 1);
    },
  );

  it('runs its call where the operation is left out too, through the tool of the call alone', async () => {
    const token = tokenIn(await call(client));
    const elsewhere = await client.callTool('mcp_aql_read', { _confirmation: token });
    expect(codeOf(elsewhere)).toBe('VALIDATION_ENDPOINT_MISMATCH');
    const before = upstream.calls.length;
    expect(codeOf(await client.callTool(EXECUTE, { _confirmation: token }))).toBe('OK');
    expect(upstream.calls.slice(before)).toEqual([{ name: TOOL, arguments: PARAMS }]);
    expect(codeOf(await client.callTool(EXECUTE, { params: { confirmation_token: token } }))).toBe(
      'TOKEN_ALREADY_USED',
    );
    expect(codeOf(await client.callTool(EXECUTE, { _confirmation: 'conf_unknown' }))).toBe('TOKEN_INVALID');
    expect(upstream.calls).toHaveLength(before + 1);
  });

  it('is accepted with the parameters in another order and spelling', async () => {
    const token = tokenIn(await call(client));
    const answer = await client.callTool(EXECUTE, {
      operation: OPERATION,
      count: 3,
      path: '/notes/a.txt',
      confirmation_token: token,
    });
    expect(codeOf(answer)).toBe('OK');
  });

  it.each(['_confirmation', 'confirmation_token'])(
    'alone, as %s, runs exactly the call that was shown',
    async (name) => {
      const { error } = await call(client);
      expect(error?.message).toContain('alone');
      const alone = { [name]: error?.details?.['confirmation_token'] };
      const before = upstream.calls.length;
      expect(codeOf(await client.call(EXECUTE, OPERATION, alone))).toBe('OK');
      expect(codeOf(await client.call(EXECUTE, OPERATION, alone))).toBe('TOKEN_ALREADY_USED');
      expect(upstream.calls.slice(before)).toEqual([{ name: TOOL, arguments: PARAMS }]);
    },
  );

  it('alone runs the items of a batch', async () => {
    const tokens = [tokenIn(await call(client, { count: 1 })), tokenIn(await call(client, { count: 2 }))];
    const before = upstream.calls.length;
    const operations = tokens.map((token) => ({ operation: OPERATION, params: { _confirmation: token } }));
    expect(codeOf(await client.callTool(EXECUTE, { operations }))).toBe('OK');
    expect(upstream.calls.slice(before).map(({ arguments: args }) => args)).toEqual([
      { ...PARAMS, count: 1 },
      { ...PARAMS, count: 2 },
    ]);
  });

  it('alone is refused for another operation, for another client, and where a large call was not kept', async () => {
    const token = tokenIn(await call(client));
    const before = upstream.calls.length;
    expect(codeOf(await client.call(EXECUTE, `other__${TOOL}`, { _confirmation: token }))).toBe('TOKEN_SCOPE_MISMATCH');
    await using bob = await as('bob');
    expect(codeOf(await bob.call(EXECUTE, OPERATION, { _confirmation: token }))).toBe('TOKEN_INVALID');
    const large = await call(client, { path: 'x'.repeat(150_000) });
    expect(large.error?.message).toContain('the same params');
    expect(codeOf(await client.call(EXECUTE, OPERATION, { _confirmation: tokenIn(large) }))).not.toBe('OK');
    expect(upstream.calls).toHaveLength(before);
  });

  const MISUSES: readonly {
    readonly what: string;
    readonly code: string;
    readonly attempt: (token: string) => Promise<Answer>;
  }[] = [
    {
      what: 'for other parameters',
      code: 'TOKEN_SCOPE_MISMATCH',
      attempt: (t) => call(client, { path: '/b', _confirmation: t }),
    },
    {
      what: 'with a parameter left out',
      code: 'TOKEN_SCOPE_MISMATCH',
      attempt: (t) => client.call(EXECUTE, OPERATION, { path: PARAMS.path, _confirmation: t }),
    },
    {
      what: 'for another operation',
      code: 'TOKEN_SCOPE_MISMATCH',
      attempt: (t) => client.call(EXECUTE, 'demo__do_destructive_too', { ...PARAMS, _confirmation: t }),
    },
    {
      what: "for another adapter's operation of that name",
      code: 'TOKEN_SCOPE_MISMATCH',
      attempt: (t) => call(client, { _confirmation: t }, `other__${TOOL}`),
    },
    { what: 'cut short', code: 'TOKEN_INVALID', attempt: (t) => call(client, { _confirmation: t.slice(0, -1) }) },
    { what: 'in capitals', code: 'TOKEN_INVALID', attempt: (t) => call(client, { _confirmation: t.toUpperCase() }) },
    { what: 'as a number', code: 'VALIDATION_INVALID_TYPE', attempt: () => call(client, { _confirmation: 7 }) },
    {
      what: 'twice and different',
      code: 'VALIDATION_INVALID_VALUE',
      attempt: (t) => call(client, { _confirmation: t, confirmation_token: UNKNOWN_TOKEN }),
    },
  ];

  it.each(MISUSES)('is refused $what with $code', async ({ code, attempt }) => {
    const token = tokenIn(await call(client));
    const before = upstream.calls.length;
    expect(codeOf(await attempt(token))).toBe(code);
    expect(upstream.calls).toHaveLength(before);
    // A token that was refused for another call is still valid for its own.
    expect(codeOf(await call(client, { _confirmation: token }))).toBe('OK');
  });

  it('gets the same answer where it is unknown and where it is malformed', async () => {
    const own = await call(client, { _confirmation: UNKNOWN_TOKEN });
    for (const nonsense of ['', 'x', 'conf_', `conf_${'!'.repeat(43)}`, 'A'.repeat(5_000)]) {
      const { error } = await call(client, { _confirmation: nonsense });
      expect(error?.code).toBe(own.error?.code);
      expect(error?.message).toBe(own.error?.message);
      expect(Object.keys(error?.details ?? {})).toEqual(Object.keys(own.error?.details ?? {}));
    }
  });

  it('is unknown to another client, and good in another session of its own', async () => {
    const token = tokenIn(await call(client));
    await using bob = await as('bob');
    await using session = await as('alice', 'legacy');
    expect(codeOf(await call(bob, { _confirmation: token }))).toBe('TOKEN_INVALID');
    expect(codeOf(await call(session, { _confirmation: token }))).toBe('OK');
  });

  it('can be revoked by the caller that got it, and by no other', async () => {
    const token = tokenIn(await call(client));
    await using bob = await as('bob');
    expect(codeOf(await bob.introspect({ query: 'revoke_token', token }))).toBe('TOKEN_INVALID');
    expect((await client.introspect({ query: 'revoke_token', token })).data).toMatchObject({ revoked: true });
    expect(codeOf(await call(client, { _confirmation: token }))).toBe('TOKEN_INVALID');
  });

  it('outlives the session that an authenticated client got it in', async () => {
    const raw = await as('alice', 'legacy');
    const token = tokenIn(await call(raw));
    await raw.client.close();
    expect(codeOf(await call(client, { _confirmation: token }))).toBe('OK');
  });
});

describe('the clock', () => {
  it('expires a token, after the grace for clocks that differ', async () => {
    const confirmation = { ttlSeconds: { destructive: 1 }, clockSkewSeconds: 0, maxFailuresPerMinute: 10_000 };
    await using brief = await hostGateway(configOf({ confirmation }));
    await using alice = await as('alice', 'auto', brief.url);
    const token = tokenIn(await call(alice));
    // A call with wrong parameters does not consume the token, so it can be repeated until the token expires.
    const attempt = () => call(alice, { path: '/other', _confirmation: token });
    let answer = await attempt();
    while (codeOf(answer) === 'TOKEN_SCOPE_MISMATCH') answer = await attempt();
    expect(answer.error).toMatchObject({ code: 'TOKEN_EXPIRED', details: { token } });
    expect(Date.parse(String(answer.error?.details?.['expired_at']))).toBeLessThanOrEqual(Date.now());
    expect(codeOf(await call(alice, { _confirmation: token }))).toBe('TOKEN_EXPIRED');
  });

  it('lets a call run only after its cooldown', async () => {
    const rules = [{ match: { danger: 'destructive' }, decision: 'confirm', cooldown_seconds: 2 }];
    await using slow = await hostGateway(configOf({ rules }));
    await using alice = await as('alice', 'auto', slow.url);
    const token = tokenIn(await call(alice));
    const before = upstream.calls.length;
    let answer = await call(alice, { _confirmation: token });
    expect(answer.error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { confirmation_token: token, retry_after_seconds: 2 },
    });
    expect(upstream.calls).toHaveLength(before);
    while (codeOf(answer) === 'CONFIRMATION_REQUIRED') answer = await call(alice, { _confirmation: token });
    expect(codeOf(answer)).toBe('OK');
  });
});

describe('a restart', () => {
  it('keeps a token valid, and a changed configuration voids it', async () => {
    await using directory = await makeDirectory();
    const start = (policy: object) => hostGateway(configOf(policy), { directory: directory.path });
    let token: string;
    {
      await using first = await start({});
      await using alice = await as('alice', 'auto', first.url);
      token = tokenIn(await call(alice));
    }
    let second: string;
    {
      await using again = await start({});
      await using alice = await as('alice', 'auto', again.url);
      expect(codeOf(await call(alice, { _confirmation: token }))).toBe('OK');
      second = tokenIn(await call(alice));
    }
    await using changed = await start({ rules: [{ match: { operation: 'do_safe' }, decision: 'deny' }] });
    await using alice = await as('alice', 'auto', changed.url);
    expect(codeOf(await call(alice, { _confirmation: token }))).toBe('TOKEN_INVALID');
    expect(codeOf(await call(alice, { _confirmation: second }))).toBe('TOKEN_INVALID');
  });
});

describe('the limit per minute', () => {
  it('refuses further questions, and further guesses', async () => {
    await using strict = await hostGateway(
      configOf({ confirmation: { maxIssuedPerMinute: 3, maxFailuresPerMinute: 2 } }),
    );
    await using alice = await as('alice', 'auto', strict.url);
    const asked = [await call(alice), await call(alice), await call(alice), await call(alice)];
    expect(asked.map(codeOf)).toEqual([...Array(3).fill('CONFIRMATION_REQUIRED'), 'RATE_LIMIT_EXCEEDED']);
    const guess = () => call(alice, { _confirmation: UNKNOWN_TOKEN });
    const guessed = [await guess(), await guess(), await guess()];
    expect(guessed.map(codeOf)).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED']);
    // Beyond the limit a valid token is not checked either.
    const token = tokenIn(asked[0] as Answer);
    const late = await call(alice, { _confirmation: token });
    expect(late.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { limit: 2, window: 'minute' } });
    await using bob = await as('bob', 'auto', strict.url);
    expect(codeOf(await call(bob))).toBe('CONFIRMATION_REQUIRED');
  });
});
