import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../src/config/load/build-access.js';
import { load, loadOnly, problemsOf } from './config-folder.js';

const ONE = 'the-first-token-1111';
const TWO = 'the-second-token-2222';
const THREE = 'the-third-token-3333';

const client = (name: string, token: string) => ({ name, keys: [{ hash: hashToken(token) }], groups: [] });
const operator = (name: string, token: string) => ({ name, keys: [{ hash: hashToken(token) }] });
const operators = (entries: unknown): unknown => ({ policy: { approvals: { operators: entries } } });

describe('clients and operators', () => {
  it('are read as names with tokens, in order', async () => {
    const main = {
      clients: { ci: { token: ONE }, 'Desk.2-a_b': { token: '${DESK}' } },
      policy: { approvals: { operators: { alice: { token: THREE } } } },
    };
    const config = await loadOnly(main, { env: { DESK: TWO } });
    expect(config.clients).toEqual([client('ci', ONE), client('Desk.2-a_b', TWO)]);
    expect(config.policy.approvals.operators).toEqual([operator('alice', THREE)]);
  });

  it('are empty when none is configured', async () => {
    expect((await loadOnly({})).clients).toEqual([]);
  });

  it('may have their secrets in files, relative to the main file', async () => {
    const files = { 'secrets/ci': `${ONE}\n`, 'secrets/alice': TWO, 'secrets/hook': THREE };
    const main = {
      clients: { ci: { token_FILE: 'secrets/ci' }, both: { token: `${ONE}x`, token_FILE: 'gone' } },
      policy: {
        approvals: {
          operators: { alice: { token_FILE: 'secrets/alice' } },
          webhook: { url: 'https://hook.example/x', secret_FILE: 'secrets/hook' },
        },
      },
    };
    const { clients, policy } = await loadOnly(main, { files });
    expect(clients).toEqual([client('ci', ONE), client('both', `${ONE}x`)]);
    expect(policy.approvals).toMatchObject({
      operators: [operator('alice', TWO)],
      webhook: { url: 'https://hook.example/x', secret: THREE },
    });
  });

  it('may come from the environment: one of each, in addition to those of the file', async () => {
    const env = { MCP_AQL_CLIENT_TOKEN: ONE, MCP_AQL_ADMIN_TOKEN_FILE: 'admin' };
    const config = await loadOnly({ clients: { ci: { token: THREE } } }, { env, files: { admin: TWO } });
    expect(config.clients).toEqual([client('ci', THREE), client('default', ONE)]);
    expect(config.policy.approvals.operators).toEqual([operator('admin', TWO)]);
  });

  it('have the token of the environment literally', async () => {
    const env = { MCP_AQL_CLIENT_TOKEN: 'a$${b}c${HOME}d${e-0123456789', HOME: 'x' };
    expect((await loadOnly({}, { env })).clients).toEqual([client('default', env.MCP_AQL_CLIENT_TOKEN)]);
  });
});

