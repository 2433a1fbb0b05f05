import { BASELINE, GATES } from '../gate/gates.mjs';
import { startGates } from '../gate/start-gates.mjs';
import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { median, ratios, spread } from '../statistics.mjs';
import { cpuPerCall, measureRounds } from './measure-rounds.mjs';

const TOOLS = 10;
const WARM_UP_REPEATS = 4;
/** So many calls, however long they take: code that is not compiled yet would make every share look small. */
const WHOLE_CALL_WARM_UP = { concurrency: 16, leadMs: 0, durationMs: 20_000, maxCalls: 10_000 };
/** The same even for a first look: CPU time is told in steps of 10 ms. */
const WHOLE_CALL = { rounds: 1, slice: { leadMs: 50, durationMs: 450 } };

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

/** A call HTTP -> HTTP through the shipped gateway: `measure()` is one round's CPU in nanoseconds, undefined without /proc. */
async function openWholeCall(context) {
  const upstream = await startHttpUpstream(TOOLS);
  const gateway = await startGateway(context.program, { type: 'http', url: upstream.url });
  const target = { name: 'whole call', transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid };
  const payload = PAYLOADS['echo 64 B'];
  await context.generator.open(target);
  const { faults } = await context.generator.run(target.name, payload, WHOLE_CALL_WARM_UP);
  context.faults.push(...faults.map((why) => `${target.name}: ${why}`));
  const cells = [{ payload, concurrency: 16, targets: [target] }];
  const once = { ...context, options: WHOLE_CALL, progress: () => undefined };
  return {
    async measure() {
      const [slicesOf] = await measureRounds(once, target.name, cells);
      const microseconds = cpuPerCall(slicesOf.get(target.name));
      return microseconds === undefined ? undefined : microseconds * 1000;
    },
    async close() {
      await context.generator.close(target.name);
      await Promise.all([gateway.stop(), upstream.stop()]);
    },
  };
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

/** Slice by slice: what ran at nearly the same time is compared. */
function medianDifference(costs, base) {
  return median(costs.map((cost, repeat) => cost - base[repeat]));
}
