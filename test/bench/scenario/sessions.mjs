import { setTimeout as delay } from 'node:timers/promises';
import { INSPECT_OPTION, openHeapInspector } from '../process/inspect-heap.mjs';
import { residentKilobytes } from '../process/process-cost.mjs';
import { startHttpUpstream } from '../process/programs.mjs';
import { startGateway } from '../process/start-gateway.mjs';

const TOOLS = 100;
/** Opened first, so that code and pools that the first sessions bring are not counted as theirs. */
const FIRST_SESSIONS = 300;
const SETTLE_MS = 500;

/**
 * What an idle legacy session keeps, in kB: of resident memory, and of the heap in use after a collection. Resident memory
 * is read after that collection too, but a process seldom gives back what it once had.
 */
export async function measureSessions({ generator, program, options, progress }) {
  progress(`sessions: opening ${options.sessions}`);
  const upstream = await startHttpUpstream(TOOLS);
  const gateway = await startGateway(program, { type: 'http', url: upstream.url }, [INSPECT_OPTION]);
  const inspector = await openHeapInspector(gateway);
  await generator.open({ name: 'sessions', transport: 'http', url: gateway.url, speaks: 'operations' });

  await generator.openSessions('sessions', FIRST_SESSIONS);
  const before = await readMemory(gateway, inspector);
  await generator.openSessions('sessions', options.sessions);
  const after = await readMemory(gateway, inspector);

  inspector.close();
  await generator.close('sessions');
  await Promise.all([gateway.stop(), upstream.stop()]);
  return {
    sessions: options.sessions,
    residentKilobytes: (after.resident - before.resident) / options.sessions,
    liveKilobytes: (after.live - before.live) / options.sessions,
  };
}

async function readMemory({ pid }, inspector) {
  await delay(SETTLE_MS);
  const live = await inspector.liveKilobytes();
  return { live, resident: residentKilobytes(pid) };
}
