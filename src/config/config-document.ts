import type { PayloadLimits } from '../base/protocol/limits.js';
import type { Category, DangerLevel } from '../base/protocol/operation.js';
import type { IntrospectionConfig, IssuerConfig, TlsConfig } from './access-config.js';
import type { ChildLimits, OutboundTls } from './connection-config.js';
import type { UpstreamCredentials } from './credentials-config.js';
import type {
  ApiLimit,
  AuditConfig,
  CurationRule,
  EndpointMode,
  GatewayConfig,
  RedisSentinels,
  RedisStoreConfig,
  RelationConfig,
  StoreConfig,
  TRANSPORTS,
  UpstreamConfig,
} from './gateway-config.js';
import type { TracingConfig } from './observability-config.js';
import type {
  ApprovalsConfig,
  ConfirmationConfig,
  ParamCondition,
  PolicyConfig,
  PolicyRule,
  QuotaLimit,
  QuotaMatch,
  QuotaPrice,
  QuotasConfig,
  RuleMatch,
} from './policy-config.js';
import type { SafetyLoopConfig } from './safety-config.js';

/** Curation of the operations that one name or pattern matches, as written. */
export interface OperationEntry extends Omit<CurationRule, 'pattern' | 'computed'> {
  readonly computed?: Readonly<Record<string, string | ComputedEntry>>;
}

/** How one operation returns connections, as written. */
export type RelationEntry = Partial<Omit<RelationConfig, 'source' | 'target' | 'type' | 'nodes'>> &
  Pick<RelationConfig, 'relationship' | 'operation'> & {
    readonly source?: string;
    readonly target?: string;
    readonly type?: string;
    readonly nodes?: string;
    readonly node_id?: string;
    readonly node_type?: string;
  };

/** A value as pasted blocks write it in `env` and `headers`; null takes the key away. */
export type LooseText = string | number | boolean | null;

/** One server as other clients write it, plus our curation keys. Every key may be missing. */
export interface ServerEntry {
  readonly type?: keyof typeof TRANSPORTS;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, LooseText>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, LooseText>>;
  readonly disabled?: boolean;
  readonly description?: string;
  /** Seconds below 1,000, else milliseconds. */
  readonly timeout?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConcurrency?: number;
  readonly queue?: Partial<UpstreamConfig['queue']>;
  readonly restarts?: Partial<UpstreamConfig['restarts']>;
  readonly circuit?: Partial<UpstreamConfig['circuit']>;
  readonly required?: boolean;
  readonly proxy?: string;
  readonly tls?: OutboundTls;
  readonly limits?: ChildLimits;
  readonly isolation?: UpstreamConfig['isolation'];
  readonly credentials?: UpstreamCredentialsEntry;
  readonly instances?: Partial<UpstreamConfig['instances']>;
  readonly maxCallMs?: number;
  readonly maxAnswerBytes?: number;
  readonly trust?: UpstreamConfig['trust'];
  readonly strict?: boolean;
  readonly readOnlyStatements?: boolean;
  readonly asks?: Partial<UpstreamConfig['asks']>;
  readonly group?: UpstreamConfig['group'];
  readonly integrity?: UpstreamConfig['integrity'];
  readonly operations?: Readonly<Record<string, OperationEntry>>;
  readonly relations?: readonly RelationEntry[];
  readonly api_limits?: readonly ApiLimitEntry[];
}

/** A server's `credentials`, as written. Which keys apply depends on the type. */
export interface UpstreamCredentialsEntry {
  readonly type?: UpstreamCredentials['type'];
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientSecret_FILE?: string;
  readonly scopes?: readonly string[];
  readonly tokenEndpoint?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly headers?: readonly string[];
  readonly allowAuthorization?: boolean;
  readonly discovery?: { readonly headers?: Readonly<Record<string, LooseText>> };
}

/** A file of `upstreams/`. */
export interface UpstreamDocument extends ServerEntry {
  readonly name?: string;
}

export interface FamilyEntry {
  readonly purpose?: string;
  readonly categories?: ProfileFamily['categories'];
  readonly verbs?: readonly string[];
  readonly only?: ProfileFamily['categories'];
  readonly patterns?: readonly string[];
}

/**
 * The main file after validation, still as the operator wrote it. Only src/config uses this type.
 */
