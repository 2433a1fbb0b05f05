const NOTHING = () => undefined;

/**
 * Makes `calls` calls of every subject, `repeats` times; in turn one way and the other, so that nobody is always first.
 * Counted is the CPU of the whole process, so that collecting the calls' garbage is counted.
 * @param subjects `{name, call(index), prepare?()}`: `call` resolves with whether the answer was right, `prepare` is not counted
 * @returns `costs`: for each name CPU nanoseconds a call, one number a repeat; `wrong`: for each name how many answers
 */
export async function measureInTurn(subjects, { repeats, calls }) {
  const costs = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  const wrong = Object.fromEntries(subjects.map(({ name }) => [name, 0]));
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { name, call, prepare = NOTHING } of repeat % 2 === 0 ? subjects : subjects.toReversed()) {
      await prepare();
      const slice = await measureCalls(call, calls);
      costs[name].push(slice.nanoseconds);
      wrong[name] += slice.wrong;
    }
  }
  return { costs, wrong };
}

async function measureCalls(call, calls) {
  let wrong = 0;
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) {
    if (!(await call(index))) wrong += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return { nanoseconds: ((user + system) * 1000) / calls, wrong };
}
