import type { Category } from '../../protocol/category.js';
import type { DangerLevel, TrustLevel } from '../../protocol/danger.js';
import type { JsonObject } from '../../protocol/json.js';

/** Who did what is recorded. */
export interface AuditActor {
  readonly session?: string;
  /** The authenticated client. */
  readonly client?: string;
  /** What the client calls itself: a label. */
  readonly client_name?: string;
  readonly transport?: string;
  /** The operator's name: of the HTTP API's token, or of the account that runs the command line. */
  readonly operator?: string;
}

/** What a record about an operation says of it. */
export interface AuditSubject {
  readonly operation: string;
  readonly upstream: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly trust?: TrustLevel;
}

/** What is recorded. Field names are those of the written lines. `parameters` are redacted by whoever makes the event. */
export type AuditEvent =
  | ({
      /** What policy said of a call, before the call ran. */
      readonly type: 'decision';
      readonly outcome: 'allowed' | 'confirmed' | 'confirmation_required' | 'denied';
      readonly code?: string;
      /** The rule that decided; absent where the trust matrix did. */
      readonly rule?: string;
      readonly reason?: string;
      readonly token_id?: string;
      readonly by?: string;
      readonly parameters: JsonObject;
      readonly actor: AuditActor;
    } & AuditSubject)
  | ({
      /** How a call ended, whatever stopped it. */
      readonly type: 'call';
      readonly code: string;
      readonly duration_ms: number;
      readonly parameters: JsonObject;
      readonly actor: AuditActor;
    } & AuditSubject)
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
  | { readonly type: 'admin'; readonly action: string; readonly details?: JsonObject; readonly actor: AuditActor }
  | {
      readonly type: 'integrity';
      readonly upstream: string;
      readonly tool?: string;
      readonly severity: string;
      readonly message: string;
    };

/** Where what must be on record goes. `record` never throws and never blocks, unless each record is to be on disk at once. */
export interface AuditTrail {
  record(event: AuditEvent): void;
  /** Resolves when everything recorded so far is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The trail of a gateway that keeps none. */
export const noAuditTrail: AuditTrail = {
  record: () => undefined,
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
