import { digest } from '../../lib/canonical-json.js';
import type { Caller } from '../../protocol/call.js';
import type { JsonObject } from '../../protocol/json.js';
import type { DangerLevel, Operation } from '../../protocol/operation.js';

/** What a token is good for. Each part is compared; what a caller may not learn of is compared first. */
export interface TokenScope {
  /** Qualified name: a bare name may come to mean something else. */
  readonly operation: string;
  readonly upstream: string;
  /** Digest of the operation's definition: a changed tool needs a new question. */
  readonly definition: string;
  /** SHA-256 of the canonical arguments. */
  readonly parameters: string;
  /** Of a token that goes on past a quota's pause: which quota, and which of its windows. */
  readonly quota?: string;
}

/** A question that was put, as the store keeps it. */
export interface Token extends TokenScope {
  /** Names the token in records and lists without being it. */
  readonly id: string;
  readonly type: 'confirmation' | 'quota_continue';
  readonly session: string;
  /** Fingerprint of the configuration it was issued under. */
  readonly configuration: string;
  readonly danger: DangerLevel;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
  /** The operator's approval that it waits for. */
  readonly approval: string | null;
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
}

/** Issues and redeems tokens. Every method rejects with an `OperationError` of a TOKEN_* code, or RATE_LIMIT_EXCEEDED. */
export interface ConfirmationTokens {
  issue(request: TokenRequest): Promise<{ readonly token: string; readonly record: Token }>;
  /** Checks a token in the specified order without using it up. */
  inspect(token: string, scope: TokenScope, caller: Caller): Promise<Token>;
  /** Checks it and uses it up, atomically over processes: of many at once one succeeds. */
  redeem(token: string, scope: TokenScope, caller: Caller): Promise<Token>;
  /** Takes a token back; the caller's own alone. */
  revoke(token: string, caller: Caller): Promise<Token>;
  /** The same where the gate itself drops a question: no attempt of the caller's, and so not counted as one. */
  discard(token: string, caller: Caller): Promise<void>;
  /** Ends what was issued in a session. */
  endSession(sessionId: string): Promise<void>;
}

/** An operation never changes, and each question and answer asks for its digest. */
const definitions = new WeakMap<Operation, string>();

/**
 * What a token for this call is good for.
 *
 * The specification binds a token to the critical parameters and leaves open which those are. Here all of them are: a
 * parameter that looks harmless (`dry_run`, `limit`, `recursive`) may decide how much is destroyed, and whoever confirmed has
 * seen them all.
 *
 * @param args the bound arguments in the upstream's spelling, so that both spellings of a parameter are one
 */
export function scopeOf(operation: Operation, args: JsonObject): TokenScope {
  return {
    operation: operation.qualifiedName,
    upstream: operation.upstream,
    definition: definitionOf(operation),
    parameters: digest(args),
  };
}

/** Whether both are what a person was told, and mean the same by their arguments. */
export function isSameDefinition(one: Operation, other: Operation): boolean {
  return one === other || definitionOf(one) === definitionOf(other);
}

/** Digest of what the person was told that the operation is, and of what its arguments mean. */
function definitionOf(operation: Operation): string {
  const known = definitions.get(operation);
  if (known !== undefined) return known;
  const { qualifiedName, tool, description, inputSchema, fixedArguments, classification } = operation;
  const danger = classification.danger.level;
  const definition = digest({ qualifiedName, tool, description, inputSchema, fixedArguments, danger });
  definitions.set(operation, definition);
  return definition;
}
