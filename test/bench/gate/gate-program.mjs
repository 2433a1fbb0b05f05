// What policy costs a call: the same READs through several gates in turn, in one process of its own, told over IPC what to do.
import { measureInTurn } from '../inner/measure-in-turn.mjs';
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

  /** @returns `costs` as `measureInTurn` has them; `faults` in words: all calls must pass */
  async measure(effort) {
    const { costs, wrong } = await measureInTurn(gates.map(toSubject), effort);
    return { costs, faults: describeRefusals(wrong, effort.repeats * effort.calls) };
  },
});

function toSubject({ name, pass }) {
  return { name, call: async (index) => (await pass(READS[index % READS.length])).code === 'OK' };
}

function describeRefusals(refusals, calls) {
  return Object.entries(refusals)
    .filter(([, refused]) => refused > 0)
    .map(([name, refused]) => `${name} refused ${refused} of ${calls} READ calls`);
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
