import { describe, expect, it } from 'vitest';
import { POLICY_EXAMPLE } from '../../../tools/docs/config-reference.js';
import { load, loadOnly, problemsOf } from './config-folder.js';

const TOKEN = 'a-token-of-sufficient-length';
const SECRET = 'a-secret-of-sufficient-length';

const withRules = (...rules: unknown[]): unknown => ({ policy: { rules } });
const withParams = (params: unknown): unknown => withRules({ match: { params }, decision: 'deny' });

describe('the policy', () => {
  it('has no rules and the default settings when it is not configured', async () => {
    expect((await loadOnly({})).policy).toEqual({
      readOnly: false,
      rules: [],
      confirmation: {
        ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
        clockSkewSeconds: 30,
        batch: 'each',
        maxIssuedPerMinute: 60,
        maxFailuresPerMinute: 20,
      },
      approvals: {
        elicitation: true,
        operator: true,
        mode: 'retry',
        waitSeconds: 60,
        expireSeconds: 900,
        maxPending: 200,
        maxPendingPerClient: 20,
        operators: [],
        operatorGroups: [],
      },
    });
  });

  it('turns single values into lists, and names rules by their position', async () => {
    const { policy } = await loadOnly(
      withRules(
        {
          match: {
            operation: 'delete_*',
            category: 'DELETE',
            danger: ['dangerous', 'forbidden'],
            upstream: 'git*',
            client: ['ci*'],
            params: {
              'options.force': { equals: null },
              path: { glob: '**/x', present: true },
              n: { gt: 1, lte: 2.5 },
            },
          },
          decision: 'confirm',
          requires: 'human',
          cooldown_seconds: 5,
          reason: 'why',
        },
        { name: 'ours', decision: 'deny' },
        { match: { params: { n: { in: [1, 'a', { b: [] }] } } }, decision: 'allow' },
      ),
    );
    expect(policy.rules).toEqual([
      {
        name: 'rule 1',
        match: {
          operation: ['delete_*'],
          category: ['DELETE'],
          danger: ['dangerous', 'forbidden'],
          upstream: ['git*'],
          client: ['ci*'],
          params: {
            'options.force': { equals: null },
            path: { glob: ['**/x'], present: true },
            n: { gt: 1, lte: 2.5 },
          },
        },
        decision: 'confirm',
        requires: 'human',
        cooldownSeconds: 5,
        reason: 'why',
      },
      { name: 'ours', match: {}, decision: 'deny', requires: 'token' },
      { name: 'rule 3', match: { params: { n: { in: [1, 'a', { b: [] }] } } }, decision: 'allow', requires: 'token' },
    ]);
  });

  it('finds upstreams by any spelling of their names, and leaves patterns unchanged', async () => {
    const { config, warnings } = await load({
      mcpServers: { 'My-Server': { command: 'x' } },
      policy: { rules: [{ match: { upstream: ['My-Server', 'my*', 'gateway'] }, decision: 'deny' }] },
    });
    expect(config.policy.rules[0]?.match.upstream).toEqual(['my_server', 'my*', 'gateway']);
    expect(warnings).toEqual([]);
  });

  it('fills missing settings with the defaults one by one', async () => {
    const { policy } = await loadOnly({
      policy: {
        readOnly: true,
        confirmation: { ttlSeconds: { forbidden: 300 }, clockSkewSeconds: 60 },
        approvals: { mode: 'wait', publicUrl: 'https://gate.example/x', operators: { a: { token: TOKEN } } },
      },
    });
    expect(policy).toMatchObject({
      readOnly: true,
      confirmation: { ttlSeconds: { destructive: 300, forbidden: 300 }, clockSkewSeconds: 60, maxIssuedPerMinute: 60 },
      approvals: { mode: 'wait', waitSeconds: 60, publicUrl: 'https://gate.example/x' },
    });
    expect(policy.approvals).not.toHaveProperty('webhook');
  });

  it('accepts the example of the documentation without a warning', async () => {
    const { config, warnings } = await load(POLICY_EXAMPLE, { env: { CI_TOKEN: TOKEN, ALICE_TOKEN: SECRET } });
    expect(warnings).toEqual([]);
    expect(config.policy.rules.map(({ name, decision }) => [name, decision])).toEqual([
      ['sandboxes', 'allow'],
      ['large refunds', 'confirm'],
      ['no deletions by ci', 'deny'],
    ]);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('MCP_AQL_READ_ONLY=%s is %s, and beats the file', async (text, readOnly) => {
    const main = { policy: { readOnly: !readOnly } };
    expect((await loadOnly(main, { env: { MCP_AQL_READ_ONLY: text } })).policy.readOnly).toBe(readOnly);
  });

  it('lets --read-only beat everything', async () => {
    const given = { env: { MCP_AQL_READ_ONLY: 'false' }, flags: { readOnly: true } };
    expect((await loadOnly({}, given)).policy.readOnly).toBe(true);
  });
});

describe('the policy: faults', () => {
  const RULE = 'policy.rules[0]';
  const empty = 'expected text, got an empty string';
  const pattern = "expected the names that are meant: a leading '!' does not turn a pattern round";
  const onlyConfirm = "only a rule with the decision 'confirm' has it";
  const notGiven = "a parameter that is not given ('present': false) meets no other condition";

  it.each([
    [{ match: { operation: 'x' } }, `${RULE}.decision`, "missing; expected one of 'allow', 'confirm', 'deny'"],
    [{ match: { operation: 'x' }, decision: 'ask' }, `${RULE}.decision`, "expected one of 'allow', 'confirm', 'deny'"],
    [{ decision: 'allow' }, `${RULE}.match`, 'a rule that allows must say what'],
    [{ match: {}, decision: 'allow' }, `${RULE}.match`, 'a rule that allows must say what'],
    [{ decision: 'deny', requires: 'human' }, `${RULE}.requires`, onlyConfirm],
    [{ match: { client: 'a*' }, decision: 'allow', cooldown_seconds: 1 }, `${RULE}.cooldown_seconds`, onlyConfirm],
    [
      { decision: 'confirm', cooldown_seconds: 3601 },
      `${RULE}.cooldown_seconds`,
      'expected at least 0 and at most 3600, got 3601',
    ],
    [{ decision: 'confirm', cooldownSeconds: 1 }, `${RULE}.cooldownSeconds`, "unknown key 'cooldownSeconds'"],
    [{ decision: 'confirm', requires: 'person' }, `${RULE}.requires`, "expected one of 'token', 'human'"],
    [{ name: '', decision: 'deny' }, `${RULE}.name`, 'expected text, got an empty string'],
    [{ match: { operations: 'x' }, decision: 'deny' }, `${RULE}.match.operations`, "unknown key 'operations'"],
    [{ match: { operation: '' }, decision: 'deny' }, `${RULE}.match.operation`, empty],
    [{ match: { upstream: '!prod' }, decision: 'deny' }, `${RULE}.match.upstream`, pattern],
    [{ match: { client: ['ci', ''] }, decision: 'deny' }, `${RULE}.match.client[1]`, empty],
    [{ match: { operation: [] }, decision: 'deny' }, `${RULE}.match.operation`, 'expected at least 1 entry'],
    [
      { match: { operation: 1 }, decision: 'deny' },
      `${RULE}.match.operation`,
      'expected a string or an array, got a number',
    ],
    [
      { match: { category: 'WRITE' }, decision: 'deny' },
      `${RULE}.match.category`,
      "expected one of 'CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'",
    ],
    [
      { match: { danger: ['safe', 'awful'] }, decision: 'deny' },
      `${RULE}.match.danger[1]`,
      "expected one of 'safe', 'reversible', 'destructive', 'dangerous', 'forbidden'",
    ],
    [
      { match: { category: 5 }, decision: 'deny' },
      `${RULE}.match.category`,
      'expected a string or an array, got a number',
    ],
    ['deny', RULE, 'expected an object, got a string'],
  ])('refuses the rule %j', async (rule, path, message) => {
    expect(await problemsOf(withRules(rule))).toEqual([expect.objectContaining({ path, message })]);
  });

  it.each([
    [{}, 'params', 'expected at least 1 entry'],
    [{ a: {} }, 'params.a', 'expected at least 1 entry'],
    [{ a: { equal: 1 } }, 'params.a.equal', "unknown key 'equal'"],
    [{ a: { gt: '1' } }, 'params.a.gt', 'expected a number, got a string'],
    [{ a: { in: [] } }, 'params.a.in', 'expected at least 1 entry'],
    [{ a: { glob: '' } }, 'params.a.glob', 'expected text, got an empty string'],
    [{ a: { glob: ['x', ''] } }, 'params.a.glob[1]', 'expected text, got an empty string'],
    [{ a: { present: false, equals: 1 } }, 'params.a', notGiven],
    [{ 'a..b': { present: true } }, 'params["a..b"]', 'expected text that matches ^[^.]+(\\.[^.]+)*$'],
  ])('refuses the conditions %j', async (params, path, message) => {
    expect(await problemsOf(withParams(params))).toEqual([
      expect.objectContaining({ path: `${RULE}.match.${path}`, message }),
    ]);
  });

  const extended = 'expected a pattern without extended globs such as @(a|b), and without named classes';
  const many = 'expected braces of at most 64 alternatives, and classes such as [a-z]';
  it.each([
    [{ operation: 'a_@(b|c)' }, 'operation', extended],
    [{ upstream: ['a', '+(b)'] }, 'upstream[1]', extended],
    [{ client: 'a[[:digit:]]' }, 'client', extended],
    [{ params: { a: { glob: '*(x)' } } }, 'params.a.glob', extended],
    [{ params: { a: { glob: ['a', 'n{1..65}'] } } }, 'params.a.glob[1]', many],
  ])('refuses the patterns %j', async (match, path, message) => {
    expect(await problemsOf(withRules({ match, decision: 'deny' }))).toEqual([
      { file: 'gateway.config.json', path: `${RULE}.match.${path}`, message, suggestion: expect.any(String) },
    ]);
  });

  it('accepts wildcards, classes, braces and an escaped parenthesis in patterns', async () => {
    const glob = ['*', '**/x?', '[a-z]{b,c}', '*\\(1\\)', 'n{1..64}'];
    const { policy } = await loadOnly(withParams({ a: { glob } }));
    expect(policy.rules[0]?.match.params?.['a']?.glob).toEqual(glob);
  });

  it('refuses two rules of one name, also when one name is a position', async () => {
    const problems = await problemsOf(
      withRules(
        { name: 'a', decision: 'deny' },
        { name: 'rule 3', decision: 'deny' },
        { decision: 'deny' },
        {
          name: 'a',
          decision: 'deny',
        },
      ),
    );
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      ['policy.rules[2].name', "rule 2 is called 'rule 3' too"],
      ['policy.rules[3].name', "rule 1 is called 'a' too"],
    ]);
  });

  it('refuses all faults in one list', async () => {
    const problems = await problemsOf(
      withRules({ decision: 'allow' }, { decision: 'deny', requires: 'human' }, { decision: 'dney' }),
    );
    expect(problems.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['policy.rules[2].decision', "did you mean 'deny'?"],
      ['policy.rules[0].match', 'name operations, categories or the like'],
      ['policy.rules[1].requires', 'change the decision, or leave it out'],
    ]);
  });

  it.each([
    [{ confirmation: { ttlSeconds: { destructive: 901 } } }, 'confirmation.ttlSeconds.destructive', 1, 900, 901],
    [{ confirmation: { ttlSeconds: { dangerous: 0 } } }, 'confirmation.ttlSeconds.dangerous', 1, 900, 0],
    [{ confirmation: { ttlSeconds: { forbidden: 301 } } }, 'confirmation.ttlSeconds.forbidden', 1, 300, 301],
    [{ confirmation: { clockSkewSeconds: 301 } }, 'confirmation.clockSkewSeconds', 0, 300, 301],
    [{ confirmation: { maxIssuedPerMinute: 0 } }, 'confirmation.maxIssuedPerMinute', 1, 100_000, 0],
    [{ confirmation: { maxFailuresPerMinute: 0 } }, 'confirmation.maxFailuresPerMinute', 1, 100_000, 0],
    [{ approvals: { waitSeconds: 0 } }, 'approvals.waitSeconds', 1, 3600, 0],
    [{ approvals: { expireSeconds: 9 } }, 'approvals.expireSeconds', 10, 86_400, 9],
  ])('refuses %j, which is out of bounds', async (policy, path, least, most, got) => {
    expect(await problemsOf({ policy })).toEqual([
      expect.objectContaining({
        path: `policy.${path}`,
        message: `expected at least ${least} and at most ${most}, got ${got}`,
      }),
    ]);
  });

  const address = 'expected an http:// or https:// address';
  it.each([
    [{ publicUrl: 'gate.example' }, ['publicUrl', address]],
    [{ publicUrl: 'ftp://gate.example' }, ['publicUrl', address]],
    [{ webhook: { url: 'mailto:a@b.example', secret: SECRET } }, ['webhook.url', address]],
    [{ webhook: { secret: SECRET } }, ['webhook.url', address]],
    [
      { webhook: { url: 'https://hook.example', secret: 'short' } },
      ['webhook.secret', 'expected at least 16 characters, got 5'],
    ],
    [
      { webhook: { url: 'https://hook.example' } },
      ['webhook.secret', "missing; expected a string, or 'secret_FILE' with the path of a file"],
    ],
  ])('refuses the approvals %j', async (approvals, [path, message]) => {
    expect(await problemsOf({ policy: { approvals } })).toEqual([
      expect.objectContaining({ path: `policy.approvals.${path}`, message }),
    ]);
  });

  it('refuses a switch that is neither on nor off', async () => {
    expect(await problemsOf({}, { env: { MCP_AQL_READ_ONLY: 'yes' } })).toEqual([
      { file: 'environment', path: 'MCP_AQL_READ_ONLY', message: 'expected a boolean, got a string' },
    ]);
  });
});

