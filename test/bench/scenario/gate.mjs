import { BASELINE, GATES } from '../gate/gates.mjs';
import { startGates } from '../gate/start-gates.mjs';
import { median, medianDifference, ratios, spread } from '../statistics.mjs';
import { openWholeCall } from './open-whole-call.mjs';

const WARM_UP_REPEATS = 4;

/** What an allowed READ pays for policy: CPU that a gate adds to a call, and its share of a whole call's in the same round. */
export async function measureGate(context) {
  const { options, program, faults, progress } = context;
  const gates = startGates(program);
  if (gates === undefined) {
    progress('gate: this build has none');
    return undefined;
  }
  const report = (why) => faults.push(...why.map((fault) => `gate: ${fault}`));
  progress('gate: warming up');
  const [whole] = await Promise.all([openWholeCall(context), warmUpGates(gates, options.gate, report)]);

  const rounds = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    progress(`gate: round ${round} of ${options.rounds}`);
    const wholeCall = await whole.measure();
    const { costs, faults: found } = await gates.measure(options.gate);
    report(found);
    rounds.push({ wholeCall, costs });
  }
  await Promise.all([whole.close(), gates.stop()]);
  return summarize(rounds);
}

async function warmUpGates(gates, effort, report) {
  report(await gates.open());
  const { faults } = await gates.measure({ ...effort, repeats: WARM_UP_REPEATS });
  report(faults);
}

/** All in nanoseconds of CPU a call; a share is of 1. */
function summarize(rounds) {
  const wholeCalls = rounds.map(({ wholeCall }) => wholeCall);
  const rows = GATES.filter(({ name }) => name !== BASELINE).map(({ name, label }) => {
    const added = rounds.map(({ costs }) => medianDifference(costs[name], costs[BASELINE]));
    return { name, label, added: spread(added), share: ratios(added, wholeCalls) };
  });
  const baseline = spread(rounds.map(({ costs }) => median(costs[BASELINE])));
  return { baseline, wholeCall: spread(wholeCalls), rows };
}
