import type { Caller } from '../../protocol/caller.js';
import type { ErrorCode } from '../../protocol/error-table.js';
import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Token, TokenScope } from './confirmation-tokens.js';

/** A token as it is sent back. */
export interface PresentedToken {
  readonly text: string;
  /** The store's key of that text, whether or not there is such a token. */
  readonly key: string;
  readonly caller: Caller;
  /** What it is to be good for; absent where it is only taken back. */
  readonly scope?: TokenScope;
}

/** The specification's longest token; more of what was sent helps nobody. */
const MAX_ECHO = 80;

interface ScopeCheck {
  readonly part: keyof TokenScope;
  readonly explain: (token: TokenScope, scope: TokenScope) => string;
}

/** In the specified order; the definition goes with the operation that it is of. Stored values are never told. */
const SCOPE_CHECKS: readonly ScopeCheck[] = [
  {
    part: 'operation',
    explain: (token, scope) => `Confirmation token is for operation '${token.operation}', not '${scope.operation}'`,
  },
  {
    part: 'definition',
    explain: ({ operation }) => `Operation '${operation}' has changed since its confirmation token was issued`,
  },
  {
    part: 'parameters',
    explain: ({ operation }) => `Confirmation token is for a call of '${operation}' with other parameters`,
  },
  {
    part: 'upstream',
    explain: (token, scope) => `Confirmation token is for adapter '${token.upstream}', not '${scope.upstream}'`,
  },
  {
    part: 'quota',
    explain: (_, { operation, quota }) =>
      quota === undefined
        ? `Token is for going on past a quota and confirms no call of '${operation}'`
        : 'Token is not for going on past the quota that pauses this call now',
  },
];

/**
 * Checks a token that exists, in the specified order: not expired, not consumed, operation, parameters, adapter. Throws the
 * `OperationError` of the first that fails.
 * @param now milliseconds since the epoch
 */
export function checkToken(token: Token, presented: PresentedToken, now: number, skewSeconds: number): void {
  if (now >= token.expiresAt + skewSeconds * 1_000) throw tokenExpired(token, presented, now);
  if (token.consumedAt !== null) throw tokenUsed(token.consumedAt, presented);
  const { scope } = presented;
  if (scope === undefined) return;
  const failed = SCOPE_CHECKS.find(({ part }) => token[part] !== scope[part]);
  if (failed === undefined) return;
  throw refuse('TOKEN_SCOPE_MISMATCH', failed.explain(token, scope), presented, {
    token_operation: token.operation,
    requested_operation: scope.operation,
  });
}

/** Unknown, malformed, somebody else's or of another configuration: the caller must not learn which. */
export function tokenInvalid(presented: PresentedToken): OperationError {
  return refuse('TOKEN_INVALID', 'Confirmation token is invalid', presented, {});
}

/** Refuses a token whose cooldown is not over, with the token itself: it stays good. */
export function checkCooldown(token: Token, presented: PresentedToken, now: number): void {
  if (now >= token.notBefore) return;
  const seconds = Math.ceil((token.notBefore - now) / 1_000);
  throw new OperationError(
    'CONFIRMATION_REQUIRED',
    `Operation '${token.operation}' may not run yet. Call it again with the same token in ${seconds} seconds`,
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
  return refuse('TOKEN_EXPIRED', `Confirmation token expired at '${expiredAt}'`, presented, {
    expired_at: expiredAt,
    current_time: toIso(now),
  });
}

function tokenUsed(at: number, presented: PresentedToken): OperationError {
  const consumedAt = toIso(at);
  const explanation = `Confirmation token is good for one call and was used at '${consumedAt}'`;
  return refuse('TOKEN_ALREADY_USED', explanation, presented, { consumed_at: consumedAt });
}

function refuse(
  code: ErrorCode,
  explanation: string,
  { text, scope }: PresentedToken,
  details: JsonObject,
): OperationError {
  const operation = scope === undefined ? 'the operation' : `'${scope.operation}'`;
  return new OperationError(code, `${explanation}. Call ${operation} again without a token to get a new one`, {
    token: text.slice(0, MAX_ECHO),
    ...details,
  });
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
