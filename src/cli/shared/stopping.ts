import { setTimeout as delay } from 'node:timers/promises';
import type { Observer } from '../../base/observe/observation.js';
import type { GatewayConfig } from '../../config/gateway-config.js';

/** How long closing everything after the last call may take, in milliseconds. */
const CLOSE_MS = 3_000;

/**
 * Resolves when the process is asked to stop. A second signal, or a shutdown that takes longer than the configured times
 * allow, exits at once, so that the operator does not have to wait.
 * @param onReload called at SIGHUP, by which supervisors ask for a reload; on a terminal it means that the terminal has gone,
 * and asks to stop.
 */
export function untilAskedToStop(
  { lameDuckMs, drainMs }: GatewayConfig['server'],
  onReload: () => void,
): { readonly asked: Promise<void> } {
  const graceMs = lameDuckMs + drainMs + CLOSE_MS;
  // Clients are served on where nobody reads what is printed any more.
  for (const printed of [process.stdout, process.stderr])
    printed.removeAllListeners('error').on('error', () => undefined);
  const asked = new Promise<void>((resolve) => {
    let requests = 0;
    const stop = (): void => {
      requests += 1;
      if (requests > 1) process.exit(1);
      setTimeout(() => process.exit(1), graceMs).unref();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
    process.on('SIGHUP', hasTerminal ? stop : onReload);
  });
  return { asked };
}

/** What is closed, and how. */
export type StopStep = readonly [name: string, close: () => Promise<void> | void];

/**
 * Closes one thing after the other: one that fails, or does not end in its time, keeps neither the others from closing nor the process from
 * ending.
 */
export async function closeInSteps(
  steps: readonly StopStep[],
  { lameDuckMs, drainMs }: GatewayConfig['server'],
  observe: Observer,
): Promise<void> {
  for (const [name, close] of steps) {
    const ended = new AbortController();
    const late = delay(lameDuckMs + drainMs + CLOSE_MS, 'it takes too long', { signal: ended.signal });
    const closing = (async () => close())().catch((cause: unknown) =>
      cause instanceof Error ? cause.message : String(cause),
    );
    const fault = await Promise.race([closing, late]);
    ended.abort();
    if (fault !== undefined) observe({ kind: 'notice', level: 'error', message: `Closing ${name}: ${fault}.` });
  }
}
