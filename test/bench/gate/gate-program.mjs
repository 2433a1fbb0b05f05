// What policy costs a call: the same READs through several gates in turn, in one process of its own, told over IPC what to do.
import { answerParent } from '../process/answer-parent.mjs';
import { PROBES, READS } from './gated-calls.mjs';
import { openGates } from './open-gates.mjs';

let gates;

answerParent({
  /** @returns what is wrong with the gates, in words */
  async open({ modules, directory }) {
    gates = await openGates(modules, directory);
    return (await Promise.all(gates.map(probe))).flat();
  },

  /**
   * Sends `calls` through every gate, `repeats` times; in turn one way and the other, so that nobody is always first.
   * @returns `costs`: for each gate's name CPU nanoseconds a call, one number a repeat; `faults` in words: all calls must pass
   */
  async measure({ repeats, calls }) {
    const costs = Object.fromEntries(gates.map(({ name }) => [name, []]));
    const refusals = Object.fromEntries(gates.map(({ name }) => [name, 0]));
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      for (const { name, pass } of repeat % 2 === 0 ? gates : gates.toReversed()) {
        const { nanoseconds, refused } = await measureCalls(pass, calls);
        costs[name].push(nanoseconds);
        refusals[name] += refused;
      }
    }
    return { costs, faults: describeRefusals(refusals, repeats * calls) };
  },
});

function describeRefusals(refusals, calls) {
  return Object.entries(refusals)
    .filter(([, refused]) => refused > 0)
    .map(([name, refused]) => `${name} refused ${refused} of ${calls} READ calls`);
}

/** Of the whole process, so that collecting the calls' garbage is counted. */
async function measureCalls(pass, calls) {
  let refused = 0;
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    const { code } = await pass(READS[call % READS.length]);
    if (code !== 'OK') refused += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return { nanoseconds: ((user + system) * 1000) / calls, refused };
}

async function probe({ name, refuses, pass }) {
  const faults = [];
  for (const [probed, request] of Object.entries(PROBES)) {
    const { code } = await pass(request);
    if ((code !== 'OK') !== refuses.includes(probed))
      faults.push(`${name} answered the probe '${probed}' with ${code}`);
  }
  return faults;
}
