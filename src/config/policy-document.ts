import type {
  ApprovalsConfig,
  ConfirmationConfig,
  ParamCondition,
  PolicyConfig,
  PolicyRule,
  RuleMatch,
  StoreConfig,
} from './policy-config.js';

export type OneOrMany<T> = T | readonly T[];

/** Whoever holds a token, as written. */
export interface CredentialEntry {
  readonly token?: string;
  readonly token_FILE?: string;
}

export interface WebhookEntry {
  readonly url?: string;
  readonly secret?: string;
  readonly secret_FILE?: string;
}

export interface ConditionEntry extends Omit<ParamCondition, 'glob'> {
  readonly glob?: OneOrMany<string>;
}

type ListedMatch = {
  readonly [K in keyof Omit<RuleMatch, 'params'>]: OneOrMany<NonNullable<RuleMatch[K]>[number]>;
};

export interface MatchEntry extends ListedMatch {
  readonly params?: Readonly<Record<string, ConditionEntry>>;
}

export interface RuleEntry {
  readonly name?: string;
  readonly match?: MatchEntry;
  readonly decision: PolicyRule['decision'];
  readonly reason?: string;
  readonly requires?: PolicyRule['requires'];
  readonly cooldown_seconds?: number;
}

/** The main file's `policy` once its schema has passed it. */
export interface PolicyEntry {
  readonly readOnly?: PolicyConfig['readOnly'];
  readonly rules?: readonly RuleEntry[];
  readonly confirmation?: Partial<Omit<ConfirmationConfig, 'ttlSeconds'>> & {
    readonly ttlSeconds?: Partial<ConfirmationConfig['ttlSeconds']>;
  };
  readonly approvals?: Partial<Omit<ApprovalsConfig, 'operators' | 'webhook'>> & {
    readonly operators?: Readonly<Record<string, CredentialEntry>>;
    readonly webhook?: WebhookEntry;
  };
}

export interface StoreEntry {
  readonly type?: StoreConfig['type'];
  readonly file?: string;
  readonly url?: string;
  readonly prefix?: string;
}
