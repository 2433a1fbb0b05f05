/**
 * Two gateways with one Redis that is killed and started empty, killed and started with its data, and stopped for a while, in the middle of
 * nine kinds of calls. Prints the calls of each phase and how long they took; ends with 1 where a write ran twice or without consent, a
 * call took longer than its deadline, or one was refused while nothing was wrong.
 *
 *   npm run soak:store [-- --seconds LENGTH_OF_A_PHASE]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Replica } from './rolling/replica.mjs';
import { CURATION, startUpstream } from './rolling/upstream.mjs';
import { Caller } from './store/caller.mjs';
import { FaultyRedis } from './store/faulty-redis.mjs';
import { makeKinds, Refused } from './store/kinds.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const PHASE_MS = Number(values.seconds) * 1_000;
/** The whole ends at the latest then: eight phases, what they wait for, and starting. */
const LONGEST_MS = 8 * PHASE_MS + 120_000;
const PAUSE_MS = 150;
const CLIENT = 'soak-client-with-a-long-token';
const OPERATOR = 'soak-operator-with-a-long-token-01';
const CALM = 'calm';

const tooLong = setTimeout(() => {
  process.stderr.write('the soak did not end in its time\n');
  process.exit(1);
}, LONGEST_MS);

const directory = await mkdtemp(join(tmpdir(), 'aql-store-'));
const [upstream, redis] = await Promise.all([startUpstream(), FaultyRedis.start(join(directory, 'redis'))]);
const replicas = await Promise.all(['a', 'b'].map((name) => Replica.create(configFor(), directory, name)));
await Promise.all(replicas.map((replica) => replica.start()));

const caller = new Caller(replicas, CLIENT);
const mayRun = new Set();
const reads = new Set();
let isOver = false;
const kinds = makeKinds({ caller, mayRun, operator: OPERATOR });
const workers = Object.entries(kinds).map(([kind, run]) => work(kind, run));

await during(CALM);
await during('killed', () => redis.kill());
await during('emptied', () => redis.empty().then(() => redis.start()));
await during(CALM);
await during('killed', () => redis.kill());
await during('restarted', () => redis.start());
await during('stopped', () => redis.stop());
await during('going on', () => redis.goOn());
await during(CALM);
isOver = true;
await Promise.all(workers);

const twice = [...upstream.ran].filter(([id, times]) => times > 1 && !reads.has(id)).map(([id]) => `${id} ran twice`);
const unapproved = [...upstream.ran.keys()]
  .filter((id) => !mayRun.has(id) && !reads.has(id))
  .map((id) => `${id} ran without consent`);
const idle = upstream.ran.size === 0 ? ['no call has reached the upstream'] : [];
const faults = [...idle, ...twice, ...unapproved, ...caller.faults];
process.stdout.write(`${caller.table()}\n\n${faults.length} faults\n${faults.slice(0, 30).join('\n')}\n`);
clearTimeout(tooLong);
await Promise.all(replicas.map((replica) => replica.end()));
await redis.kill();
upstream.close();
await rm(directory, { recursive: true, force: true });
process.exit(faults.length === 0 ? 0 : 1);

async function during(phase, change = () => undefined) {
  caller.phase = phase;
  await change();
  await delay(PHASE_MS);
}

/** Does one kind of thing again and again. What is refused counts only where nothing was wrong from its start to its end. */
async function work(kind, run) {
  for (let turn = 0; !isOver; turn += 1) {
    const id = `${kind}-${turn}`;
    if (kind === 'read' || kind === 'session') reads.add(id);
    const began = caller.phase;
    try {
      await run(id);
    } catch (fault) {
      const isFault = !(fault instanceof Refused) || (began === CALM && caller.phase === CALM);
      if (isFault) caller.faults.push(`${began}: ${kind}: ${fault.message}`);
    }
    await delay(PAUSE_MS);
  }
}

function configFor() {
  return {
    server: { lameDuckMs: 0, drainMs: 3_000 },
    store: { type: 'redis', url: redis.url },
    clients: { soak: { token: CLIENT } },
    results: { maxTokens: 5_000 },
    executions: { enabled: true, maxPerClient: 5_000, max: 5_000 },
    policy: {
      rules: [{ name: 'people', match: { operation: 'do_approved' }, decision: 'confirm', requires: 'human' }],
      approvals: { operators: { ann: { token: OPERATOR } } },
      confirmation: { maxIssuedPerMinute: 100_000, maxFailuresPerMinute: 100_000 },
    },
    quotas: {
      limits: [{ name: 'few', match: { operation: 'do_limited' }, metric: 'requests_per_day', hard_stop: 200 }],
    },
    mcpServers: { demo: { url: upstream.url, operations: CURATION } },
  };
}