describe('the policy: warnings', () => {
  const human = { decision: 'confirm', requires: 'human' };
  const off = { elicitation: false, operator: false };
  const noLinks = "its links cannot be opened, because there are no operators; set 'operators' or MCP_AQL_ADMIN_TOKEN";

  it.each([
    [
      'a grace that is longer than clocks differ',
      { confirmation: { clockSkewSeconds: 61 } },
      'confirmation.clockSkewSeconds: expired tokens stay valid for another 61 seconds; 60 are enough for clocks that differ',
    ],
    [
      'a rule about an upstream that nobody configured',
      { rules: [{ match: { upstream: 'githib' }, decision: 'deny' }] },
      "rules[0].match.upstream: there is no upstream 'githib'; it matches nothing; did you mean 'github'?",
    ],
    [
      'a rule about a client that nobody configured',
      { rules: [{ match: { client: ['ci', 'nobody'] }, decision: 'deny' }] },
      "rules[0].match.client: there is no client 'nobody'; it matches nothing",
    ],
    [
      'a person whom there is no way to ask',
      { rules: [human], approvals: off },
      "rules[0].requires: every call that it matches is refused, as 'approvals' allows neither 'elicitation' nor 'operator'",
    ],
    [
      'a link that nobody can open',
      { approvals: { publicUrl: 'http://a.example' } },
      `approvals.publicUrl: ${noLinks}`,
    ],
    [
      'a webhook whose link nobody can open',
      { approvals: { webhook: { url: 'http://a.example', secret: SECRET } } },
      `approvals.webhook: ${noLinks}`,
    ],
  ])('warns of %s', async (_, policy, warning) => {
    const { warnings } = await load({
      mcpServers: { github: { command: 'x', disabled: true } },
      clients: { ci: { token: TOKEN } },
      policy,
    });
    expect(warnings).toEqual([`gateway.config.json: policy.${warning}`]);
  });

  it.each([
    ['one way to ask is enough', { rules: [human], approvals: { operator: false } }],
    ['a token needs nobody', { rules: [{ decision: 'confirm' }], approvals: off }],
    ['patterns need not match anything yet', { rules: [{ match: { upstream: 'x*', client: '*' }, decision: 'deny' }] }],
    ['operators open links', { approvals: { publicUrl: 'http://a.example', operators: { a: { token: TOKEN } } } }],
  ])('warns of nothing: %s', async (_, policy) => {
    expect((await load({ policy })).warnings).toEqual([]);
  });
});

