/**
 * Three gateways with one Redis behind a balancer that sends each request to another one, and are restarted in turn under load: reads,
 * writes, tokens, approvals, quotas, pages and results of clients with and without sessions. Prints the calls that were made, failed and
 * were tried again elsewhere, and how long they took; ends with 1 where a call failed, was lost or ran twice.
 *
 *   npm run soak:replicas [-- --rate CALLS_PER_SECOND --seconds LOAD_AFTER_EACH_RESTART --rounds N --replicas N --json]
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startBalancer } from './rolling/balancer.mjs';
import { Replica, startRedis } from './rolling/replica.mjs';
import { TASKS } from './rolling/tasks.mjs';
import { CURATION, startUpstream } from './rolling/upstream.mjs';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '2' },
    replicas: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const RATE = Number(values.rate);
const QUOTA = 200;
/** Clients that run tasks, one call at a time each: enough that the rate is kept while calls take long. */
const WORKERS = 48;
const CLIENT_TOKEN = 'soak-client-with-a-long-token';
const OPERATOR_TOKEN = 'soak-operator-with-a-long-token-01';

function configFor(upstream, redis) {
  return {
    server: { lameDuckMs: 1_500, drainMs: 10_000 },
    store: { type: 'redis', url: redis },
    clients: { soak: { token: CLIENT_TOKEN } },
    results: { maxTokens: 5_000 },
    policy: {
      rules: [{ name: 'people', match: { operation: 'do_approved' }, decision: 'confirm', requires: 'human' }],
      approvals: { operators: { ann: { token: OPERATOR_TOKEN } } },
      confirmation: { maxIssuedPerMinute: 100_000, maxFailuresPerMinute: 100_000 },
    },
    quotas: {
      limits: [{ name: 'few', match: { operation: 'do_limited' }, metric: 'requests_per_day', hard_stop: QUOTA }],
    },
    mcpServers: { demo: { url: upstream, operations: CURATION } },
  };
}

/** Lets calls begin at a rate; a call that finds the rate behind begins at once. */
function createPacer(perSecond) {
  const began = performance.now();
  let begun = 0;
  return async () => {
    const wait = began + (begun * 1_000) / perSecond - performance.now();
    begun += 1;
    if (wait > 1) await delay(wait);
  };
}

class Load {
  calls = 0;
  faults = [];
  due = new Set();
  times = [];
  isOver = false;
  #tasks = 0;
  #pace = createPacer(RATE);

  constructor(url, rows) {
    this.url = url;
    this.rows = rows;
  }

  /** One client, which runs tasks of every kind until the load is over. */
  async work(index) {
    const client = await this.#connect(index % 2 === 0 ? 'legacy' : 'auto').catch((fault) => {
      this.faults.push(`connecting: ${fault.message}`);
    });
    if (client === undefined) return;
    const call = async (name, operation, params) => {
      await this.#pace();
      const began = performance.now();
      this.calls += 1;
      const { content } = await client.callTool({ name, arguments: { operation, params } });
      this.times.push(performance.now() - began);
      return JSON.parse(content[0].text);
    };
    const kinds = Object.entries(TASKS);
    for (let turn = index; !this.isOver; turn += 1) {
      const [kind, run] = kinds[turn % kinds.length];
      this.#tasks += 1;
      const task = {
        call,
        approve: (id) => this.#approve(id),
        id: `${kind}-${this.#tasks}`,
        due: this.due,
        rows: this.rows,
      };
      await run(task).catch((fault) => this.faults.push(`${kind}: ${fault.message} ${fault.cause ?? ''}`));
    }
    await client.close();
  }

  async #connect(mode) {
    const client = new Client({ name: 'soak', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${CLIENT_TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`), { requestInit }));
    return client;
  }

  async #approve(id) {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.url}/admin/approvals/${id}/approve`, { method: 'POST', headers, body: '{}' });
    const said = await answer.text();
    if (answer.status !== 200) throw new Error(`the approval was answered with ${answer.status}: ${said}`);
  }

  /** How long the slowest hundredth took at least, in milliseconds. */
  percentile(share) {
    return Math.round(this.times.toSorted((one, other) => one - other)[Math.floor(this.times.length * share)] ?? 0);
  }
}

const say = (text) => values.json || console.log(text);
const directory = await mkdtemp(join(tmpdir(), 'aql-replicas-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const upstream = await startUpstream();
const { redis, url: redisUrl } = await startRedis(directory);
const config = configFor(upstream.url, redisUrl);
const replicas = await Promise.all(
  Array.from({ length: Number(values.replicas) }, (_, index) => Replica.create(config, directory, `replica-${index}`)),
);
let balancer;
try {
  await Promise.all(replicas.map((replica) => replica.start()));
  balancer = await startBalancer(replicas);
  const load = new Load(balancer.url, upstream.rows);
  const began = performance.now();
  const workers = Array.from({ length: WORKERS }, (_, index) => load.work(index));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const replica of replicas) {
      await delay(Number(values.seconds) * 1_000);
      await replica.restart();
      say(`round ${round}: port ${replica.port} was restarted; ${load.calls} calls, ${load.faults.length} failed`);
    }
  }
  await delay(Number(values.seconds) * 1_000);
  const perSecond = Math.round(load.calls / ((performance.now() - began) / 1_000));
  load.isOver = true;
  await Promise.all(workers);
  const result = {
    calls: load.calls,
    perSecond,
    failed: load.faults.length,
    retried: balancer.retried,
    lost: [...load.due].filter((id) => !upstream.ran.has(id)).length,
    twice: [...upstream.ran.values()].filter((times) => times > 1).length,
    overQuota: Math.max(0, [...upstream.ran.keys()].filter((id) => id.startsWith('limit')).length - QUOTA),
    p50: load.percentile(0.5),
    p99: load.percentile(0.99),
    faults: load.faults.slice(0, 10).map((fault) => fault.slice(0, 400)),
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    say(
      `${result.calls} calls, ${perSecond} a second: ${result.failed} failed, ${result.retried} tried again elsewhere;`,
    );
    say(
      `${result.lost} lost, ${result.twice} ran twice, ${result.overQuota} over the quota; p50 ${result.p50} ms, p99 ${result.p99} ms`,
    );
    for (const fault of result.faults) say(`  ${fault}`);
  }
  process.exitCode = result.failed + result.lost + result.twice + result.overQuota === 0 ? 0 : 1;
} finally {
  balancer?.close();
  upstream.close();
  await Promise.all(replicas.map((replica) => replica.end()));
  const ended = once(redis, 'exit');
  redis.kill('SIGKILL');
  await ended;
  process.exit();
}
