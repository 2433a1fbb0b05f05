/**
 * Two gateways with one Redis behind a round-robin balancer that tries the other one where a connection is refused, restarted in
 * turn under load. Prints what was lost or ran twice; both must be 0.
 *
 *   npm run soak:replicas [-- seconds of load after each restart]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { createServer as createProbe } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = 2;
const WORKERS = 4;
const QUOTA = 200;
const CLIENT_TOKEN = 'soak-client-with-a-long-token';
const OPERATOR_TOKEN = 'soak-operator-with-a-long-token-01';
const TOOL = 'mcp_aql_execute';

async function freePort() {
  const probe = createProbe().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const readBody = async (message) => {
  const parts = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts);
};

/** An upstream that counts how often it ran each id. */
async function startUpstream() {
  const ran = new Map();
  const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  const names = ['do_plain', 'do_confirmed', 'do_approved', 'do_limited'];
  const tools = names.map((name) => ({ name, description: 'Does something.', inputSchema: schema }));
  const answers = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ arguments: { id } }) => {
      ran.set(id, (ran.get(id) ?? 0) + 1);
      return { content: [{ type: 'text', text: id }] };
    },
  };
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method !== 'POST') return outgoing.writeHead(405).end();
    const { id, method, params } = JSON.parse(await readBody(incoming));
    if (id === undefined) return outgoing.writeHead(202).end();
    await delay(5);
    const result = answers[method]?.(params);
    const error = { code: -32601, message: 'Method not found' };
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { ran, url: `http://127.0.0.1:${server.address().port}/mcp` };
}

async function startRedis(directory) {
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
  const redis = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const chunk of redis.stdout) if (`${chunk}`.includes('Ready to accept')) break;
  return { redis, url: `redis://127.0.0.1:${port}` };
}

/** A gateway that can be restarted on its port. */
async function createReplica(config, directory, name) {
  const port = await freePort();
  const file = join(directory, `${name}.json`);
  await writeFile(file, JSON.stringify({ ...config, dataDir: join(directory, name) }));
  const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
  const replica = { port, process: undefined, start, restart };
  async function start() {
    const args = [main, '--config', file, 'serve', '--host', '127.0.0.1', '--port', `${port}`];
    replica.process = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let words = '';
    replica.process.stderr.on('data', (chunk) => {
      words = (words + chunk).slice(-2_000);
    });
    while (!(await isReady(replica))) {
      if (replica.process.exitCode !== null) throw new Error(`the gateway ended: ${words}`);
      await delay(50);
    }
  }
  async function restart() {
    const ended = once(replica.process, 'exit');
    replica.process.kill('SIGTERM');
    await ended;
    await start();
  }
  return replica;
}

