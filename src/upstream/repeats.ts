import { OperationError } from '../base/protocol/operation-error.js';
import { type FaultKind, findFault, UpstreamFault } from './transport/fault.js';

/**
 * How often one call is sent again: what was never sent, as the connection was lost just then; what a server may have run, where
 * that is safe to repeat; what a server refused because it had forgotten the session.
 */
const MAX_REPEATS = { unsent: 2, run: 1, forgotten: 1 };

type RepeatReason = keyof typeof MAX_REPEATS;

/** Why a call may be sent again after this fault; undefined where it must not be. */
function repeatReason(
  fault: UpstreamFault | undefined,
  { retryable }: { readonly retryable: boolean },
): RepeatReason | undefined {
  if (fault?.connectionLost !== true) return undefined;
  if (fault.kind === 'forgotten') return 'forgotten';
  if (fault.undelivered) return 'unsent';
  return retryable ? 'run' : undefined;
}

/** Faults of an attempt that was not begun. */
const NEVER_BEGUN: ReadonlySet<FaultKind> = new Set(['unavailable', 'stopped', 'full', 'busy', 'command']);

/** The failed attempts to send one call. */
export class FailedAttempts {
  readonly #repeats: Record<RepeatReason, number> = { unsent: 0, run: 0, forgotten: 0 };
  /** Of the attempt that the server may have run. */
  #delivered: UpstreamFault | undefined;

  /** Counts one more. Returns why the call may be sent again; undefined where it must not be. */
  add(error: unknown, call: { readonly retryable: boolean }): RepeatReason | undefined {
    const fault = findFault(error);
    const reason = repeatReason(fault, call);
    if (reason === undefined) return undefined;
    if (reason === 'run') this.#delivered ??= fault;
    this.#repeats[reason] += 1;
    if (this.#repeats[reason] <= MAX_REPEATS[reason]) return reason;
    // A new session that is forgotten at once says that this was no matter of sessions: what ran is then unknown.
    if (reason === 'forgotten')
      this.#delivered ??= new UpstreamFault('lost', 'it forgot a new session at once', { cause: error });
    return undefined;
  }

  /** What the call ends with when no other attempt follows: after one that the server may have run, none says that it did not run. */
  endOf(error: unknown): unknown {
    if (this.#delivered === undefined) return error;
    const fault = findFault(error);
    const neverBegun =
      fault === undefined ? error instanceof OperationError : fault.undelivered || NEVER_BEGUN.has(fault.kind);
    return neverBegun ? this.#delivered : error;
  }
}
