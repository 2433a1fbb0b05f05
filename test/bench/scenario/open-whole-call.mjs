import { PAYLOADS } from '../load/payload.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { cpuPerCall, measureRounds } from './measure-rounds.mjs';

const TOOLS = 10;
/** So many calls, however long they take: code that is not compiled yet would make every share look small. */
const WARM_UP_CALLS = 10_000;
const WARM_UP = { concurrency: 16, leadMs: 0, durationMs: 20_000 };
/** The same even for a first look: CPU time is told in steps of 10 ms. */
const MEASURE = { rounds: 1, slice: { leadMs: 50, durationMs: 450 } };

/** A call HTTP -> HTTP through the shipped gateway: `measure()` is one round's CPU in nanoseconds, undefined without /proc. */
export async function openWholeCall(context, maxCalls = WARM_UP_CALLS) {
  const upstream = await startHttpUpstream(TOOLS);
  const gateway = await startGateway(context.program, { type: 'http', url: upstream.url });
  const target = { name: 'whole call', transport: 'http', url: gateway.url, speaks: 'operations', pid: gateway.pid };
  const payload = PAYLOADS['echo 64 B'];
  await context.generator.open(target);
  const { faults } = await context.generator.run(target.name, payload, { ...WARM_UP, maxCalls });
  context.faults.push(...faults.map((why) => `${target.name}: ${why}`));
  const cells = [{ payload, concurrency: 16, targets: [target] }];
  const once = { ...context, options: MEASURE, progress: () => undefined };
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
