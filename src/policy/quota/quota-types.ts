import type { ApiLimit, QuotasConfig } from '../../config/gateway-config.js';
import type { Caller } from '../../protocol/call.js';
import type { JsonObject } from '../../protocol/json.js';
import type { AnnouncedLimits } from '../../protocol/limits.js';
import type { Operation } from '../../protocol/operation.js';
import type { Warning } from '../../protocol/result.js';

/** A call that wants to run. */
export interface ChargeRequest {
  readonly operation: Operation;
  /** Bound arguments in the upstream's spelling: what a token to go on is good for. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** The token that the caller sent to go on past a pause. */
  readonly continueToken?: string;
}

/** What of the configuration says how much may be used. */
export interface QuotaSettings {
  readonly quotas: QuotasConfig;
  readonly upstreams: readonly { readonly slug: string; readonly apiLimits: readonly ApiLimit[] }[];
}

/** Counts calls against upstreams' limits and the operator's quotas, exactly and over all gateways with one store. */
export interface QuotaService {
  /**
   * Counts a call before it runs, on every budget or on none. Undefined where nothing is about it; else resolves with what
   * is to be told of thresholds that are near. Throws or rejects with an `OperationError` of a RATE_LIMIT_* or TOKEN_* code,
   * or INTERNAL_ERROR while the store cannot be reached. What is counted stays so, however the call ends.
   */
  charge(request: ChargeRequest): undefined | Promise<readonly Warning[]>;
  /** Counts an answer's tokens once it is there. Undefined where nobody counts them; never rejects. */
  settle(operation: Operation, caller: Caller, answerCharacters: number): undefined | Promise<void>;
  /** Takes note of what an upstream's answer said of its rate limit. */
  noteLimits(upstreamSlug: string, limits: AnnouncedLimits, tool?: string): void;
  /** Where each budget stands, for this caller. Rejects while the store cannot be reached. */
  status(caller: Caller): Promise<JsonObject>;
}
