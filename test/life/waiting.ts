import { performance } from 'node:perf_hooks';

/** The gateway's time-outs in these worlds, in milliseconds. */
export const TIMEOUTS = { call: 1_500, connect: 1_500 };

/** After so long without a word a connection is proven, in the worlds that do. */
export const IDLE_MS = 1_000;

/** What nothing may take that no trouble of its own delays: less than any time-out. Only time without work counts, so that a busy machine is no delay. */
export const DELAY_MS = TIMEOUTS.call / 2;

/** The one wait for a list that hangs, before answers go out without it. */
export const PATIENCE_MS = 3_000;

/** Within which a server that is well again is used: a call and a ping that time out, attempts to connect, and pauses between them. */
export const RECOVERY_MS = 3 * (TIMEOUTS.call + TIMEOUTS.connect) + 5_000;

/** The longest pause between attempts, spread by a tenth: a server whose operations are not known yet is called by nobody, so that nothing ends it. */
export const PAUSE_MS = 33_000;

/** Within which each call ends: its own time-out, twice where it is sent again, a ping and a new connection. */
export const ENDING_MS = RECOVERY_MS;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long something took while the event loop had nothing to do: what was waited for, whatever the load of the machine. */
export async function measureIdle<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly idleMs: number }> {
  const before = performance.eventLoopUtilization();
  const value = await work();
  const { idle } = performance.eventLoopUtilization(before);
  return { value, idleMs: idle };
}

/** Undefined where it does not come in time. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
