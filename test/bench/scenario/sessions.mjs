import { setTimeout as delay } from 'node:timers/promises';
import { INSPECT_OPTION, openHeapInspector } from '../process/inspect-heap.mjs';
import { residentKilobytes } from '../process/process-cost.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';

const TOOLS = 100;
const SETTLE_MS = 500;

/**
 * What an idle legacy session keeps, in kB, with few and with many open: of resident memory as anybody sees it from outside
 * (nothing is opened before, and no garbage collected), and, in a process of its own, of the heap in use.
 */
export async function measureSessions(context) {
  const upstream = await startHttpUpstream(TOOLS);
  const counts = [];
  for (const sessions of context.options.sessions) {
    context.progress(`sessions: opening ${sessions}`);
    const resident = await measureGrowth(context, upstream, sessions, [], ({ pid }) => ({
      read: () => residentKilobytes(pid),
      close() {},
    }));
    const live = await measureGrowth(context, upstream, sessions, [INSPECT_OPTION], async (gateway) => {
      const inspector = await openHeapInspector(gateway);
      return { read: () => inspector.liveKilobytes(), close: () => inspector.close() };
    });
    counts.push({ sessions, residentKilobytes: resident, liveKilobytes: live });
  }
  await upstream.stop();
  return counts;
}

/** How much a reading grows by each session. */
async function measureGrowth({ generator, program }, upstream, sessions, nodeArgs, openGauge) {
  const gateway = await startGateway(program, { type: 'http', url: upstream.url }, nodeArgs);
  const gauge = await openGauge(gateway);
  await delay(SETTLE_MS);
  const before = await gauge.read();
  await generator.open({ name: 'sessions', transport: 'http', url: gateway.url, speaks: 'operations' });
  await generator.openSessions('sessions', sessions);
  await delay(SETTLE_MS);
  const after = await gauge.read();
  gauge.close();
  await generator.close('sessions');
  await gateway.stop();
  return (after - before) / sessions;
}
