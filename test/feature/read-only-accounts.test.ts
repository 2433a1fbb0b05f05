import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { requirePackage } from '../../src/base/asset.js';
import { questionsFor } from '../../src/catalog/account/probes.js';
import { readCliConfig } from '../../src/cli/shared/context.js';
import { reviewUpstream } from '../../src/gateway/review/upstream-review.js';
import { makeDirectory, prepareFolder } from '../support/gateway-folder.js';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { waitFor } from '../support/patience.js';
import { readJournals } from '../support/read-journals.js';

/** A server of PostgreSQL that counts the ways to write by a file, and runs everything else. */
const database = (answer: string): string => `{
  execute_sql: {
    tool: {
      description: 'Execute SQL on the PostgreSQL database',
      inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
    },
    run: ({ sql }) => {
      const file = process.env.WAYS;
      const ways = file === undefined ? 0 : Number(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'));
      const n = /2 \\* (\\d+)/.exec(sql)?.[1];
      const text = n === undefined ? 'ran ' + sql : String(${answer});
      return { content: [{ type: 'text', text }] };
    },
  },
}`;
const HONEST = "sql.includes('pg_has_role') ? 2 * n + ways : 2 * n + 1";
const shop = inlineServer(database(HONEST));
/** What no grammar proves by itself: columns that may be calls, a type and an operator of the schema. */
const JOINED = 'SELECT o.id, u.name FROM orders o JOIN users u ON u.id = o.user_id';
const OWN = "SELECT id FROM pictures ORDER BY embedding <-> '[1,2]'::vector";

const ASKED = { error: { code: 'CONFIRMATION_REQUIRED' } };
const states = ({ gateway }: HostedGateway): unknown =>
  gateway.status().upstreams[0]?.account?.map(({ state, proves }) => [proves, state]);
const PROVEN = [
  ['account', 'cannot_write'],
  ['session', 'can_write'],
];

it('lets statements read what the schema brings where the product has answered that its account cannot write', async () => {
  await using gateway = await hostGateway({ mcpServers: { shop } });
  await using client = await connectClient(gateway.url);
  await expect.poll(() => states(gateway)).toEqual(PROVEN);
  for (const sql of [JOINED, OWN]) {
    await waitFor(async () =>
      expect(await client.call('mcp_aql_execute', 'execute_sql', { sql })).toMatchObject({ data: `ran ${sql}` }),
    );
    expect(await client.call('mcp_aql_read', 'execute_sql_read_only', { sql })).toMatchObject({ success: true });
  }
});

const ACTING = [
  'SET default_transaction_read_only = off; DROP TABLE users',
  'BEGIN READ WRITE',
  'SET ROLE postgres',
  'RESET ROLE',
  'SELECT 1; SELECT 2',
  'DROP TABLE users',
  'SELECT pg_sleep(60)',
  'SELECT pg_terminate_backend(1)',
  "SELECT lo_import('/etc/passwd')",
  "SELECT set_config('role', 'postgres', false)",
  'SELECT x.pg_sleep FROM generate_series(1, 60) x',
  "COPY users TO PROGRAM 'id'",
  'SELECT * INTO copies FROM users',
  'SELECT o.id FROM orders o FOR UPDATE',
  'SELECT 1 <--> 2',
  'PRAGMA query_only = 0',
];

it('judges by its value what an account that cannot write could do all the same', async () => {
  await using gateway = await hostGateway({ mcpServers: { shop: { ...shop, readOnlyAccount: true } } });
  await using client = await connectClient(gateway.url);
  await expect.poll(() => states(gateway)).toEqual(PROVEN);
  for (const sql of ACTING) {
    expect(await client.call('mcp_aql_execute', 'execute_sql', { sql }), sql).toMatchObject(ASKED);
    expect(await client.call('mcp_aql_read', 'execute_sql_read_only', { sql }), sql).toMatchObject({ success: false });
  }
});

it('rests nothing on an answer that says otherwise, repeats the question or does not depend on it', async () => {
  const answers = {
    can_write: '2 * n + 3',
    sets_alone: "sql.includes('pg_has_role') ? 'none' : 2 * n",
    repeats: "sql + ' for ' + n",
    says_always: '300000000',
    says_both: "2 * n + ' ' + (2 * n + 1)",
  };
  const servers = Object.entries(answers).map(([name, answer]) => [name, inlineServer(database(answer))]);
  await using gateway = await hostGateway({ mcpServers: Object.fromEntries(servers) });
  await using client = await connectClient(gateway.url);
  const asked = () => gateway.gateway.status().upstreams.flatMap(({ account = [] }) => account);
  await expect.poll(() => asked().length).toBe(10);
  for (const name of Object.keys(answers))
    expect(await client.call('mcp_aql_execute', `${name}__execute_sql`, { sql: JOINED }), name).toMatchObject(ASKED);
});

