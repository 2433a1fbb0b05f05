import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient } from '../support/mcp-client.js';
import type { ReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const CLIENTS = { alice: { token: 'alice-has-a-long-token' }, bob: { token: 'bob-has-a-long-token-too' } };

const configOf = (policy: object): object => ({
  clients: CLIENTS,
  policy,
  mcpServers: { demo: dangerEntry(upstream) },
});

const outcomeOf = ({ success, error }: Answer): string => (success ? 'OK' : (error?.code ?? ''));

/** Starts a gateway with these rules, makes the calls of one client and returns their outcomes in order. */
async function ask(
  policy: object,
  attempts: readonly (readonly [operation: string, params?: object, who?: 'bob'])[],
  start: (config: object) => Promise<RunningGateway> = hostGateway,
) {
  await using gateway = await start(configOf(policy));
  await using alice = await connectClient(gateway.url, 'auto', { token: CLIENTS.alice.token });
  await using bob = await connectClient(gateway.url, 'auto', { token: CLIENTS.bob.token });
  const outcomes: string[] = [];
  for (const [operation, params = {}, who] of attempts) {
    outcomes.push(outcomeOf(await (who === 'bob' ? bob : alice).call(EXECUTE, operation, { ...params })));
  }
  return outcomes;
}

const ALLOWED = 'OK';
const ASKED = 'CONFIRMATION_REQUIRED';
const DENIED = 'PERMISSION_DENIED';
const BY_MATRIX = 'PERMISSION_DANGER_LEVEL_DENIED';

describe('the policy rules of a running gateway decide', () => {
  it.each([
    {
      what: 'an operation by pattern',
      rules: [{ match: { operation: 'do_re*' }, decision: 'deny' }],
      attempts: [['do_reversible'], ['demo__do_reversible'], ['do_safe']],
      outcomes: [DENIED, DENIED, ALLOWED],
    },
    {
      what: 'deny beats confirm beats allow, whatever their order',
      rules: [
        { match: { operation: 'do_safe' }, decision: 'deny' },
        { match: { category: 'EXECUTE' }, decision: 'confirm' },
        { match: { operation: ['do_safe', 'do_reversible'] }, decision: 'allow' },
      ],
      attempts: [['do_safe'], ['do_reversible']],
      outcomes: [DENIED, ASKED],
    },
    {
      what: 'the danger named lifts the matrix, an allowance at large does not',
      rules: [
        { match: { danger: 'dangerous' }, decision: 'allow' },
        { match: { upstream: 'demo' }, decision: 'allow' },
      ],
      attempts: [['do_dangerous'], ['do_destructive'], ['do_forbidden']],
      outcomes: [ALLOWED, ASKED, BY_MATRIX],
    },
    {
      what: 'a client, by who it proved to be',
      rules: [{ match: { client: 'b*', operation: 'do_safe' }, decision: 'deny' }],
      attempts: [['do_safe'], ['do_safe', {}, 'bob']],
      outcomes: [ALLOWED, DENIED],
    },
    {
      what: 'a glob over a parameter, and ways around it',
      rules: [{ match: { params: { path: { glob: '/prod/**' } } }, decision: 'deny' }],
      attempts: [
        ['do_safe', { path: '/prod/db/x' }],
        ['do_safe', { path: '/test/../prod/db' }],
        ['do_safe', { path: '//prod//db' }],
        ['do_safe', { path: '/test/db' }],
        ['do_safe'],
      ],
      outcomes: [DENIED, DENIED, DENIED, ALLOWED, ALLOWED],
    },
    {
      what: 'comparison, equality and presence',
      rules: [
        { match: { params: { count: { gt: 10 } } }, decision: 'deny' },
        { match: { params: { count: { equals: 7 } } }, decision: 'confirm' },
        { match: { operation: 'do_reversible', params: { count: { present: false } } }, decision: 'deny' },
      ],
      attempts: [
        ['do_safe', { count: 11 }],
        ['do_safe', { count: 10 }],
        ['do_safe', { count: 7 }],
        ['do_reversible'],
        ['do_reversible', { count: 1 }],
      ],
      outcomes: [DENIED, ALLOWED, ASKED, DENIED, ALLOWED],
    },
  ] as const)('$what', async ({ rules, attempts, outcomes }) => {
    const before = upstream.calls.length;
    expect(await ask({ rules }, attempts)).toEqual(outcomes);
    expect(upstream.calls).toHaveLength(before + outcomes.filter((outcome) => outcome === ALLOWED).length);
  });

  it('with the reason of the rule in the denial', async () => {
    const rules = [
      { name: 'freeze', match: { operation: '*' }, decision: 'deny', reason: 'releases are frozen until Monday' },
    ];
    await using gateway = await hostGateway(configOf({ rules }));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENTS.alice.token });
    const { error } = await client.call(EXECUTE, 'do_safe');
    expect(error?.message).toContain("Permission denied: 'releases are frozen until Monday'");
    expect(error?.details).toMatchObject({ operation: 'do_safe', rule: 'freeze' });
    // Discovery stays available: a model must be able to find operations.
    expect((await client.introspect({ query: 'operations' })).success).toBe(true);
  });

  it.each([
    ['--read-only', { args: ['--read-only'] }],
    ['MCP_AQL_READ_ONLY', { env: { MCP_AQL_READ_ONLY: 'true' } }],
  ])('with a denial of everything that is not READ under %s', async (_name, options) => {
    const start = (config: object) => serveGateway(config, options);
    const outcomes = await ask({}, [['do_safe'], ['do_reversible'], ['do_destructive']], start);
    expect(outcomes).toEqual([DENIED, DENIED, DENIED]);
  });
});

describe('policy explain', () => {
  const RULES = [
    {
      name: 'no-prod',
      match: { params: { path: { glob: '/prod/**' } } },
      decision: 'deny',
      reason: 'production is off limits',
    },
    { name: 'ask-bob', match: { client: 'bob' }, decision: 'confirm', requires: 'human' },
  ];

  async function explain(...args: readonly string[]) {
    await using directory = await makeDirectory();
    const file = join(directory.path, 'gateway.config.json');
    await writeFile(file, JSON.stringify(configOf({ rules: RULES })));
    return await runCli(['policy', 'explain', ...args, '--config', file], { cwd: directory.path });
  }

  it('says which rule decides and why', async () => {
    const denied = await explain('do_safe', '--params', '{"path": "/prod/db"}');
    expect(denied.stderr).toBe('');
    expect(denied.code).toBe(0);
    expect(denied.stdout).toContain('do_safe: deny');
    expect(denied.stdout).toMatch(/\* no-prod \(deny\): .*path/);
    const asked = JSON.parse((await explain('do_safe', '--client', 'bob', '--json')).stdout);
    expect(asked.decision).toMatchObject({ effect: 'confirm', requires: 'human', rule: 'ask-bob', by: 'rule' });
    const matrix = JSON.parse((await explain('do_destructive', '--json')).stdout);
    expect(matrix.decision).toMatchObject({ effect: 'confirm', requires: 'token', rule: null, by: 'matrix' });
  });

  it('says that an operation does not exist', async () => {
    const { code, stderr } = await explain('do_nothing');
    expect(code).toBe(5);
    expect(stderr).toContain("Unknown operation: 'do_nothing'");
  });
});
