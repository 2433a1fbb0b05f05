/** Signals that ask a server to end in order. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long an orderly end may take, in milliseconds; a supervisor usually waits ten seconds before it kills. */
const GRACE_MS = 8_000;

/**
 * Resolves when the process is asked to stop. A second request, or an end that takes longer than the grace, exits at once:
 * whatever hangs must not keep the operator waiting.
 */
export function untilAskedToStop(): { readonly asked: Promise<void> } {
  const asked = new Promise<void>((resolve) => {
    let requests = 0;
    const onSignal = (): void => {
      requests += 1;
      if (requests > 1) process.exit(1);
      setTimeout(() => process.exit(1), GRACE_MS).unref();
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  });
  return { asked };
}