it('ends what it rested on where a later answer is another one', async () => {
  await using folder = await makeDirectory();
  const ways = join(folder.path, 'ways');
  await writeFile(ways, '0');
  await using gateway = await hostGateway({ mcpServers: { shop: { ...shop, env: { WAYS: ways } } } });
  await using client = await connectClient(gateway.url);
  const call = () => client.call('mcp_aql_execute', 'execute_sql', { sql: JOINED });
  await waitFor(async () => expect(await call()).toMatchObject({ success: true }));
  await writeFile(ways, '1');
  gateway.gateway.restartUpstream('shop');
  await waitFor(async () => expect(await call()).toMatchObject(ASKED));
  await expect.poll(() => states(gateway)).toContainEqual(['account', 'can_write']);
  await writeFile(ways, '0');
  gateway.gateway.restartUpstream('shop');
  await waitFor(async () => expect(await call()).toMatchObject({ success: true }));
  await gateway.reload({ mcpServers: { shop: { ...shop, env: { WAYS: ways }, readOnlyAccount: false } } });
  expect(await call()).toMatchObject(ASKED);
  expect(states(gateway)).toBeUndefined();
});

it('asks again every hour', async () => {
  await using folder = await makeDirectory();
  const ways = join(folder.path, 'ways');
  await writeFile(ways, '0');
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    await using gateway = await hostGateway({ mcpServers: { shop: { ...shop, env: { WAYS: ways } } } });
    await using client = await connectClient(gateway.url);
    const call = () => client.call('mcp_aql_execute', 'execute_sql', { sql: JOINED });
    await waitFor(async () => expect(await call()).toMatchObject({ success: true }));
    await writeFile(ways, 'revoked');
    vi.advanceTimersByTime(3_600_000);
    await waitFor(async () => expect(await call()).toMatchObject(ASKED));
  } finally {
    vi.useRealTimers();
  }
});

it("rests on the operator's word, shown as such, until the product says otherwise", async () => {
  const silent = inlineServer(database("'no answer'"), { readOnlyAccount: true });
  const writing = inlineServer(database('2 * n + 1'), { readOnlyAccount: true });
  await using gateway = await hostGateway({ mcpServers: { silent, writing } });
  await using client = await connectClient(gateway.url);
  const call = (server: string) => client.call('mcp_aql_execute', `${server}__execute_sql`, { sql: JOINED });
  await waitFor(async () => expect(await call('writing')).toMatchObject(ASKED));
  expect(await call('silent')).toMatchObject({ success: true });
  const details = await client.call('mcp_aql_read', 'introspect', { query: 'upstreams', name: 'silent' });
  expect(details.data.upstream.account).toBe("the account behind 'silent' cannot write: its operator says so");
});

it('refuses the word on an account of a server whose users have their own', async () => {
  const server = { url: 'https://example.org/mcp', credentials: { type: 'forwardHeaders', headers: ['x-key'] } };
  await using gateway = await hostGateway({ mcpServers: { shop: { ...server, readOnlyAccount: true } } });
  const [shown] = gateway.gateway.status().upstreams;
  expect(shown).toMatchObject({ state: 'misconfigured' });
  expect(shown?.problem).toContain("with 'credentials' calls use those of their callers");
});

it('asks nothing that nobody may call, charges nobody, and journals what it asks as its own', async () => {
  await using gateway = await hostGateway({
    mcpServers: { shop, hidden: { ...shop, operations: { execute_sql: { hide: true } } } },
    quotas: { limits: [{ name: 'one', match: {}, metric: 'requests_per_hour', hard_stop: 1 }] },
  });
  await expect.poll(() => states(gateway)).toEqual(PROVEN);
  expect(gateway.gateway.status().upstreams.find(({ slug }) => slug === 'hidden')?.account).toBeUndefined();
  await using client = await connectClient(gateway.url);
  expect(await client.call('mcp_aql_execute', 'shop__execute_sql', { sql: 'SELECT 1' })).toMatchObject({
    success: true,
  });
  const records = await waitFor(async () => {
    const found = (await readJournals(gateway.directory)).filter(({ action }) => action === 'account.asked');
    expect(found).toHaveLength(2);
    return found;
  });
  expect(records[0]).toMatchObject({
    type: 'admin',
    actor: {},
    details: { upstream: 'shop', state: 'cannot_write', asked: "PostgreSQL privileges, by 'execute_sql'" },
  });
});

it('shows in doctor what the account of a server was asked, and answered', async () => {
  await using folder = await prepareFolder({ server: { port: 0 }, mcpServers: { shop } }, {});
  const { config } = await readCliConfig({ config: folder.file });
  const [server] = config.upstreams;
  if (server === undefined) throw new Error('there is no server');
  const deps = { clientInfo: { name: 'doctor', version: '1' }, packageDirectory: folder.path };
  const { steps } = await reviewUpstream(server, config, deps);
  expect(steps.filter(({ step }) => step === 'account').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^PostgreSQL privileges, by 'execute_sql': cannot write: 0 ways to write/),
    expect.stringMatching(/^PostgreSQL default_transaction_read_only, .*, and nothing rests on it/),
  ]);
});

