import type { Category } from '../protocol/category.js';
import type { DangerLevel } from '../protocol/danger.js';
import type { JsonObject } from '../protocol/json.js';

/** What becomes of a tool whose definition is not the accepted one: nothing, a report, or a report and no calls. */
export const INTEGRITY_MODES = ['off', 'warn', 'quarantine'] as const;

export type IntegrityMode = (typeof INTEGRITY_MODES)[number];

/** How an operation was classified when it was accepted. The family depends on the profile and is told for information. */
export interface LockedOperation {
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly family: string;
}

/** One accepted tool. */
export interface LockedTool {
  /** `sha256:` and the hash of the definition in canonical form. */
  readonly fingerprint: string;
  /** By the operation's name within its upstream; none for a hidden tool, several for a grouped one. */
  readonly operations: Readonly<Record<string, LockedOperation>>;
  /** The fields that the fingerprint is of, as the upstream sent them. */
  readonly definition: JsonObject;
}

/** By the upstream's own name for the tool. */
export type LockedUpstream = Readonly<Record<string, LockedTool>>;

/** What an operator has accepted: the content of `gateway.lock.json`. */
export interface LockContent {
  readonly version: 1;
  /** By configured name. */
  readonly upstreams: Readonly<Record<string, LockedUpstream>>;
}

/** Where the lock is, and what it holds; null when there is none. */
export interface ConfigLock {
  /** Absolute. */
  readonly file: string;
  readonly content: LockContent | null;
}
