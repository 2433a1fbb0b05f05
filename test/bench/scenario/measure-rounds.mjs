import { assertRunning } from '../process/children.mjs';
import { cpuMicroseconds } from '../process/process-cost.mjs';
import { sum } from '../statistics.mjs';

/**
 * Runs every cell once a round, its targets one right after the other, so that all of them see the same machine, and in the other order in
 * every other round, so that none always comes after the same one.
 * @param cells `{payload, concurrency, targets}`, a target being `{name, pid?, payload?}`; its own payload comes first
 * @returns for each cell a map from the target's name to its slices, one a round
 */
export async function measureRounds({ generator, options, progress, faults }, label, cells) {
  const slices = cells.map(({ targets }) => new Map(targets.map(({ name }) => [name, []])));
  for (let round = 1; round <= options.rounds; round += 1) {
    progress(`${label}: round ${round} of ${options.rounds}`);
    for (const [index, { payload, concurrency, targets }] of cells.entries()) {
      for (const { name, pid, payload: own } of round % 2 === 0 ? targets.toReversed() : targets) {
        const slice = await measureSlice(generator, name, pid, own ?? payload, { ...options.slice, concurrency });
        faults.push(...describeFaults(label, name, slice));
        slices[index].get(name).push(slice);
      }
    }
  }
  return slices;
}

/** Calls every target until its code is compiled: after a second V8 still is at it, and the gateway has more of it than the floor. */
export async function warmUp({ generator, options, progress, faults }, label, cells) {
  progress(`${label}: warming up`);
  const effort = { concurrency: 16, leadMs: 0, durationMs: options.warmUpMs };
  for (const { payload, targets } of cells) {
    for (const { name, payload: own } of targets) {
      const slice = await generator.run(name, own ?? payload, effort);
      faults.push(...describeFaults(label, name, slice));
    }
  }
}

function describeFaults(label, name, slice) {
  return slice.faults.map((why) => `${label}, ${name}: ${why}`);
}

async function measureSlice(generator, name, pid, payload, options) {
  const before = pid === undefined ? undefined : cpuMicroseconds(pid);
  const slice = await generator.run(name, payload, options);
  const after = pid === undefined ? undefined : cpuMicroseconds(pid);
  assertRunning(pid);
  return { ...slice, cpu: after === undefined || before === undefined ? undefined : after - before };
}

/** CPU of the target's process in microseconds a call, over all rounds; undefined where it cannot be known. */
export function cpuPerCall(slices) {
  if (slices.some(({ cpu }) => cpu === undefined)) return undefined;
  return sum(slices.map(({ cpu }) => cpu)) / sum(slices.map(({ calls }) => calls));
}
