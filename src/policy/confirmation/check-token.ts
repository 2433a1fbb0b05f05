import type { JsonObject } from '../../base/json/json.js';
import { type Caller, principalOf } from '../../base/protocol/caller.js';
import type { ErrorCode } from '../../base/protocol/error-table.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { SEVERAL, type Token, type TokenScope } from './token-types.js';

/** A token that a caller sent back. */
export interface PresentedToken {
  readonly text: string;
  /** The store's key of that text, whether or not the token exists. */
  readonly key: string;
  readonly caller: Caller;
  /** What it has to be valid for; absent where it is only revoked. */
  readonly scope?: TokenScope;
}

/** The specification's longest token: an error quotes no more of what was sent. */
const MAX_ECHO = 80;

/** The operation's name as callers know it. */
function nameOf({ label, operation }: TokenScope): string {
  return label ?? operation;
}

/** Its label is no name of an operation. */
function isBatch({ operation }: TokenScope): boolean {
  return operation === SEVERAL;
}

interface ScopeCheck {
  readonly part: keyof TokenScope;
  readonly explain: (token: TokenScope, scope: TokenScope) => string;
}

/** In the specified order; the definition is checked with its operation. The answers contain no stored parameters. */
const SCOPE_CHECKS: readonly ScopeCheck[] = [
  {
    part: 'operation',
    explain: (token, scope) =>
      `Confirmation token is for ${isBatch(token) ? nameOf(token) : `operation '${nameOf(token)}'`}, not ${isBatch(scope) ? 'for a batch' : `'${nameOf(scope)}'`}`,
  },
  {
    part: 'definition',
    explain: (token) => `Operation '${nameOf(token)}' has changed since its confirmation token was issued`,
  },
  {
    part: 'parameters',
    explain: (token) =>
      isBatch(token)
        ? 'Confirmation token is for a batch of other operations or parameters, or for these in another order'
        : `Confirmation token is for a call of '${nameOf(token)}' with other parameters`,
  },
  {
    part: 'upstream',
    explain: (token, scope) => `Confirmation token is for adapter '${token.upstream}', not '${scope.upstream}'`,
  },
  {
    part: 'quota',
    explain: (_, scope) =>
      scope.quota === undefined
        ? `Token is for continuing past a quota pause and does not confirm a call of '${nameOf(scope)}'`
        : 'Token is not for continuing past the quota pause of this call',
  },
];

interface TokenCheck {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly skewSeconds: number;
  /** What of the scope is compared; all of it unless given. */
  readonly parts: readonly (keyof TokenScope)[] | undefined;
}

/**
 * Checks a token that exists, in the specified order: not expired, not consumed, operation, parameters, adapter. Throws the
 * `OperationError` of the first that fails.
 */
export function checkToken(token: Token, presented: PresentedToken, { now, skewSeconds, parts }: TokenCheck): void {
  if (now >= token.expiresAt + skewSeconds * 1_000) throw tokenExpired(token, presented, now);
  if (token.consumedAt !== null) throw tokenUsed(token.consumedAt, presented);
  const { scope } = presented;
  if (scope === undefined) return;
  const failed = SCOPE_CHECKS.find(({ part }) => (parts?.includes(part) ?? true) && token[part] !== scope[part]);
  if (failed === undefined) return;
  throw refuseToken('TOKEN_SCOPE_MISMATCH', failed.explain(token, scope), presented, {
    token_operation: token.operation,
    requested_operation: scope.operation,
  });
}

/** The token is unknown, malformed, or another caller's: the caller must not learn which. */
export function tokenInvalid(presented: PresentedToken): OperationError {
  const principal = principalOf(presented.caller);
  const why =
    principal === undefined
      ? 'this session has no such token, and a token is good in its own session only'
      : `${principal.kind} '${principal.name}' has no such token`;
  return refuseToken('TOKEN_INVALID', `Confirmation token is invalid: ${why}`, presented, {});
}

/** Said to the token's owner alone. */
export function tokenOutdated(presented: PresentedToken): OperationError {
  const why = "the gateway's configuration has changed since it was issued";
  return refuseToken('TOKEN_INVALID', `Confirmation token is invalid: ${why}`, presented, {});
}

/** Refuses a token whose cooldown is not over, and returns the token: it stays valid. */
export function checkCooldown(token: Token, presented: PresentedToken, now: number): void {
  // A gateway whose clock is ahead may have issued it: without a cooldown there is nothing to wait for.
  if (token.notBefore <= token.issuedAt || now >= token.notBefore) return;
  // Nor is the wait longer than the cooldown, whatever the clocks say.
  const seconds = Math.ceil(Math.min(token.notBefore - now, token.notBefore - token.issuedAt) / 1_000);
  throw new OperationError(
    'CONFIRMATION_REQUIRED',
    `Operation '${nameOf(token)}' may not run yet. Call it again with the same token in ${seconds} seconds`,
    {
      operation: token.operation,
      danger_level: token.danger,
      reasons: ['it has a waiting time between the question and the execution'],
      confirmation_token: presented.text,
      expires_at: toIso(token.expiresAt),
      not_before: toIso(token.notBefore),
      retry_after_seconds: seconds,
    },
  );
}

function tokenExpired({ expiresAt }: Token, presented: PresentedToken, now: number): OperationError {
  const expiredAt = toIso(expiresAt);
  return refuseToken('TOKEN_EXPIRED', `Confirmation token expired: '${expiredAt}'`, presented, {
    expired_at: expiredAt,
    current_time: toIso(now),
  });
}

function tokenUsed(at: number, presented: PresentedToken): OperationError {
  const consumedAt = toIso(at);
  const { scope } = presented;
  const what = scope !== undefined && isBatch(scope) ? 'batch' : 'call';
  const explanation = `Confirmation token is good for one ${what} and was used: '${consumedAt}'`;
  return refuseToken('TOKEN_ALREADY_USED', explanation, presented, { consumed_at: consumedAt });
}

function refuseToken(
  code: ErrorCode,
  explanation: string,
  { text, scope }: PresentedToken,
  details: JsonObject,
): OperationError {
  const operation = scope === undefined ? 'the operation' : `'${nameOf(scope)}'`;
  const nextStep =
    scope !== undefined && isBatch(scope)
      ? 'Send the batch again without its token'
      : `Call ${operation} again without a token`;
  return new OperationError(code, `${explanation}. ${nextStep} to get a new one`, {
    token: text.slice(0, MAX_ECHO),
    ...details,
  });
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
