const NOTHING = () => undefined;

/** Nanoseconds of CPU of the whole process so far, so that collecting the calls' garbage is counted. */
export function cpuNanoseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** Nanoseconds of the clock: what a caller waits. */
export function elapsedNanoseconds() {
  return performance.now() * 1e6;
}

/**
 * Makes `calls` calls of every subject, `repeats` times; in alternating order, so that none is always first.
 * @param subjects `{name, call(index), prepare?()}`: `call` resolves with whether the answer was right, `prepare` is not counted
 * @param clock `cpuNanoseconds` or `elapsedNanoseconds`
 * @returns `costs`: for each name nanoseconds a call, one number a repeat; `wrong`: for each name how many answers
 */
export async function measureInTurn(subjects, { repeats, calls }, clock = cpuNanoseconds) {
  const costs = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  const wrong = Object.fromEntries(subjects.map(({ name }) => [name, 0]));
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { name, call, prepare = NOTHING } of repeat % 2 === 0 ? subjects : subjects.toReversed()) {
      await prepare();
      const slice = await measureCalls(call, calls, clock);
      costs[name].push(slice.nanoseconds);
      wrong[name] += slice.wrong;
    }
  }
  return { costs, wrong };
}

async function measureCalls(call, calls, clock) {
  let wrong = 0;
  const before = clock();
  for (let index = 0; index < calls; index += 1) {
    if (!(await call(index))) wrong += 1;
  }
  return { nanoseconds: (clock() - before) / calls, wrong };
}
