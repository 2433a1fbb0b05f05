import { digest } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import { type DangerLevel, GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';

/** What a token is valid for. Each part is compared; what a caller must not learn about is compared first. */
export interface TokenScope {
  /** The qualified name, because a bare name may come to mean another operation. */
  readonly operation: string;
  /** What callers call the operation; for messages, not compared. */
  readonly label?: string;
  readonly upstream: string;
  /** The digest of the operation's definition: a changed tool needs a new question. */
  readonly definition: string;
  /** SHA-256 of the canonical arguments. */
  readonly parameters: string;
  /** For a token that continues past a quota's pause: which quota, and which of its windows. */
  readonly quota?: string;
}

/** A question that was asked, as the store keeps it. */
export interface Token extends TokenScope {
  /** Identifies the token in records and lists; cannot be used as one. */
  readonly id: string;
  readonly type: 'confirmation' | 'joint' | 'quota_continue';
  /** Whose it is: a session, or an authenticated client with all of its sessions. */
  readonly session: string;
  /** The digest of the configuration that it was issued under. */
  readonly configuration: string;
  readonly danger: DangerLevel;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
  /** The operator's approval that it waits for. */
  readonly approval: string | null;
  /** Whether the token alone runs the call, because its params are kept. */
  readonly keepsCall: boolean;
  readonly context: JsonObject;
}

export interface TokenRequest {
  /** `confirmation` unless given. */
  readonly type?: Token['type'];
  readonly scope: TokenScope;
  readonly caller: Caller;
  readonly danger: DangerLevel;
  readonly cooldownSeconds: number;
  /** Lifetime in seconds instead of the danger level's. */
  readonly lifetimeSeconds?: number;
  readonly approval?: string;
  readonly context?: JsonObject;
  /** The call's params as the caller wrote them, for a token that is to run the call alone. */
  readonly params?: JsonObject | undefined;
}

/** A token as its owner gets it, and as the store keeps it. */
export interface IssuedToken {
  readonly token: string;
  readonly record: Token;
}

/** Issues and redeems tokens. Every method rejects with an `OperationError` of a TOKEN_* code, or RATE_LIMIT_EXCEEDED. */
export interface ConfirmationTokens {
  issue(request: TokenRequest): Promise<IssuedToken>;
  /**
   * The params of the call that a token was issued for; undefined where they were not kept. Checks the token as far as it can be
   * without them, and does not consume it.
   */
  recall(token: string, of: Pick<TokenScope, 'operation' | 'label'>, caller: Caller): Promise<JsonObject | undefined>;
  /** The qualified name of the operation whose call the token alone runs; undefined for every other token of the caller's. */
  recallOperation(token: string, caller: Caller): Promise<string | undefined>;
  /** Checks a token in the specified order without consuming it. */
  inspect(token: string, scope: TokenScope, caller: Caller): Promise<Token>;
  /** Checks a token and consumes it, atomically over processes: of many simultaneous attempts one succeeds. */
  redeem(token: string, scope: TokenScope, caller: Caller): Promise<Token>;
  /** Revokes one of the caller's own tokens. */
  revoke(token: string, caller: Caller): Promise<Token>;
  /** Drops a question for the gateway itself: not counted as an attempt of the caller. */
  discard(token: string, caller: Caller): Promise<void>;
  /** Revokes the tokens that belong to a session. */
  endSession(sessionId: string): Promise<void>;
}

/**
 * The scope of a token for this call.
 *
 * The specification binds a token to the critical parameters and leaves open which those are. This gateway binds all: a
 * parameter that looks harmless (`dry_run`, `limit`, `recursive`) may decide how much is destroyed, and the question that was
 * confirmed shows them all.
 *
 * @param args the bound arguments in the upstream's spelling, so that both spellings of a parameter are one
 * @param canonical their canonical text, where it has been written
 */
export function scopeOf(operation: Operation, args: JsonObject, canonical?: string): TokenScope {
  return {
    operation: operation.qualifiedName,
    label: operation.name,
    upstream: operation.upstream,
    definition: operation.definition,
    parameters: digest(args, canonical),
  };
}

/** In place of an operation's name, in the scope of a token for several calls; no operation can have this name. */
export const SEVERAL = '(several)';

/** The scope of one token for these calls: for each of them and no other, in this order. */
export function jointScope(scopes: readonly TokenScope[]): TokenScope {
  return {
    operation: SEVERAL,
    label: `a batch of ${scopes.length} operations`,
    upstream: GATEWAY_SOURCE,
    definition: '',
    parameters: digest(scopes.map(keyOfScope)),
  };
}

/** Equal for equal calls. */
export function keyOfScope({ operation, definition, upstream, parameters }: TokenScope): string {
  return digest([operation, definition, upstream, parameters]);
}
