/** Clients that wait for the start to end are answered first. */
const PAUSE_MS = 200;

/** Collecting takes about a millisecond for each megabyte in use, in which nothing else is answered. */
const MOST_BYTES = 48 * 1024 * 1024;

/**
 * Gives memory back a moment after the start, unless so much is in use that collecting would take long. A Node that is built
 * without an inspector keeps it.
 */
export function releaseMemorySoon(): void {
  const release = (): void => {
    if (process.memoryUsage().heapUsed <= MOST_BYTES) void releaseMemory().catch(() => undefined);
  };
  setTimeout(release, PAUSE_MS).unref();
}

/**
 * Collects garbage once: loading and linking the program leaves a tenth of the resident memory to garbage and to room for new
 * objects, which V8 would otherwise keep. Over the inspector's interface, in this process, as that collection also gives back the
 * room. The session ends in a later turn: one that is ended while it answers keeps the process from ending.
 */
export async function releaseMemory(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => setImmediate(resolve)));
  session.disconnect();
}
