import type { JsonObject } from './json.js';
import type { Category, DangerLevel } from './operation.js';

export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A request for a person's yes, as operators see it. */
export interface Approval {
  /** Short and unguessable enough to be typed: never proof of anything. */
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly operation: string;
  readonly upstream: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly reasons: readonly string[];
  /** What is asked, in one sentence. */
  readonly message: string;
  /** Redacted. */
  readonly parameters: JsonObject;
  /** Who asks: the authenticated client or null, its label, its session. */
  readonly requester: { readonly client: string | null; readonly clientName: string; readonly session: string };
  /** The rule that demands it. */
  readonly rule: string | null;
  /** ISO 8601. */
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly decision: { readonly by: string; readonly at: string; readonly reason: string | null } | null;
}

/** Who decides; never the requester. */
export interface Approver {
  readonly name: string;
  readonly way: 'cli' | 'http';
}

/** Why a decision was not taken, for the person who tried. */
export type DecisionFault = 'unknown' | 'expired' | 'decided' | 'own-request';

export type DecisionResult =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly fault: DecisionFault; readonly approval?: Approval };

/** The operators' desk. */
export interface ApprovalService {
  list(status?: ApprovalStatus): Promise<readonly Approval[]>;
  find(id: string): Promise<Approval | undefined>;
  /** Decides once, atomically; recorded. */
  decide(id: string, verdict: 'approved' | 'denied', by: Approver, reason?: string): Promise<DecisionResult>;
}