describe('the configuration of secrets', () => {
  const short = 'expected at least 16 characters, got 5';
  const missing = "missing; expected a string, or 'token_FILE' with the path of a file";
  const name = 'expected text that matches ^[A-Za-z0-9][A-Za-z0-9_.-]*$';

  it.each([
    [{ clients: { a: { token: 'short' } } }, 'clients.a.token', short],
    [{ clients: { a: {} } }, 'clients.a.token', missing],
    [
      { clients: { a: { token: 'with a blank in the middle' } } },
      'clients.a.token',
      'expected visible ASCII characters without blanks',
    ],
    [
      { clients: { a: { token: 'grüße-grüße-grüße-grüße' } } },
      'clients.a.token',
      'expected visible ASCII characters without blanks',
    ],
    [{ clients: { a: { token: 5 } } }, 'clients.a.token', 'expected a string, got a number'],
    [{ clients: { a: { tokens: ONE, token: ONE } } }, 'clients.a.tokens', "unknown key 'tokens'"],
    [{ clients: { a: ONE } }, 'clients.a', 'expected an object, got a string'],
    [{ clients: { '-a': { token: ONE } } }, 'clients["-a"]', name],
    [{ clients: { a: { token: '${NOWHERE_TOKEN}' } } }, 'clients.a.token', "the variable 'NOWHERE_TOKEN' is not set"],
    [{ clients: { a: { token_FILE: 'short.txt' } } }, 'clients.a.token_FILE', short],
    [operators({ 'a b': { token: ONE } }), 'policy.approvals.operators["a b"]', name],
    [operators({ a: { token: 'short' } }), 'policy.approvals.operators.a.token', short],
  ])('refuses %j', async (main, path, message) => {
    const problems = await problemsOf(main, { files: { 'short.txt': 'short\n' } });
    expect(problems).toEqual([expect.objectContaining({ path, message })]);
  });

  it('refuses a file that does not exist', async () => {
    const [problem] = await problemsOf({ clients: { a: { token_FILE: 'gone' } } });
    expect(problem).toMatchObject({
      path: 'clients.a.token_FILE',
      message: expect.stringMatching(/gone' cannot be read \(ENOENT\)$/),
    });
  });

  it.each(['MCP_AQL_CLIENT_TOKEN', 'MCP_AQL_ADMIN_TOKEN'])(
    'names %s where the variable holds the fault',
    async (variable) => {
      const problems = await problemsOf({}, { env: { [variable]: 'short' } });
      expect(problems).toEqual([expect.objectContaining({ file: 'environment', path: variable, message: short })]);
    },
  );
});

describe('a secret that is used twice', () => {
  const approve = "; a client that has an operator's token could approve its own calls";
  const hook = { url: 'https://hook.example', secret: ONE };

  it.each([
    [
      { clients: { a: { token: ONE } }, policy: { approvals: { operators: { b: { token: ONE } } } } },
      'clients.a.token',
      `the same secret as policy.approvals.operators.b.token${approve}`,
    ],
    [{ clients: { a: { token: ONE }, b: { token: ONE } } }, 'clients.b.token', 'the same secret as clients.a.token'],
    [
      operators({ a: { token: ONE }, b: { token: ONE } }),
      'policy.approvals.operators.b.token',
      'the same secret as policy.approvals.operators.a.token',
    ],
    [
      { policy: { approvals: { operators: { a: { token: ONE } }, webhook: hook } } },
      'policy.approvals.webhook.secret',
      'the same secret as policy.approvals.operators.a.token',
    ],
  ])('refuses %j', async (main, path, message) => {
    const problems = await problemsOf(main);
    expect(problems).toEqual([expect.objectContaining({ path, message })]);
    expect(JSON.stringify(problems)).not.toContain(ONE);
  });

  it('is refused from every source', async () => {
    const env = { MCP_AQL_CLIENT_TOKEN: ONE, MCP_AQL_ADMIN_TOKEN_FILE: 'admin' };
    const problems = await problemsOf({}, { env, files: { admin: ONE } });
    expect(problems).toEqual([
      expect.objectContaining({
        file: 'environment',
        path: 'MCP_AQL_CLIENT_TOKEN',
        message: `the same secret as policy.approvals.operators.admin.token${approve}`,
      }),
    ]);
  });
});

describe('a server without clients that listens beyond loopback', () => {
  const warning = (place: string): string =>
    `${place}: there are no clients, so 'serve' makes a token that they must send; set 'clients' or MCP_AQL_CLIENT_TOKEN, or server.allowUnauthenticated where something else decides who may connect`;

  it.each(['0.0.0.0', '::', '192.168.1.2', 'gateway.example', '128.0.0.1', 'localhost.example'])(
    'gets a warning at %s',
    async (host) => {
      const { warnings } = await load({ server: { host } });
      expect(warnings).toEqual([warning('gateway.config.json: server.host')]);
    },
  );

  it('is reported by the name of the variable that set the address', async () => {
    const { warnings } = await load({}, { env: { MCP_AQL_HOST: '0.0.0.0' } });
    expect(warnings).toEqual([warning('environment: MCP_AQL_HOST')]);
  });

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', 'a.localhost', '::1', '[::1]'])(
    'is not at %s',
    async (host) => {
      expect((await load({ server: { host } })).warnings).toEqual([]);
    },
  );

  it('gets no warning where clients must authenticate', async () => {
    const { warnings } = await load({ server: { host: '0.0.0.0' }, clients: { a: { token: ONE } } });
    expect(warnings).toEqual([]);
  });
});
