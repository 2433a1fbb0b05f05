/**
 * What a fair share costs. How much one client slows others: a client calls one after the other, alone and while another client keeps 64
 * calls in flight, of an upstream's READ, of `introspect` and of its search; over 5,000 operations while another searches 60 times at once, and while
 * an operator searches 20 times at once the audit record of some ten thousand calls. And how many calls clients get together, and what one costs the
 * gateway, beside one client that has as many in flight. Prints medians and their ratios; ends with 1 where one misses its bar.
 *
 *   npm run soak:flood [-- part of a measurement's name]
 */
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, startGateway } from './soak-gateway.mjs';

const SLOWER_BAR = 2;
const TOGETHER_BAR = 0.9;
const CALLS = 300;
const IN_FLIGHT = 64;
/** The best of so many: what only some of them show is the machine's. */
const ROUNDS = 3;
const CLIENTS = { calm: { token: 'calm-has-a-long-token-01' }, flood: { token: 'flood-has-a-long-token-02' } };

const READ = { operation: 'get_thing', params: { id: '1' } };
const OVERVIEW = { operation: 'introspect', params: { query: 'operations' } };
const MAP = { operation: 'introspect', params: { query: 'upstreams' } };
const SEARCH = { operation: 'introspect', params: { query: 'operations', search: 'remove the things of a project' } };
const FLOODS = {
  'an upstream': { calm: READ, flood: READ },
  introspect: { calm: READ, flood: OVERVIEW },
  'introspect, both': { calm: OVERVIEW, flood: OVERVIEW },
  'the map': { calm: READ, flood: MAP },
  'search, both': { calm: SEARCH, flood: SEARCH },
};

/** Over a gateway with many operations and a long audit record. */
const OF_MANY = {
  '60 searches of 5,000 operations': { calm: READ, flood: SEARCH, inFlight: 60 },
  '20 searches of the audit record': { calm: READ, flood: { page: '/ui/audit?text=no+such+text' }, inFlight: 20 },
};
const MANY = 5_000;
const FILL_MS = 12_000;
const OPERATOR = 'olga-has-a-long-token-0123';
const AUDITED = {
  clients: CLIENTS,
  audit: { calls: 'all' },
  policy: { approvals: { operators: { olga: { token: OPERATOR } } } },
};

const ONE = { [CLIENTS.flood.token]: 16 };
const TOGETHER = {
  'together, 8 and 8 in flight': { [CLIENTS.flood.token]: 8, [CLIENTS.calm.token]: 8 },
  'together, 15 and 1 in flight': { [CLIENTS.flood.token]: 15, [CLIENTS.calm.token]: 1 },
};
const RATE_ROUNDS = 5;
const RATE_MS = 1_000;
const TICK_MS = 10;
/** Longer than a gateway remembers that several clients call. */
const SETTLE_MS = 31_000;

const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
const NAMES = ['get', 'list', 'create', 'delete', 'rename', 'copy', 'archive'].flatMap((verb) =>
  ['thing', 'project', 'branch', 'file', 'user', 'issue'].map((noun) => `${verb}_${noun}`),
);
const describe = (name) => ({ name, description: `To ${name.replaceAll('_', ' a ')}.`, inputSchema });
const tools = NAMES.map(describe);
const many = Array.from({ length: Math.ceil(MANY / NAMES.length) }, (_, index) => index)
  .flatMap((index) => NAMES.map((name) => (index === 0 ? name : `${name}_of_room_${index}`)))
  .map(describe);

/** A process that calls: `measure` and `count` say how fast, `begin` and `end` flood. */
function startCaller(url, token) {
  const child = fork(here('flood/caller.mjs'), [url, token]);
  const answered = () => new Promise((resolve) => child.once('message', resolve));
  return {
    count: (args, together) => child.send({ args, together }) && answered(),
    measure: (args) => child.send({ args, calls: CALLS }) && answered(),
    begin: (args, inFlight) => child.send({ args, inFlight }) && answered(),
    end: () => child.kill(),
  };
}

async function measure(url, { calm, flood, inFlight = IN_FLIGHT }) {
  const client = startCaller(url, CLIENTS.calm.token);
  let other;
  try {
    await client.measure(calm);
    const alone = await client.measure(calm);
    other = startCaller(url, CLIENTS.flood.token);
    await other.begin(flood, inFlight);
    const beside = await client.measure(calm);
    return { alone, beside, ratio: beside.p50 / alone.p50 };
  } finally {
    client.end();
    other?.end();
  }
}

