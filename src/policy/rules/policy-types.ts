import type { JsonObject } from '../../base/json/json.js';
import type { Caller, CallerFacts } from '../../base/protocol/call.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import type { SharedConsent, UserChannel } from '../../base/protocol/consent.js';
import type { DangerLevel, Operation, TrustLevel } from '../../base/protocol/operation.js';
import type { OperationError } from '../../base/protocol/operation-error.js';
import { type Decision, whenRuns } from '../../base/protocol/policy-decision.js';
import type { UpdatePreview } from '../../base/protocol/update-preview.js';
import type { Confirmer } from '../../config/policy-config.js';

/** What a decision is made about. */
export interface PolicyRequest {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling, with the call's `if_match` where it has one. */
  readonly arguments: JsonObject;
  /** The canonical text of the arguments, where it has been written: of a megabyte once. */
  readonly canonical?: string;
  /** The params as the caller wrote them, without the token. Kept with a question; absent where none is asked. */
  readonly params?: JsonObject;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** The token that the caller sent back. */
  readonly confirmation?: string | undefined;
  readonly user?: UserChannel | undefined;
  /** The answer to an earlier question about this call and others. */
  readonly consent?: SharedConsent | undefined;
  /**
   * Reads what the call would change, for the person who is asked; absent where that cannot be known. Rejects with an
   * `OperationError` where the call would be refused whoever agrees.
   */
  readonly preview?: (() => Promise<UpdatePreview>) | undefined;
  /** Whether it is a part of a call that an agent has reported. */
  readonly isCovered?: boolean | undefined;
  /** Whether the call only asks what it would do, so that nobody has to agree. */
  readonly isDryRun?: true;
}

/** Why a call is allowed to run. */
export type Permit =
  | { readonly outcome: 'allowed' }
  | {
      readonly outcome: 'confirmed';
      /** Identifies the token; cannot be used as one. */
      readonly tokenId: string;
      /** Who agreed: `token` for a token that the caller sent back, `user` for the client's user, else the operator's name. */
      readonly by: string;
      /** The digest of the changes that a person was shown and agreed to; absent where nobody was shown any. */
      readonly changes?: string;
    };

/** What policy decides about an operation before there is a call. */
export interface StaticDecision {
  readonly effect: Decision;
  /** Who must agree, where the effect is `confirm`. */
  readonly requires: Confirmer;
  /** Whether a rule about parameters or clients may decide otherwise for a call. */
  readonly conditional: boolean;
}

export interface Gatekeeper {
  /**
   * Permits a call, synchronously where nothing gates it. Throws (or rejects with) an `OperationError` that denies it, or an
   * `InputRequired` that asks for agreement.
   */
  admit(request: PolicyRequest): Permit | Promise<Permit>;
  /** What is decided about a call, for who asks: nothing is recorded, and nobody asked. */
  decide(request: PolicyRequest): PolicyDecision;
  /** @param view where it is called; the whole where absent */
  staticDecision(operation: Operation, view?: string): StaticDecision;
  /** The name of the operation whose call the caller was asked to confirm with this token; undefined where it was not kept. */
  recallOperation(token: string, caller: Caller): Promise<string | undefined>;
  /** The params of the call that the caller was asked to confirm with this token; undefined where they were not kept. */
  recall(operation: Operation, token: string, caller: Caller): Promise<JsonObject | undefined>;
}

/** What a batch asks of policy beside running its calls. */
export interface BatchPolicy {
  /** Who must agree to the call; undefined where it is allowed, and where it is denied. */
  confirmerOf(request: PolicyRequest): Confirmer | undefined;
  /** Asks about a call before its turn comes. Uses no token, and runs nothing. Rejects where no more questions can be asked. */
  askAhead(request: PolicyRequest): Promise<AheadQuestion | undefined>;
  /** Absent where each call is agreed to by itself. */
  readonly joint?: JointConsent;
}

/** A question about a call whose turn has not come. */
export interface AheadQuestion {
  /** As in the details of a refusal that asks, without the token. */
  readonly details: JsonObject;
  /** Absent where a person must agree: that is asked when the call's turn comes. */
  readonly token?: string;
  /** Whether the token alone runs the call. */
  readonly keepsCall: boolean;
}

/** One agreement to several calls, all of which are shown, in their order. */
export interface JointConsent {
  /** Whether a token that a caller sent is one for several calls. */
  isJointToken(token: string): boolean;
  /** The question to the caller. @param instead the token of the question about the first call alone, which ends */
  askCaller(requests: readonly PolicyRequest[], instead: string): Promise<OperationError>;
  /** The params of the first call; undefined where they were not kept. */
  recall(token: string, caller: Caller): Promise<JsonObject | undefined>;
  /** Uses up a token for exactly these calls in this order. Rejects with a TOKEN_* error. */
  redeem(token: string, requests: readonly PolicyRequest[]): Promise<SharedConsent>;
  /**
   * Asks the client's user. Undefined where the client cannot ask; rejects with `InputRequired` where it has to call again, and with
   * a TOKEN_* error where its answer is not about exactly these calls.
   */
  askUser(requests: readonly PolicyRequest[], user: UserChannel): Promise<SharedConsent | undefined>;
}

/** The decision about one call, and what decided it. */
export interface PolicyDecision {
  readonly effect: Decision;
  readonly requires: Confirmer;
  readonly cooldownSeconds: number;
  /** The deciding rule's name; null where the matrix, the read-only switch or the operation's own declaration decided. */
  readonly rule: string | null;
  readonly by: 'rule' | 'matrix' | 'read-only' | 'operation';
  /** The deciding rule's reason. */
  readonly reason: string | null;
  readonly danger: DangerLevel;
  readonly trust: TrustLevel;
}

/** How one rule contributed to a decision, for operators. */
export interface RuleTrace {
  readonly rule: string;
  readonly decision: Decision;
  readonly matches: boolean;
  /** In words: what matched, or the first condition that did not, or that the parameters decide. */
  readonly why: string;
}

export interface Explanation {
  readonly operation: string;
  readonly decision: PolicyDecision;
  /** The trust matrix's own decision, and whether a rule lifted it. */
  readonly matrix: { readonly decision: Decision; readonly lifted: boolean };
  readonly rules: readonly RuleTrace[];
  /** One sentence: what decides and why. */
  readonly summary: string;
}

/** Applies the configured rules and the trust matrix. Pure: equal arguments give equal decisions. */
export interface RuleEngine {
  decide(operation: Operation, args: JsonObject, caller: CallerFacts): PolicyDecision;
  /** The decision about the operation before parameters and clients are known. @param view where it is called; the whole where absent */
  staticDecision(operation: Operation, view?: string): StaticDecision;
  explain(operation: Operation, args: JsonObject, caller: CallerFacts): Explanation;
}

/** Whether a call of the operation can be asked to be confirmed, so that a token for it means something. */
export function isConfirmable({ effect, conditional }: StaticDecision): boolean {
  return whenRuns(effect) === 'when agreed' || conditional;
}
