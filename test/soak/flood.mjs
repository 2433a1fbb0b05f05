/**
 * How much one client slows others: a client calls one after the other, alone and while another client keeps 64 calls in flight, of an
 * upstream's READ, of `introspect` and of its search. Prints the median of the calls of the first and the ratio of both; ends with 1 where
 * it is above the bar.
 *
 *   npm run soak:flood [-- part of a flood's name]
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, startGateway } from './soak-gateway.mjs';

const BAR = 2;
const CALLS = 300;
const IN_FLIGHT = 64;
/** The best of so many: what only some of them show is the machine's. */
const ROUNDS = 3;
const CLIENTS = { calm: { token: 'calm-has-a-long-token-01' }, flood: { token: 'flood-has-a-long-token-02' } };

const READ = { operation: 'get_thing', params: { id: '1' } };
const OVERVIEW = { operation: 'introspect', params: { query: 'operations' } };
const SEARCH = { operation: 'introspect', params: { query: 'operations', search: 'remove the things of a project' } };
const FLOODS = {
  'an upstream': { calm: READ, flood: READ },
  introspect: { calm: READ, flood: OVERVIEW },
  'introspect, both': { calm: OVERVIEW, flood: OVERVIEW },
  'search, both': { calm: SEARCH, flood: SEARCH },
};

const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
const NAMES = ['get', 'list', 'create', 'delete', 'rename', 'copy', 'archive'].flatMap((verb) =>
  ['thing', 'project', 'branch', 'file', 'user', 'issue'].map((noun) => `${verb}_${noun}`),
);
const tools = NAMES.map((name) => ({ name, description: `To ${name.replace('_', ' a ')}.`, inputSchema }));

/** A process that calls: `once` measures, `begin` and `end` flood. */
function startCaller(url, token) {
  const child = fork(here('flood/caller.mjs'), [url, token]);
  const answered = () => new Promise((resolve) => child.once('message', resolve));
  return {
    measure: (args) => child.send({ args, calls: CALLS }) && answered(),
    begin: (args) => child.send({ args, inFlight: IN_FLIGHT }) && answered(),
    end: () => child.kill(),
  };
}

async function measure(url, { calm, flood }) {
  const client = startCaller(url, CLIENTS.calm.token);
  let other;
  try {
    await client.measure(calm);
    const alone = await client.measure(calm);
    other = startCaller(url, CLIENTS.flood.token);
    await other.begin(flood);
    const beside = await client.measure(calm);
    return { alone, beside, ratio: beside.p50 / alone.p50 };
  } finally {
    client.end();
    other?.end();
  }
}

const directory = await mkdtemp(join(tmpdir(), 'flood-'));
const { gateway, url, ready } = await startGateway(
  { tools, program: 'echo-upstream.mjs', config: { clients: CLIENTS } },
  directory,
);
try {
  await ready();
  let isFair = true;
  for (const [name, flood] of Object.entries(FLOODS)) {
    if (!name.includes(process.argv[2] ?? '')) continue;
    let best;
    for (let round = 0; round < ROUNDS && !(best?.ratio <= BAR); round += 1) {
      const found = await measure(url, flood);
      if (best === undefined || found.ratio < best.ratio) best = found;
    }
    const { alone, beside, ratio } = best;
    isFair &&= ratio <= BAR;
    console.log(
      `${name}: p50 ${alone.p50.toFixed(2)} ms alone, ${beside.p50.toFixed(2)} ms beside the flood, ${ratio.toFixed(2)} x (p99 ${alone.p99.toFixed(1)} and ${beside.p99.toFixed(1)} ms)`,
    );
  }
  process.exitCode = isFair ? 0 : 1;
} finally {
  gateway.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