/** Milliseconds of processor time that a process has taken (Linux only). */
async function processorMs({ pid }) {
  const [user, system] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

/**
 * The calls a second of two clients, and of one with as many in flight: in turn, as the machine is shared. The caller and the upstream need
 * processors, too, so that the gateway's processor time for a call is printed beside it.
 */
async function compareRates({ url, gateway }, clients) {
  const caller = startCaller(url, CLIENTS.flood.token);
  const count = async (who) => {
    const before = await processorMs(gateway);
    const { rate, answered } = await caller.count(READ, { clients: who, settleMs: SETTLE_MS, ms: RATE_MS });
    return { rate, cost: ((await processorMs(gateway)) - before) / answered };
  };
  try {
    const rounds = [];
    for (let round = 0; round < RATE_ROUNDS; round += 1) {
      const one = await count(ONE);
      const both = await count(clients);
      rounds.push({ one: one.rate, both: both.rate, ratio: both.rate / one.rate, cost: both.cost / one.cost });
    }
    const of = (name) => median(rounds.map((round) => round[name]));
    return { one: of('one'), both: of('both'), ratio: of('ratio'), cost: of('cost') };
  } finally {
    caller.end();
  }
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

const isAsked = ([name]) => name.includes(process.argv[2] ?? '');

/** The cookie of an operator's browser. */
async function signIn(url) {
  const login = `${url}/ui/login`;
  const page = await fetch(login);
  const hidden = [...(await page.text()).matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const cookieOf = (answer) => answer.headers.getSetCookie()[0]?.split(';')[0];
  const signed = await fetch(login, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(page) ?? '' },
    body: new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
      token: OPERATOR,
    }),
  });
  return cookieOf(signed) ?? cookieOf(page);
}

/** Starts a gateway, and ends it when the work is done. */
async function withGateway(setting, work) {
  const directory = await mkdtemp(join(tmpdir(), 'flood-'));
  const { gateway, url, ready } = await startGateway({ program: 'echo-upstream.mjs', ...setting }, directory);
  try {
    await ready();
    return await work({ url, gateway });
  } finally {
    gateway.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}

/** Whether a client beside each of these floods is not slowed more than the bar allows. */
async function judgeFloods(url, floods) {
  let isFair = true;
  for (const [name, flood] of floods) {
    let best;
    for (let round = 0; round < ROUNDS && !(best?.ratio <= SLOWER_BAR); round += 1) {
      const found = await measure(url, flood);
      if (best === undefined || found.ratio < best.ratio) best = found;
    }
    const { alone, beside, ratio } = best;
    isFair &&= ratio <= SLOWER_BAR;
    console.log(
      `${name}: p50 ${alone.p50.toFixed(2)} ms alone, ${beside.p50.toFixed(2)} ms beside the flood, ${ratio.toFixed(2)} x (p99 ${alone.p99.toFixed(1)} and ${beside.p99.toFixed(1)} ms)`,
    );
  }
  return isFair;
}

async function judgeRates(running) {
  let isFair = true;
  for (const [name, clients] of Object.entries(TOGETHER).filter(isAsked)) {
    const { one, both, ratio, cost } = await compareRates(running, clients);
    isFair &&= ratio >= TOGETHER_BAR;
    console.log(
      `${name}: ${both.toFixed(0)} calls a second, ${one.toFixed(0)} of one client with as many, ${ratio.toFixed(2)} x; ${cost.toFixed(2)} x of the gateway's processor a call`,
    );
  }
  return isFair;
}

async function judgeMany(url, floods) {
  const filler = startCaller(url, CLIENTS.calm.token);
  await filler.count(READ, { clients: ONE, settleMs: FILL_MS, ms: 0 });
  filler.end();
  const cookie = await signIn(url);
  return judgeFloods(
    url,
    floods.map(([name, flood]) => [name, { ...flood, flood: { ...flood.flood, cookie } }]),
  );
}

const floods = Object.entries(FLOODS).filter(isAsked);
const ofMany = Object.entries(OF_MANY).filter(isAsked);
const isFair = [];
if (floods.length > 0 || Object.entries(TOGETHER).some(isAsked)) {
  const config = { clients: CLIENTS };
  isFair.push(
    await withGateway({ tools, config }, async (running) => [
      await judgeFloods(running.url, floods),
      await judgeRates(running),
    ]),
  );
}
if (ofMany.length > 0)
  isFair.push(await withGateway({ tools: many, config: AUDITED }, ({ url }) => judgeMany(url, ofMany)));
process.exitCode = isFair.flat().every(Boolean) ? 0 : 1;
