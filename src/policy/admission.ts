import type { Confirmer, Decision } from '../config/gateway-config.js';
import type { Caller } from '../protocol/call.js';
import type { Cancellation } from '../protocol/cancellation.js';
import type { UserChannel } from '../protocol/consent.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';

/** What a decision is made about. */
export interface PolicyRequest {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling, with the call's `if_match` where it has one. */
  readonly arguments: JsonObject;
  /** The params as the caller wrote them, without the token. Kept with a question; absent where none is asked. */
  readonly params?: JsonObject;
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** The token that the caller sent back. */
  readonly confirmation?: string;
  readonly user?: UserChannel;
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
    };

/** What policy decides about an operation before there is a call. */
export interface StaticDecision {
  readonly effect: Decision;
  /** Who must agree, where the effect is `confirm`. */
  readonly requires: Confirmer;
  /** Whether a rule about parameters or clients may decide otherwise for a call. */
  readonly conditional: boolean;
}

/** Whether a call of the operation can be asked to be confirmed, so that a token for it means something. */
export function isConfirmable({ effect, conditional }: StaticDecision): boolean {
  return effect === 'confirm' || conditional;
}

export interface Gatekeeper {
  /**
   * Permits a call, synchronously where nothing gates it. Throws (or rejects with) an `OperationError` that denies it, or an
   * `InputRequired` that asks for agreement.
   */
  admit(request: PolicyRequest): Permit | Promise<Permit>;
  staticDecision(operation: Operation): StaticDecision;
  /** The params of the call that the caller was asked to confirm with this token; undefined where they were not kept. */
  recall(operation: Operation, token: string, caller: Caller): Promise<JsonObject | undefined>;
}
