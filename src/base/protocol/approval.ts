import type { JsonObject } from '../json/json.js';
import type { Category, DangerLevel } from './operation.js';

export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * What an update that merges would change in the state that was read when the approval was asked for. Without secrets and of
 * bounded size, as parameters are.
 */
export type ShownUpdate =
  | {
      readonly known: true;
      /** The name of the READ that found the state. */
      readonly read: string;
      readonly changes: readonly ShownChange[];
      /** How many further changes are left out. */
      readonly more: number;
      /** What stays as it is. */
      readonly unchanged: JsonObject;
    }
  | {
      readonly known: false;
      /** Why the present state could not be read. */
      readonly why: string;
    };

/** One value that would change. Where both values look alike, they differ in what is not shown. */
export interface ShownChange {
  /** Where it is in the resource: `settings.priority`. */
  readonly field: string;
  /** Absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A request for a person's approval, as operators see it. */
export interface Approval {
  /** Short enough to type. It only identifies the request and authorises nothing. */
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly operation: string;
  readonly upstream: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly reasons: readonly string[];
  /** The question, in one sentence. */
  readonly message: string;
  /** Without secrets and of bounded size, the most important first; what is run is shown as it is. */
  readonly parameters: JsonObject;
  /** The same with larger bounds, where these cut something; only where it is asked for. */
  readonly full?: JsonObject;
  /** The names of those parameters that say what an UPDATE sets; the others find what it changes. Only of UPDATEs. */
  readonly fields?: readonly string[];
  /** Only of an update that merges, and not in lists. */
  readonly update?: ShownUpdate;
  /** Who requests it: the authenticated client or null, the authenticated user where there is one, its label, its session. */
  readonly requester: {
    readonly client: string | null;
    readonly user?: string;
    readonly clientName: string;
    readonly session: string;
    /** The id of the request that the call came with, as its answer, log and audit record have it. */
    readonly request?: string | undefined;
  };
  /** The rule that requires the approval. */
  readonly rule: string | null;
  /** ISO 8601. */
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly decision: { readonly by: string; readonly at: string; readonly reason: string | null } | null;
}

/** The person who decides; never the requester. */
export interface Approver {
  readonly name: string;
  readonly way: 'cli' | 'http';
}

/** Why a decision was refused. */
export type DecisionFault = 'unknown' | 'expired' | 'decided' | 'own-request';

export type DecisionResult =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly fault: DecisionFault; readonly approval?: Approval };

/** Lists and decides the requests that wait for an operator. */
export interface ApprovalService {
  list(status?: ApprovalStatus): Promise<readonly Approval[]>;
  /** @param full with all of the parameters */
  find(id: string, full?: boolean): Promise<Approval | undefined>;
  /** Decides a request once and atomically, and records the decision. */
  decide(id: string, verdict: 'approved' | 'denied', by: Approver, reason?: string): Promise<DecisionResult>;
}
