import type { JsonObject } from '../json/json.js';
import type { OperationError } from './operation-error.js';

/** One entry of an upstream's `tools/list`, exactly as sent. */
export type RawTool = JsonObject;

/** What an upstream offered when its list was last read. */
export interface ToolSet {
  readonly upstream: string;
  readonly tools: readonly RawTool[];
}

/** What a server says of itself when it connects: the beginning of each text, as sent. */
export interface Introduction {
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
}

/** Why an upstream cannot be called at this moment, in what callers may know of it. */
export interface Absence {
  /** Why it is not tried again before an operator changes something; absent where it is tried again. */
  readonly stopped?: 'disabled' | 'misconfigured' | 'failed';
  /** Whether its first connection is being made, or it is connected and its list is to be read. */
  readonly under?: 'starting' | 'unread';
  /** Until the next attempt to connect. */
  readonly retryAfterMs: number;
  /** Why it shows this user nothing, where it is called with the rights of each: a call is answered so. */
  readonly refusal?: OperationError;
}

/** The same in a few words. */
export function nameAbsence({ stopped, under, retryAfterMs, refusal }: Absence): string {
  if (refusal?.details['reason'] === 'credentials_required')
    return `needs your account: ${refusal.details['url'] ?? 'sign in'}`;
  if (under === 'unread') return 'its list has changed and is being read';
  return stopped ?? under ?? (retryAfterMs === 0 ? 'next try now' : `next try in ${Math.ceil(retryAfterMs / 1_000)} s`);
}

/** Why an upstream whose operations are not known has none, behind its name. */
export function describeAbsence({ stopped, under, retryAfterMs }: Absence): string {
  if (stopped === 'disabled') return 'is disabled in the configuration';
  if (stopped === 'misconfigured')
    return 'is misconfigured and not started, until an operator corrects its configuration';
  if (stopped === 'failed') return 'has failed too often and is not started again before an operator asks for it';
  if (under === 'starting') return 'is still starting, and its operations are not known yet';
  const when = retryAfterMs === 0 ? 'now' : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return `is configured but not connected, and its operations are not known yet. It is tried again ${when}`;
}

/** A fact about an upstream or a tool that an operator should know; it never stops the gateway. */
export interface Diagnostic {
  readonly severity: 'info' | 'warning' | 'error';
  /** Stable kebab-case kind, for example `tool-set-aside`. */
  readonly kind: string;
  readonly upstream: string;
  readonly tool?: string;
  readonly message: string;
}

/**
 * The longest definition of 2,600 public tools has 84,000 characters. No model reads one of this length, and each step of building
 * the catalog reads one.
 */
export const LONGEST_DEFINITION = 128_000;