export interface GatewayDocument {
  readonly server?: ServerSettings;
  readonly endpoint?: {
    readonly mode?: EndpointMode | 'crude';
    readonly profile?: string;
    readonly toolPrefix?: string;
    readonly errors?: GatewayConfig['endpoint']['errors'];
    readonly passthrough?: boolean;
    readonly structuredContent?: boolean;
  };
  readonly profiles?: Readonly<Record<string, Readonly<Record<string, FamilyEntry>>>>;
  readonly limits?: Partial<PayloadLimits>;
  readonly batch?: Partial<GatewayConfig['batch']>;
  readonly warnings?: Partial<GatewayConfig['warnings']>;
  readonly errors?: Partial<GatewayConfig['errors']>;
  readonly cache?: Partial<GatewayConfig['cache']>;
  readonly executions?: Partial<GatewayConfig['executions']>;
  readonly results?: Partial<GatewayConfig['results']>;
  readonly defaults?: Partial<Omit<UpstreamDefaults, Nested>> & Pick<ServerEntry, Nested | 'proxy' | 'tls'>;
  readonly pins?: Readonly<Record<string, string>>;
  readonly integrity?: UpstreamConfig['integrity'];
  readonly policy?: PolicyEntry;
  readonly quotas?: QuotasEntry;
  readonly safetyLoop?: SafetyLoopEntry;
  readonly store?: StoreEntry;
  readonly audit?: Partial<AuditConfig>;
  readonly credentials?: { readonly key?: string; readonly key_FILE?: string };
  readonly clients?: Readonly<Record<string, ClientEntry>>;
  readonly views?: Readonly<Record<string, ViewEntry>>;
  readonly log?: Partial<Omit<GatewayConfig['log'], 'access'>> & { readonly access?: string };
  readonly metrics?: CredentialEntry & { readonly enabled?: boolean; readonly listen?: string | number };
  readonly tracing?: Omit<TracingConfig, 'headers'> & {
    readonly enabled?: boolean;
    readonly headers?: Readonly<Record<string, LooseText>>;
  };
  readonly dataDir?: string;
  readonly upstreamsDir?: string;
  readonly mcpServers?: Servers;
  readonly servers?: Servers;
  readonly mcp?: { readonly servers?: Servers };
}

/** The settings of every upstream that has none of its own. */
export type UpstreamDefaults = Pick<
  UpstreamConfig,
  | 'trust'
  | 'timeoutMs'
  | 'maxCallMs'
  | 'connectTimeoutMs'
  | 'maxConcurrency'
  | 'queue'
  | 'restarts'
  | 'circuit'
  | 'required'
  | 'isolation'
  | 'instances'
  | 'maxAnswerBytes'
  | 'strict'
  | 'readOnlyStatements'
  | 'asks'
>;

/** The settings of upstreams that are objects: members that one does not give are those of the defaults. */
type Nested = 'instances' | 'asks' | 'queue' | 'restarts' | 'circuit';

export interface QuotaEntry {
  readonly name?: string;
  readonly match?: QuotaMatchEntry;
  readonly per?: QuotaLimit['per'];
  readonly metric: QuotaLimit['metric'];
  readonly warn?: number;
  readonly pause?: number;
  readonly hard_stop?: number;
  readonly currency?: string;
}

export interface PriceEntry {
  readonly match?: Pick<MatchEntry, keyof QuotaPrice['match']>;
  readonly cost_per_call: number;
}

/** The main file's `quotas` after validation. */
export interface QuotasEntry {
  readonly limits?: readonly QuotaEntry[];
  readonly pricing?: readonly PriceEntry[];
  readonly currency?: QuotasConfig['currency'];
}

/** One of a server's `api_limits`; categories in either case, since the specification has both. */
export interface ApiLimitEntry extends Omit<ApiLimit, 'category'> {
  readonly category?: Category | Lowercase<Category>;
}

export type OneOrMany<T> = T | readonly T[];

/** A token, as written. */
interface CredentialEntry {
  readonly token?: string;
  readonly token_FILE?: string;
}

/** One token of a client or operator, as written. */
export interface KeyEntry extends CredentialEntry {
  readonly tokenHash?: string;
  readonly expires?: string;
}

