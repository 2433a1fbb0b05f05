import type { Category } from '../protocol/category.js';
import type { DangerLevel } from '../protocol/danger.js';

/** What may be decided about a call; the order is the strictness. */
export const DECISIONS = ['allow', 'confirm', 'deny'] as const;

export type Decision = (typeof DECISIONS)[number];

/** Who must agree: whoever saw the warning (and sends its token back), or a person by a way the model cannot take. */
export const CONFIRMERS = ['token', 'human'] as const;

export type Confirmer = (typeof CONFIRMERS)[number];

/** Declared conditions on one parameter; all that are given must hold. A missing value passes `present: false` alone. */
export interface ParamCondition {
  readonly present?: boolean;
  /** Deeply equal. */
  readonly equals?: unknown;
  readonly in?: readonly unknown[];
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
  /** Minimatch pattern(s) of the value as text; of any element where it is a list, and of every one for a rule that allows. */
  readonly glob?: readonly string[];
}

/**
 * Which calls a rule is about: all that is given must match, and of a list one entry. Patterns are minimatch's, without
 * extended globs.
 */
export interface RuleMatch {
  /** Patterns of exposed or qualified operation names. */
  readonly operation?: readonly string[];
  readonly category?: readonly Category[];
  readonly danger?: readonly DangerLevel[];
  /** Patterns of upstream names. */
  readonly upstream?: readonly string[];
  /** Patterns of authenticated clients' names; an unauthenticated caller has none and matches no pattern. */
  readonly client?: readonly string[];
  /** Conditions by parameter, dotted into objects: `options.force`. */
  readonly params?: Readonly<Record<string, ParamCondition>>;
}

export interface PolicyRule {
  /** As given, else `rule 3` by its position from 1. Unique. */
  readonly name: string;
  readonly match: RuleMatch;
  readonly decision: Decision;
  /** For whoever is refused or asked. */
  readonly reason?: string;
  /** Of `confirm`; `token` unless given. */
  readonly requires: Confirmer;
  /** Of `confirm`: least seconds between the question and the execution. */
  readonly cooldownSeconds?: number;
}

export interface ConfirmationConfig {
  /** Lifetimes of tokens by danger, in seconds. What is not destructive has the lifetime of `destructive`. */
  readonly ttlSeconds: Readonly<Record<'destructive' | 'dangerous' | 'forbidden', number>>;
  /** Grace after expiry for clocks that differ, in seconds. */
  readonly clockSkewSeconds: number;
  /** Questions issued per caller and minute. */
  readonly maxIssuedPerMinute: number;
  /** Failed validations, and revocations, per caller and minute. */
  readonly maxFailuresPerMinute: number;
}

/** A person who may approve, known by a bearer token. */
export interface OperatorConfig {
  readonly name: string;
  /** Secret: never log. */
  readonly token: string;
}

export interface ApprovalsConfig {
  /** Ask the client's user by MCP elicitation where the client can. */
  readonly elicitation: boolean;
  /** Ask the operator: command line, HTTP API, webhook. */
  readonly operator: boolean;
  /** What a call does meanwhile: answer at once and be retried with its token, or wait. */
  readonly mode: 'retry' | 'wait';
  /** How long a call waits, in seconds. */
  readonly waitSeconds: number;
  /** How long the operator has, in seconds. */
  readonly expireSeconds: number;
  /** Who may use the HTTP API; nobody when empty. */
  readonly operators: readonly OperatorConfig[];
  /** Where people reach this gateway, for links; the listening address unless given. */
  readonly publicUrl?: string;
  readonly webhook?: {
    readonly url: string;
    /** Key of the HMAC-SHA256 signature. Secret: never log. */
    readonly secret: string;
  };
}

export interface AuditConfig {
  readonly enabled: boolean;
  /** Absolute. */
  readonly directory: string;
  /** `gated`: calls at danger level 2 and above, and every refusal by policy; `all`: every call. */
  readonly calls: 'gated' | 'all';
  /** Write each record to the disk before going on. */
  readonly sync: boolean;
  /** Records older than so many days are removed, whole files at a time; 0 keeps all. */
  readonly retentionDays: number;
  /** Extra parameter names (minimatch) whose values are never recorded. */
  readonly redactKeys: readonly string[];
  /** Extra regular expressions; what they match in a text is never recorded. */
  readonly redactPatterns: readonly string[];
}

export type StoreConfig =
  | { readonly type: 'memory' }
  /** `file` is absolute. */
  | { readonly type: 'sqlite'; readonly file: string }
  /** `url` may hold a password: never log. */
  | { readonly type: 'redis'; readonly url: string; readonly prefix: string };

/** An MCP client that authenticates over HTTP. */
export interface ClientConfig {
  readonly name: string;
  /** Secret: never log. */
  readonly token: string;
}

export interface PolicyConfig {
  /** Operations that are not READ never run. */
  readonly readOnly: boolean;
  readonly rules: readonly PolicyRule[];
  readonly confirmation: ConfirmationConfig;
  readonly approvals: ApprovalsConfig;
}
