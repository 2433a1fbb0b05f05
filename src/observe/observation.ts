import type { ErrorCode } from '../protocol/error-table.js';

/** Where an upstream's connection stands. */
export type UpstreamState =
  | 'disabled'
  | 'connecting'
  | 'ready'
  /** Not connected; the next attempt is planned. */
  | 'waiting'
  /** Not connected because it did not answer, not even a ping. */
  | 'unresponsive'
  /** Not connected; it has crashed so often that the pauses between starts grow. */
  | 'crash-looping'
  | 'closed';

/**
 * What happened, told once and typed. Sinks (log, later metrics and audit) decide what to make of it. Nothing here may hold
 * argument values or secrets.
 */
export type Observation =
  | {
      readonly kind: 'call';
      readonly operation: string;
      readonly upstream: string;
      readonly category: string;
      readonly code: ErrorCode | 'OK';
      readonly durationMs: number;
      readonly sessionId: string;
    }
  | {
      readonly kind: 'upstream-state';
      readonly upstream: string;
      readonly state: UpstreamState;
      /** For people: why, and what happens next. */
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
      /** Names that now call something else than before. */
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
  /** A defect: something threw that should not have. The cause is for the log alone. */
  | { readonly kind: 'defect'; readonly where: string; readonly cause: unknown };

/** Takes observations; never throws and never blocks. */
export type Observer = (observation: Observation) => void;
