import { UpstreamFault } from './fault.js';

/**
 * How often one call is sent again: what was never sent, as the connection was lost just then; what a server may have run, where
 * that is safe to repeat; what a server refused because it had forgotten the session.
 */
export const MAX_REPEATS = { unsent: 2, run: 1, forgotten: 1 };

/** Why a call may be sent again after this fault; undefined where it must not be. */
export function repeatReason(
  fault: UpstreamFault | undefined,
  { retryable }: { readonly retryable: boolean },
): keyof typeof MAX_REPEATS | undefined {
  if (fault?.connectionLost !== true) return undefined;
  if (fault.kind === 'forgotten') return 'forgotten';
  if (fault.undelivered) return 'unsent';
  return retryable ? 'run' : undefined;
}

/** The fault where what ran is unknown. */
export function inDoubt(error: unknown): UpstreamFault {
  return new UpstreamFault('lost', 'it forgot a new session at once', { cause: error });
}
