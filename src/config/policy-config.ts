import type { ClientKey } from './access-config.js';
import {
  type APPROVALS,
  CALLER,
  type CONDITION,
  type CONFIRMATION,
  type LIMIT,
  type MATCH,
  type PRICE,
  type RULE,
  type WINDOWS,
} from './schema/policy-schema.js';
import type { Output } from './schema/setting.js';

export { COUNTED, METRICS } from './schema/policy-schema.js';

export type Window = (typeof WINDOWS)[number];

/** Declared conditions on one parameter; all that are given must hold. A missing value passes `present: false` alone. */
export type ParamCondition = Output<typeof CONDITION>;

/**
 * Which calls a rule is about: all that is given must match, and of a list one entry.
 */
export type RuleMatch = Output<typeof MATCH>;

export type CallerKey = keyof typeof CALLER;

/** The conditions on the caller. */
export const CALLER_KEYS = Object.keys(CALLER) as readonly CallerKey[];

type Rule = Output<typeof RULE>;

export type Confirmer = NonNullable<Rule['requires']>;

export interface PolicyRule extends Pick<Rule, 'decision' | 'reason'> {
  /** As given, else `rule 3` by its position from 1. Unique. */
  readonly name: string;
  readonly match: RuleMatch;
  /** Of `confirm`; `token` unless given. */
  readonly requires: Confirmer;
  /** Of `confirm`: least seconds between the question and the execution. */
  readonly cooldownSeconds?: number | undefined;
}

type Limit = Output<typeof LIMIT>;

/** Which calls are meant: all that is given must match, and of a list one entry. */
export type QuotaMatch = NonNullable<Limit['match']>;

/** Whether everybody draws on one budget, each client on its own, or each session. */
export type Share = Limit['per'];

/** Counts or money; those that are given stand in this order. */
export interface Thresholds extends Pick<Limit, 'warn' | 'pause'> {
  /** A call that would exceed this is refused. */
  readonly hardStop?: number | undefined;
}

export interface QuotaLimit extends Thresholds, Pick<Limit, 'per' | 'metric' | 'currency'> {
  /** As given, else the metric. Unique, and what its counters are known by. */
  readonly name: string;
  readonly match: QuotaMatch;
}

export interface QuotaPrice {
  readonly match: NonNullable<Output<typeof PRICE>['match']>;
  /** In `currency`. */
  readonly costPerCall: number;
}

export interface QuotasConfig {
  readonly limits: readonly QuotaLimit[];
  /** The last that matches an operation is its price; what none matches costs nothing. */
  readonly pricing: readonly QuotaPrice[];
  readonly currency: string;
}

export type ConfirmationConfig = Output<typeof CONFIRMATION>;

/** A person who may approve, known by bearer tokens. */
export interface OperatorConfig {
  readonly name: string;
  readonly keys: readonly ClientKey[];
}

export type ApprovalsConfig = Omit<Output<typeof APPROVALS>, 'operators' | 'webhook'> & {
  /** Who may use the HTTP API; nobody when empty. */
  readonly operators: readonly OperatorConfig[];
  readonly webhook?: {
    readonly url: string;
    /** Key of the HMAC-SHA256 signature. Secret: never log. */
    readonly secret: string;
  };
};

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

/** The smallest price and the steps that costs are counted in, in the currency's unit: a millionth. */
export const COST_STEPS = 1_000_000;