describe('a rule that allows a bare name', () => {
  const mcpServers = { notes: { url: 'http://localhost:1/' }, other: { url: 'http://localhost:2/' } };
  const allow = (match: unknown) => ({ rules: [{ match, decision: 'allow' }] });
  const warningsOf = async (document: object) => (await load({ mcpServers, ...document })).warnings;

  it('gets a warning, because any upstream may offer the name', async () => {
    expect(await warningsOf({ policy: allow({ operation: 'write_note' }) })).toEqual([
      "gateway.config.json: policy.rules[0].match.operation: 'write_note' is allowed for every upstream that offers the name, also while its owner is disconnected; write 'UPSTREAM__write_note', or give the name to one in 'pins'",
    ]);
  });

  it.each<[string, object]>([
    ['a qualified name', { policy: allow({ operation: 'notes__write_note' }) }],
    ['a rule about one upstream', { policy: allow({ operation: 'write_note', upstream: 'notes' }) }],
    ['a pinned name', { policy: allow({ operation: 'write_note' }), pins: { write_note: 'notes' } }],
    ["a name of the gateway's own", { policy: allow({ operation: 'introspect' }) }],
    ['a pattern, which lifts nothing', { policy: allow({ operation: 'write_*' }) }],
    ['a rule that restricts', { policy: { rules: [{ match: { operation: 'write_note' }, decision: 'deny' }] } }],
    ['a single upstream', { policy: allow({ operation: 'write_note' }), mcpServers: { notes: mcpServers.notes } }],
  ])('gets no warning for %s', async (_what, document) => {
    expect(await warningsOf(document)).toEqual([]);
  });
});
