/**
 * Loaded into the gateway before its own code: writes to the file of SOAK_HELD the processor time of the longest turn of the
 * event loop since the last signal SIGUSR2. Unlike a pause seen from outside it does not depend on what else the machine does.
 * With SOAK_PROFILE it writes after it what that turn did: the functions that took the most of it, and who called them.
 */

import { openSync, readSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const schedule = openSync('/proc/thread-self/schedstat', 'r');
const bytes = Buffer.alloc(64);

/** Milliseconds of processor time that this thread has taken. */
function processorTime() {
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}

/** The clock of profiles. */
const clock = () => Number(process.hrtime.bigint() / 1_000n);

async function startProfile() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  return session;
}

const MOST_STACKS = 12;
const CALLERS = 7;

/** The stacks that were seen most often between two moments, as lines. */
function describe({ nodes, startTime, samples, timeDeltas }, from, to) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stackOf = (id) => {
    const names = [];
    for (let at = id; at !== undefined && names.length < CALLERS; at = parents.get(at))
      names.push(byId.get(at).callFrame.functionName || `(${byId.get(at).callFrame.lineNumber})`);
    return names.join(' < ');
  };
  const spent = new Map();
  let time = startTime;
  for (const [index, id] of samples.entries()) {
    time += timeDeltas[index];
    if (time < from || time > to) continue;
    const stack = stackOf(id);
    spent.set(stack, (spent.get(stack) ?? 0) + timeDeltas[index] / 1_000);
  }
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, MOST_STACKS);
  return most.map(([stack, ms]) => `${ms.toFixed(1).padStart(8)}  ${stack}`);
}

const file = process.env.SOAK_HELD;
if (file !== undefined) {
  const profiles = process.env.SOAK_PROFILE !== undefined;
  let profiling = profiles ? await startProfile() : undefined;
  let last = processorTime();
  let lastAt = clock();
  let longest = { ms: 0, from: 0, to: 0 };
  // Timers run once in each turn that follows a millisecond, so what lies between two runs is a turn, or some of a millisecond.
  const look = () => {
    const now = processorTime();
    const at = clock();
    if (now - last > longest.ms) longest = { ms: now - last, from: lastAt, to: at };
    last = now;
    lastAt = at;
  };
  setInterval(look, 1).unref();
  process.on('SIGUSR2', async () => {
    look();
    const { ms, from, to } = longest;
    let lines = [];
    if (profiling !== undefined) {
      const { profile } = await profiling.post('Profiler.stop');
      lines = describe(profile, from, to);
      profiling.disconnect();
      profiling = await startProfile();
    }
    writeFileSync(file, `${[ms.toFixed(1), ...lines].join('\n')}\n`);
    last = processorTime();
    lastAt = clock();
    longest = { ms: 0, from: 0, to: 0 };
  });
}