/** The tokens of an operator, as written. */
export interface KeysEntry extends KeyEntry {
  readonly keys?: readonly KeyEntry[];
}

export interface ClientEntry extends KeysEntry {
  readonly groups?: readonly string[];
}

type ClaimValue = string | number | boolean;

/** An authorization server, as written. */
export interface IssuerEntry
  extends Partial<Omit<IssuerConfig, 'name' | 'issuer' | 'audience' | 'claims' | 'introspection' | 'login'>>,
    Pick<IssuerConfig, 'name' | 'issuer'> {
  readonly audience?: OneOrMany<string>;
  readonly claims?: Readonly<Record<string, Readonly<Record<string, OneOrMany<ClaimValue>>>>>;
  readonly introspection?: Partial<IntrospectionConfig> & { readonly clientSecret_FILE?: string };
  readonly login?: { readonly clientId?: string; readonly clientSecret?: string; readonly clientSecret_FILE?: string };
}

export interface OAuthEntry {
  readonly resource?: string;
  readonly issuers?: readonly IssuerEntry[];
}

/** The main file's `server` after validation. */
type ServerSettings = Partial<Omit<GatewayConfig['server'], 'oauth' | 'tls'>> & {
  readonly oauth?: OAuthEntry;
  readonly tls?: Partial<TlsConfig>;
};

export interface WebhookEntry {
  readonly url?: string;
  readonly secret?: string;
  readonly secret_FILE?: string;
}

export interface ConditionEntry extends Omit<ParamCondition, 'glob'> {
  readonly glob?: OneOrMany<string>;
}

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

/** The main file's `policy` after validation. */
export interface PolicyEntry {
  readonly readOnly?: PolicyConfig['readOnly'];
  readonly rules?: readonly RuleEntry[];
  readonly confirmation?: Partial<Omit<ConfirmationConfig, 'ttlSeconds'>> & {
    readonly ttlSeconds?: Partial<ConfirmationConfig['ttlSeconds']>;
  };
  readonly approvals?: Partial<Omit<ApprovalsConfig, 'operators' | 'webhook'>> & {
    readonly operators?: Readonly<Record<string, KeysEntry>>;
    readonly webhook?: WebhookEntry;
  };
}

/** The main file's `safetyLoop` after validation. */
export interface SafetyLoopEntry extends Partial<Omit<SafetyLoopConfig, 'challenge'>> {
  readonly challenge?: {
    readonly expiresSeconds?: number;
    readonly channels?: {
      readonly webhook?: WebhookEntry;
      readonly email?: {
        readonly server?: string;
        readonly server_FILE?: string;
        readonly from?: string;
        readonly to?: OneOrMany<string>;
      };
      readonly desktop?: boolean;
    };
  };
}

/** A view as written. */
export interface ViewEntry {
  readonly description?: string;
  readonly upstreams?: OneOrMany<string>;
  readonly operations?: {
    readonly include?: OneOrMany<string>;
    readonly exclude?: OneOrMany<string>;
    readonly categories?: OneOrMany<Category>;
    readonly danger?: DangerLevel;
  };
  readonly mode?: EndpointMode | 'crude';
  readonly profile?: string;
  readonly passthrough?: boolean;
  readonly policy?: { readonly rules?: readonly RuleEntry[] };
  readonly tokenBudget?: number;
  readonly clients?: OneOrMany<string>;
  readonly groups?: OneOrMany<string>;
}

export interface StoreEntry {
  readonly type?: StoreConfig['type'];
  readonly file?: string;
  readonly url?: string;
  readonly cluster?: readonly string[];
  readonly sentinel?: Partial<RedisSentinels>;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: RedisStoreConfig['tls'];
  readonly sharedBytes?: number;
  readonly sharedBytesPerClient?: number;
  readonly prefix?: string;
}

/** A computed field with more than its expression. */
type ComputedEntry = NonNullable<CurationRule['computed']>[string];

type ProfileFamily = GatewayConfig['endpoint']['profile']['families'][number];
type Servers = Readonly<Record<string, ServerEntry>>;

type QuotaMatchEntry = Pick<MatchEntry, keyof QuotaMatch>;

type ListedMatch = {
  readonly [K in keyof Omit<RuleMatch, 'params'>]: OneOrMany<NonNullable<RuleMatch[K]>[number]>;
};
