/** Clients that wait for the start to end are answered first. */
const PAUSE_MS = 200;

/**
 * Collects garbage once, a moment after the start. Loading and linking the program leaves a sixth of the resident memory to
 * garbage and to room for new objects, which V8 would otherwise keep. Over the inspector's own interface, in this process, as that
 * collection also gives back the room.
 */
export function releaseMemorySoon(): void {
  // A Node that is built without an inspector keeps the garbage.
  setTimeout(() => void releaseMemory().catch(() => undefined), PAUSE_MS).unref();
}

async function releaseMemory(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => session.disconnect());
}