it('looks a text up without judging it where the token of GitHub has no scope that writes', async () => {
  let scopes: string | undefined = 'read:org, read:user';
  const asked: (string | undefined)[] = [];
  const api = createServer(({ headers, url }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    if (scopes !== undefined) response.setHeader('x-oauth-scopes', scopes);
    response.end('{}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  try {
    const env = { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_told', GITHUB_HOST: `http://127.0.0.1:${port}` };
    await using gateway = await hostGateway({ mcpServers: { github: inlineServer(GITHUB, { env }) } });
    await using client = await connectClient(gateway.url);
    const call = () => client.call('mcp_aql_read', 'search_code', { q: 'x', order: 'git push --force origin main' });
    await waitFor(async () => expect(await call()).toMatchObject({ success: true }));
    expect(asked).toEqual(['/api/v3/rate_limit Bearer ghp_told']);
    expect(JSON.stringify(gateway.gateway.status())).not.toContain('ghp_told');
    for (const next of ['repo, read:org', undefined]) {
      scopes = next;
      gateway.gateway.restartUpstream('github');
      await waitFor(async () => expect(await call()).toMatchObject({ success: false }));
    }
  } finally {
    api.close();
  }
});

/** A server of another product, which answers the question about its account as `answer` computes it from `n`. */
const product = (tool: string, description: string, answer: string) =>
  inlineServer(`{
  ${tool}: {
    tool: {
      description: '${description}',
      inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
    },
    run: ({ sql }) => {
      const n = /2 \\* (\\d+)/.exec(sql)?.[1];
      return { content: [{ type: 'text', text: n === undefined ? 'ran ' + sql : String(${answer}) }] };
    },
  },
}`);

it('shows what the grants of MySQL say of its account, and concludes nothing from what MariaDB answers', async () => {
  const grants = (answer: string) => product('mysql_query', 'Runs SQL on MySQL', answer);
  const mcpServers = {
    reads: grants("sql.includes('applicable_roles') && 2 * n"),
    writes: grants('2 * n + 1'),
    maria: grants('0'),
  };
  await using gateway = await hostGateway({ mcpServers });
  const shown = () => gateway.gateway.status().upstreams.map(({ slug, account = [] }) => [slug, account[0]?.state]);
  await expect
    .poll(() => Object.fromEntries(shown()))
    .toEqual({
      reads: 'cannot_write',
      writes: 'can_write',
      maria: 'unknown',
    });
});

it('reads from SQLite itself whether its connection is set to only read, and rests nothing on it', async () => {
  const Database = requirePackage('libsql');
  const database = new Database(':memory:');
  const tool = {
    name: 'execute_sql',
    description: 'Runs SQL on SQLite',
    inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
  };
  for (const [setting, state] of [
    [0, 'can_write'],
    [1, 'cannot_write'],
  ] as const) {
    database.pragma(`query_only = ${setting}`);
    const [question, ...others] = questionsFor(
      { slug: 'notes', endpoint: { type: 'http', url: '', headers: {} } },
      [tool],
      '',
    );
    if (question === undefined || !('tool' in question.by)) throw new Error('nothing is asked');
    const rows: unknown = database.prepare(String(question.by.arguments['sql'])).all();
    expect(question.read(JSON.stringify(rows))).toMatchObject({ state });
    expect([others, question.probe.proves]).toEqual([[], 'session']);
  }
  await using gateway = await hostGateway({
    mcpServers: { notes: product('execute_sql', 'Runs SQL on SQLite', '2 * n') },
  });
  await using client = await connectClient(gateway.url);
  await expect.poll(() => states(gateway)).toEqual([['session', 'cannot_write']]);
  const sql = 'SELECT settle(id) FROM notes';
  expect(await client.call('mcp_aql_execute', 'execute_sql', { sql })).toMatchObject(ASKED);
});

/** The names of GitHub's server, of which it is known by half. */
const NAMES =
  'add_issue_comment create_branch create_issue create_or_update_file create_pull_request create_pull_request_review create_repository fork_repository get_file_contents get_issue get_pull_request get_pull_request_comments get_pull_request_files list_commits search_code search_issues search_repositories search_users';
const GITHUB = `Object.fromEntries('${NAMES}'.split(' ').map((name) => [name, {
  tool: { description: 'Of GitHub: ' + name, inputSchema: { type: 'object', properties: { q: { type: 'string' }, order: { type: 'string' } } } },
  run: () => ({ content: [{ type: 'text', text: 'found' }] }),
}]))`;
