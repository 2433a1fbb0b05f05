import type { JsonObject } from '../../base/json/json.js';
import type { Category, DangerLevel, TrustLevel } from '../../base/protocol/operation.js';
import type { ArgumentsDigest } from './arguments-digest.js';

/** Who caused the recorded event. */
export interface AuditActor {
  readonly session?: string;
  /** The request that caused it, as in the log and in the answer's `_meta`. */
  readonly request?: string;
  /** The authenticated client. */
  readonly client?: string;
  /** The authenticated user. */
  readonly user?: string;
  /** What the client calls itself: a label, not an identity. */
  readonly client_name?: string;
  readonly transport?: string;
  /** The view that the call was made in. */
  readonly view?: string;
  /** The program that made the call. */
  readonly program?: string;
  /** The operator's name: of the HTTP API's token, or of the account that runs the command line. */
  readonly operator?: string;
}

/** What a record says about its operation. */
export interface AuditSubject {
  readonly operation: string;
  readonly upstream: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  /** What the operator declares for records of this operation. */
  readonly context?: readonly string[];
  readonly trust?: TrustLevel;
}

/** What happens in the safety loop. */
export type SafetyEvent =
  | 'EXECUTION_STARTED'
  | 'EXECUTION_STEP'
  | 'EXECUTION_COMPLETED'
  | 'EXECUTION_ABORTED'
  | 'DIRECTIVE'
  | 'CHALLENGE_ISSUED'
  | 'CHALLENGE_DELIVERED'
  | 'CHALLENGE_UNDELIVERED'
  | 'CHALLENGE_VERIFIED'
  | 'CHALLENGE_FAILED'
  | 'CHALLENGE_EXPIRED'
  | 'AGENT_BLOCKED'
  | 'AGENT_UNBLOCKED'
  | 'CONFIRMED'
  | 'REFUSED';

/** What is recorded. Field names are those of the written lines. The code that creates an event redacts its `parameters`. */
export type AuditEvent =
  | ({
      /** What policy decided about a call, before the call ran. */
      readonly type: 'decision';
      readonly outcome: 'allowed' | 'confirmed' | 'confirmation_required' | 'denied';
      readonly code?: string;
      /** The rule that decided; absent where the trust matrix did. */
      readonly rule?: string;
      readonly reason?: string;
      readonly token_id?: string;
      readonly by?: string;
      readonly parameters: JsonObject;
      /** Identifies the arguments before they were redacted and cut. */
      readonly arguments?: ArgumentsDigest;
      readonly actor: AuditActor;
    } & AuditSubject)
  | ({
      /** How a call ended, whatever stopped it. */
      readonly type: 'call';
      readonly code: string;
      readonly duration_ms: number;
      readonly actor: AuditActor;
    } & ((AuditSubject & { readonly parameters: JsonObject }) | { readonly operation: string }))
  | {
      readonly type: 'token';
      readonly event: 'TOKEN_ISSUED' | 'TOKEN_VALIDATED' | 'TOKEN_REJECTED' | 'TOKEN_REVOKED';
      readonly token_id: string;
      readonly operation?: string;
      readonly adapter?: string;
      readonly outcome: 'success' | 'failure';
      readonly failure_reason?: string;
      readonly actor: AuditActor;
    }
  | {
      readonly type: 'approval';
      readonly event: 'requested' | 'approved' | 'denied' | 'notified' | 'notification_failed';
      readonly approval: string;
      readonly operation: string;
      readonly reason?: string;
      readonly actor: AuditActor;
    }
  | {
      /** What a server asked of a client while it ran a call, and what became of it. */
      readonly type: 'question';
      readonly upstream: string;
      readonly method: string;
      readonly outcome: 'accept' | 'decline' | 'cancel' | 'answered' | 'failed' | 'refused';
      readonly actor: AuditActor;
    }
  | {
      /** What an agent reports in the safety loop, and what becomes of it. The texts of the agent are without secrets. */
      readonly type: 'safety';
      readonly event: SafetyEvent;
      readonly agent: string;
      /** Whose agent it is. */
      readonly subject: string;
      readonly execution?: string;
      readonly challenge?: string;
      /** What the agent said that it would do. */
      readonly step?: string;
      readonly continue?: boolean;
      readonly stopped?: boolean;
      readonly tier?: string;
      readonly score?: number;
      readonly factors?: readonly string[];
      readonly reason?: string;
      /** Who agreed or lifted: `code`, another client, or an operator. */
      readonly by?: string;
      readonly actor: AuditActor;
    }
  | {
      /** A change of what goes on in the background: a call or an agent. */
      readonly type: 'execution';
      readonly execution: string;
      readonly kind: string;
      readonly status: string;
      /** The operation's qualified name, or the agent's name. */
      readonly subject: string;
      readonly owner: string;
      /** Why it failed. */
      readonly code?: string;
      readonly actor: AuditActor;
    }
  | {
      /** An operator enters or leaves the console, or somebody is kept out. */
      readonly type: 'sign_in';
      readonly event: 'signed_in' | 'signed_out' | 'refused';
      /** `token`, or the name of the issuer; absent where a session ends. */
      readonly way?: string;
      /** Where it came from, as the gateway sees it. */
      readonly address: string;
      readonly reason?: string;
      readonly actor: AuditActor;
    }
  | { readonly type: 'admin'; readonly action: string; readonly details?: JsonObject; readonly actor: AuditActor }
  | {
      readonly type: 'integrity';
      readonly upstream: string;
      readonly tool?: string;
      readonly severity: string;
      readonly message: string;
    };
