/** The gateway's time-outs in these worlds, in milliseconds. */
export const TIMEOUTS = { call: 1_500, connect: 1_500 };

/** After so long without a word a connection is proven, in the worlds that do. */
export const IDLE_MS = 1_000;

/** Streams have a comment so often. */
export const KEEP_ALIVE_MS = 500;

/** What nothing may take that no trouble of its own delays: less than any time-out. */
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

const TICK_MS = 10;
/** A process that has no turn for so long may take an answer that has come for one that is late: the gateway's time-outs go on meanwhile. */
const STALL_MS = TIMEOUTS.call / 4;
let ticks = 0;
let tickedAt = performance.now();
let stalls = 0;
setInterval(() => {
  const now = performance.now();
  ticks += 1;
  if (now - tickedAt > STALL_MS) stalls += 1;
  tickedAt = now;
}, TICK_MS).unref();

/** How often the machine has given this process no turn for long: what is found wrong meanwhile proves nothing. */
export const countStalls = (): number => stalls;

/** Milliseconds as this process lives them: a busy machine gives its timer fewer ticks, so that what only waits for the machine takes no time. */
export const livedMs = (): number => ticks * TICK_MS;

/** How long something took. */
export async function measureLived<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }> {
  const before = livedMs();
  const value = await work();
  return { value, tookMs: livedMs() - before };
}

/** Undefined where it does not come in time. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const until = livedMs() + ms;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    const look = (): void => {
      const leftMs = until - livedMs();
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else resolve(undefined);
    };
    look();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until it holds. Returns what it said last where it does not in time. */
export async function eventually(ms: number, check: () => Promise<string | undefined>): Promise<string | undefined> {
  const until = livedMs() + ms;
  for (;;) {
    const wrong = await check();
    if (wrong === undefined || livedMs() > until) return wrong;
    await sleep(100);
  }
}