async function isReady({ port }) {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

/**
 * Asks each replica for its readiness now and then, sends requests in turn, those of a session to the replica that opened it, and
 * to the other one where none listens.
 */
async function startBalancer(replicas) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set(replicas);
  const polling = setInterval(async () => {
    for (const replica of replicas) (await isReady(replica)) ? ready.add(replica) : ready.delete(replica);
  }, 100);
  const owners = new Map();
  let turn = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming);
    turn += 1;
    const owner = owners.get(incoming.headers['mcp-session-id']);
    const first = owner === undefined ? turn % replicas.length : replicas.indexOf(owner);
    const inTurn = [...replicas.slice(first), ...replicas.slice(0, first)];
    const targets = [...inTurn.filter((each) => ready.has(each)), ...inTurn.filter((each) => !ready.has(each))];
    const tryNext = () => {
      const target = targets.shift();
      if (target === undefined) return outgoing.writeHead(502).end('no replica listens');
      const options = { host: '127.0.0.1', port: target.port, path: incoming.url, method: incoming.method, agent };
      const sent = request({ ...options, headers: incoming.headers });
      sent.once('response', (answer) => {
        const session = answer.headers['mcp-session-id'];
        if (session !== undefined) owners.set(session, target);
        answer.pipe(outgoing.writeHead(answer.statusCode, answer.headers));
      });
      sent.once('error', (cause) => {
        if (cause.code === 'ECONNREFUSED') return tryNext();
        if (!outgoing.headersSent) outgoing.writeHead(502).end(String(cause));
      });
      sent.end(body);
    };
    tryNext();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Clients reuse connections: one that closes for idleness in that moment would be a fault of the balancer's own.
  server.keepAliveTimeout = 0;
  const close = () => {
    clearInterval(polling);
    agent.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

async function connect(url, mode) {
  const client = new Client({ name: 'soak', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${CLIENT_TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return async (operation, params) => {
    const { content } = await client.callTool({ name: TOOL, arguments: { operation, params } });
    return JSON.parse(content[0].text);
  };
}

async function approve(url, id) {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/admin/approvals/${id}/approve`, { method: 'POST', headers, body: '{}' });
  if (answer.status !== 200) throw new Error(`the approval was answered with ${answer.status}: ${await answer.text()}`);
}

const tokenOf = ({ error }) => error?.details?.confirmation_token;

/** One task each: what must have run is added to `due`. */
const TASKS = {
  do_plain: async (call, id, { due }) => expectSuccess(await call('do_plain', { id }), id, due),
  do_confirmed: async (call, id, { due }) => {
    const _confirmation = tokenOf(await call('do_confirmed', { id }));
    expectSuccess(await call('do_confirmed', { id, _confirmation }), id, due);
    const again = await call('do_confirmed', { id, _confirmation });
    if (again.error?.code !== 'TOKEN_ALREADY_USED') throw new Error(`a used token: ${JSON.stringify(again)}`);
  },
  do_approved: async (call, id, { due, url }) => {
    const asked = await call('do_approved', { id });
    const approval = asked.error?.details?.approval?.id;
    if (approval === undefined) throw new Error(`no approval: ${JSON.stringify(asked)}`);
    await approve(url, approval);
    const token = tokenOf(asked);
    expectSuccess(await call('do_approved', { id, _confirmation: token }), id, due);
  },
  do_limited: async (call, id, { due }) => {
    const answer = await call('do_limited', { id });
    if (answer.error?.code !== 'RATE_LIMIT_QUOTA_EXHAUSTED') expectSuccess(answer, id, due);
  },
};

function expectSuccess(answer, id, due) {
  if (answer.success !== true) throw new Error(`${id}: ${JSON.stringify(answer)}`);
  due.add(id);
}

function configFor(upstream, redis) {
  const operations = Object.fromEntries(
    Object.keys(TASKS).map((name) => {
      const danger = name === 'do_confirmed' || name === 'do_approved' ? 'destructive' : 'reversible';
      return [name, { category: 'EXECUTE', danger }];
    }),
  );
  return {
    server: { lameDuckMs: 1_500, drainMs: 10_000 },
    store: { type: 'redis', url: redis },
    clients: { soak: { token: CLIENT_TOKEN } },
    policy: {
      rules: [{ name: 'people', match: { operation: 'do_approved' }, decision: 'confirm', requires: 'human' }],
      approvals: { operators: { ann: { token: OPERATOR_TOKEN } } },
      confirmation: { maxIssuedPerMinute: 100_000, maxFailuresPerMinute: 100_000 },
    },
    quotas: {
      limits: [{ name: 'few', match: { operation: 'do_limited' }, metric: 'requests_per_day', hard_stop: QUOTA }],
    },
    mcpServers: { demo: { url: upstream, operations } },
  };
}

const directory = await mkdtemp(join(tmpdir(), 'aql-replicas-'));
const upstream = await startUpstream();
const { redis, url: redisUrl } = await startRedis(directory);
const config = configFor(upstream.url, redisUrl);
const replicas = [await createReplica(config, directory, 'one'), await createReplica(config, directory, 'two')];
await Promise.all(replicas.map((replica) => replica.start()));
const balancer = await startBalancer(replicas);

const due = new Set();
const faults = [];
let made = 0;
let stopped = false;
let reopened = 0;
async function work(name, mode) {
  let call = await connect(balancer.url, mode);
  while (!stopped) {
    made += 1;
    try {
      await TASKS[name](call, `${name}-${made}`, { due, url: balancer.url });
    } catch (fault) {
      // The replica of the session is away: the call did not run, and the client opens another session, as MCP says.
      if (fault.data?.status === 404) {
        reopened += 1;
        call = await connect(balancer.url, mode);
      } else faults.push(`${fault.message} ${fault.cause ?? ''}`);
    }
  }
}

try {
  const workers = Object.keys(TASKS).flatMap((name) =>
    Array.from({ length: WORKERS }, (_, index) => work(name, index === 0 ? 'legacy' : 'auto')),
  );
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const replica of replicas) {
      await delay(SECONDS * 1_000);
      await replica.restart();
      console.log(
        `round ${round}: the gateway on port ${replica.port} was restarted; ${made} tasks, ${faults.length} faults`,
      );
    }
  }
  await delay(SECONDS * 1_000);
  stopped = true;
  await Promise.all(workers);
  const lost = [...due].filter((id) => !upstream.ran.has(id)).length;
  const twice = [...upstream.ran].filter(([, times]) => times > 1).length;
  const limited = [...upstream.ran.keys()].filter((id) => id.startsWith('do_limited')).length;
  console.log(
    `${made} tasks: ${faults.length} failed, ${lost} lost, ${twice} ran twice; quota ${limited} of ${QUOTA}; ${reopened} sessions opened again`,
  );
  for (const fault of faults.slice(0, 10)) console.log(`  ${fault.slice(0, 400)}`);
  process.exitCode = faults.length + lost + twice === 0 && limited <= QUOTA ? 0 : 1;
} finally {
  stopped = true;
  balancer.close();
  for (const replica of replicas) replica.process.kill('SIGTERM');
  redis.kill('SIGKILL');
  await Promise.all(replicas.map(({ process: child }) => child.exitCode ?? once(child, 'exit')));
  await rm(directory, { recursive: true, force: true });
  process.exit();
}
