import type { Category, DangerLevel } from '../base/protocol/operation.js';
import type { ClientKey } from './access-config.js';

/** Spans of the calendar, in UTC. */
const WINDOWS = ['second', 'minute', 'hour', 'day', 'month'] as const;

export type Window = (typeof WINDOWS)[number];

/** Whether everybody draws on one budget, each client on its own, or each session. */
export const SHARES = ['all', 'client', 'session'] as const;

export type Share = (typeof SHARES)[number];

/** The conditions on the caller. */
export const CALLER_KEYS = ['client', 'user', 'group', 'scope', 'view'] as const satisfies readonly (keyof RuleMatch)[];

export type CallerKey = (typeof CALLER_KEYS)[number];

/** Which calls are meant: all that is given must match, and of a list one entry. */
export type QuotaMatch = Pick<RuleMatch, 'operation' | 'category' | 'upstream' | CallerKey>;

/** Counts or money; those that are given stand in this order. */
export interface Thresholds {
  /** From here on answers carry a warning. */
  readonly warn?: number;
  /** A call that would exceed this is paused until its caller repeats it with a token. */
  readonly pause?: number;
  /** A call that would exceed this is refused. */
  readonly hardStop?: number;
}

export interface QuotaLimit extends Thresholds {
  /** As given, else the metric. Unique, and what its counters are known by. */
  readonly name: string;
  readonly match: QuotaMatch;
  readonly per: Share;
  readonly metric: QuotaMetric;
  /** Of a metric that counts cost. */
  readonly currency?: string;
}

export interface QuotaPrice {
  readonly match: Omit<QuotaMatch, CallerKey>;
  /** In `currency`. */
  readonly costPerCall: number;
}

export interface QuotasConfig {
  readonly limits: readonly QuotaLimit[];
  /** The last that matches an operation is its price; what none matches costs nothing. */
  readonly pricing: readonly QuotaPrice[];
  readonly currency: string;
}

/** What may be decided about a call; the order is the strictness. */
export const DECISIONS = ['allow', 'confirm', 'deny'] as const;

export type Decision = (typeof DECISIONS)[number];

/** Who must agree: the caller, which sends the token of the warning back, or a person, in a way that a model cannot use. */
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
  /** Patterns of authenticated users' names, `ISSUER:SUBJECT`. */
  readonly user?: readonly string[];
  /** Patterns of groups, one of which the caller must be in. */
  readonly group?: readonly string[];
  /** Patterns of scopes, one of which the caller's token must grant. */
  readonly scope?: readonly string[];
  /** Patterns of views' names; a caller of the whole is in none and matches no pattern. */
  readonly view?: readonly string[];
  /** Conditions by parameter, dotted into objects: `options.force`. */
  readonly params?: Readonly<Record<string, ParamCondition>>;
}

export interface PolicyRule {
  /** As given, else `rule 3` by its position from 1. Unique. */
  readonly name: string;
  readonly match: RuleMatch;
  readonly decision: Decision;
  /** Shown in the refusal or the question. */
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
  /** Whether the calls of one batch are agreed to each by itself, or together with one token or one answer. */
  readonly batch: 'each' | 'together';
  /** Questions issued per caller and minute. */
  readonly maxIssuedPerMinute: number;
  /** Failed validations, and revocations, per caller and minute. */
  readonly maxFailuresPerMinute: number;
}

/** A person who may approve, known by bearer tokens. */
export interface OperatorConfig {
  readonly name: string;
  readonly keys: readonly ClientKey[];
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
  /** How many requests may be undecided at one time, in all and for one client or session. */
  readonly maxPending: number;
  readonly maxPendingPerClient: number;
  /** Who may use the HTTP API; nobody when empty. */
  readonly operators: readonly OperatorConfig[];
  /** Groups of the issuers of `server.oauth` whose users are operators in the console. */
  readonly operatorGroups: readonly string[];
  /** Where people reach this gateway, for links; the listening address unless given. */
  readonly publicUrl?: string;
  readonly webhook?: {
    readonly url: string;
    /** Key of the HMAC-SHA256 signature. Secret: never log. */
    readonly secret: string;
  };
}

/** Whether there is anyone who may use the console. */
export function hasOperators({ operators, operatorGroups }: ApprovalsConfig): boolean {
  return operators.length > 0 || operatorGroups.length > 0;
}

export interface PolicyConfig {
  /** Operations that are not READ never run. */
  readonly readOnly: boolean;
  readonly rules: readonly PolicyRule[];
  readonly confirmation: ConfirmationConfig;
  readonly approvals: ApprovalsConfig;
}

/** What a quota can count, and over which window (companion document "rate limiting", 3.1). */
export const METRICS = {
  requests_per_minute: { counts: 'requests', window: 'minute' },
  requests_per_hour: { counts: 'requests', window: 'hour' },
  requests_per_day: { counts: 'requests', window: 'day' },
  tokens_per_minute: { counts: 'tokens', window: 'minute' },
  tokens_per_hour: { counts: 'tokens', window: 'hour' },
  tokens_per_day: { counts: 'tokens', window: 'day' },
  cost_per_hour: { counts: 'cost', window: 'hour' },
  cost_per_day: { counts: 'cost', window: 'day' },
  cost_per_month: { counts: 'cost', window: 'month' },
} as const satisfies Readonly<
  Record<string, { readonly counts: 'requests' | 'tokens' | 'cost'; readonly window: Window }>
>;

type QuotaMetric = keyof typeof METRICS;

/** The smallest price and the steps that costs are counted in, in the currency's unit: a millionth. */
export const COST_STEPS = 1_000_000;
