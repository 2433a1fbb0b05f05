import { ERROR_TABLE, type ErrorCode } from '../protocol/error-table.js';

export type UpstreamState =
  | 'disabled'
  /** Not started: its configuration has a problem. */
  | 'misconfigured'
  | 'starting'
  | 'ready'
  /** Connected, but its calls fail, so that they are refused for a while. */
  | 'degraded'
  /** Not connected; the next attempt is planned. */
  | 'waiting'
  /** Not connected, and not tried again: it has failed too often. */
  | 'failed'
  /** Not connected because no caller uses it; the next call starts it. */
  | 'dormant'
  | 'closed';

/**
 * A typed event. Sinks such as the log decide how to use it. An observation must not contain argument values or secrets.
 */
export type Observation =
  | {
      readonly kind: 'call';
      readonly operation: string;
      readonly upstream: string;
      readonly category: string;
      readonly code: ErrorCode | 'OK';
      readonly durationMs: number;
      /** It only told what it would do. */
      readonly isDryRun?: true;
      readonly sessionId: string;
      /** The request's, as in the audit trail and in the answer's `_meta`. */
      readonly requestId?: string;
      /** The authenticated client, as the configuration or its issuer names it. */
      readonly client?: string;
    }
  /** A call that needed an agreement: it was asked for, was given, or was refused. */
  | {
      readonly kind: 'confirmation';
      readonly operation: string;
      /** Who has to agree. */
      readonly requires: string;
      readonly outcome: 'asked' | 'given' | 'refused';
    }
  | {
      readonly kind: 'upstream-state';
      readonly upstream: string;
      /** As the configuration spells it, where that is not the same. */
      readonly name?: string | undefined;
      readonly state: UpstreamState;
      /** For people: the reason, and what happens next. */
      readonly message: string;
      readonly retryInMs?: number;
    }
  | { readonly kind: 'upstream-stderr'; readonly upstream: string; readonly line: string }
  | { readonly kind: 'upstream-noise'; readonly upstream: string; readonly line: string }
  | {
      readonly kind: 'catalog';
      readonly operations: number;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** Names that now mean another operation. */
      readonly changed: readonly string[];
    }
  | {
      readonly kind: 'diagnostic';
      readonly severity: 'info' | 'warning' | 'error';
      readonly upstream: string;
      readonly tool?: string;
      readonly message: string;
    }
  | { readonly kind: 'session'; readonly sessionId: string; readonly event: 'opened' | 'closed' | 'expired' }
  | { readonly kind: 'notice'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string }
  /** A defect: an unexpected error was thrown. Only the log contains the cause. */
  | { readonly kind: 'defect'; readonly where: string; readonly cause: unknown };

/** Takes observations; never throws and never blocks. */
export type Observer = (observation: Observation) => void;

/** A refusal is an answer; a failure is a fault of a server or of the gateway. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** Passes each observation to every sink, in their order. */
export function observeWith(sinks: readonly Observer[]): Observer {
  const [first, ...others] = sinks;
  if (first !== undefined && others.length === 0) return first;
  return (observation) => {
    for (const sink of sinks) sink(observation);
  };
}

type Code = Extract<Observation, { readonly kind: 'call' }>['code'];

export function outcomeOf(code: Code): Outcome {
  if (code === 'OK') return 'ok';
  return ERROR_TABLE[code].recoverable ? 'refused' : 'failed';
}
