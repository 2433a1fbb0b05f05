import type { JsonObject } from '../../base/json/json.js';
import type { Owner } from '../../base/lib/owned-map.js';
import type { Caller } from '../../base/protocol/call.js';
import type { AnswerParts } from '../../base/protocol/inner-call.js';
import type { AnnouncedLimits } from '../../base/protocol/limits.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { Warning } from '../../base/protocol/result.js';
import type { ApiLimit } from '../../config/gateway-config.js';
import type { QuotasConfig } from '../../config/policy-config.js';

/** A call that wants to run. */
export interface ChargeRequest {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling: a token to continue is valid for these. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** The token that the caller sent to continue past a pause. */
  readonly continueToken?: string | undefined;
  /**
   * The operations of the stored answer that is read on: the one that gave it, and those whose answers it was made of. Nothing is sent to
   * their upstreams then, so of their budgets those apply that count answers.
   */
  readonly partsOf?: readonly Operation[] | undefined;
  /** The most bytes of data that the answer may have; the configured number where absent. */
  readonly answerTokens?: number | undefined;
  /** False where the caller does not get the answer, so that no budget counts it. */
  readonly delivered?: boolean | undefined;
  /** Set where the answer becomes part of another one: budgets of answers are asked, and count what is made of it (`chargeParts`). */
  readonly isPart?: boolean | undefined;
}

/** A call that was counted. */
export interface Charged {
  /** Of quotas whose threshold is near. */
  readonly warnings: readonly Warning[];
  /** Counts the answer, and gives back what was reserved for it; 0 where there is none. Called once; never rejects. */
  settle(answerCharacters: () => number): undefined | Promise<void>;
}

/** The part of the configuration that limits use. */
export interface QuotaSettings {
  readonly quotas: QuotasConfig;
  readonly upstreams: readonly { readonly slug: string; readonly apiLimits: readonly ApiLimit[] }[];
}

/** Whose account a call of an upstream uses; undefined where all callers use the same. */
export type AccountOf = (upstream: string, caller: Caller) => Owner;

/** Counts calls against upstreams' limits and the operator's quotas, exactly, over all gateways that share a store. */
export interface QuotaService {
  /** Whether no call can count against anything now: there are no budgets, and no upstream has asked callers to wait. */
  readonly isIdle: boolean;
  /**
   * Counts a call before it runs, on every budget or on none. Undefined where no budget applies. A call that has space only once
   * another one's answer is known waits for it. Throws or rejects with an `OperationError` of a RATE_LIMIT_* or TOKEN_* code, or
   * INTERNAL_ERROR while the store cannot be reached. A counted call stays counted, however it ends.
   */
  charge(request: ChargeRequest): undefined | Promise<Charged>;
  /** Counts an answer for the operations that it was made of, each by its share. Never rejects. */
  chargeParts(parts: AnswerParts, made: Pick<ChargeRequest, 'operation' | 'caller'>, characters: number): Promise<void>;
  /** Counts a call that is sent once more; false where the upstream's own limit is used up. Never rejects. */
  chargeRepeat(operation: Operation, caller: Caller): Promise<boolean>;
  /** Stores what an upstream's answer says about its rate limit. @param account whose limit it is */
  noteLimits(upstream: string, limits: AnnouncedLimits, tool: string | undefined, account: Owner): void;
  /** The state of each budget for this caller. Rejects while the store cannot be reached. */
  status(caller: Caller, scope?: QuotaScope): Promise<JsonObject>;
}

/** What a caller sees: budgets that are about nothing of it are not shown. */
export interface QuotaScope {
  readonly operations: readonly Operation[];
  readonly upstreams: readonly string[];
}
