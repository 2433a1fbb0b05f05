import type { JsonObject } from '../base/json/json.js';
import type { Category, DangerLevel } from '../base/protocol/operation.js';
import type { ClientConfig, ServerConfig } from './access-config.js';
import type { CredentialStorage, UpstreamCredentials } from './credentials-config.js';
import type { LogConfig, MetricsConfig, TracingConfig } from './observability-config.js';
import type { PolicyConfig, QuotasConfig } from './policy-config.js';
import type { SafetyLoopConfig } from './safety-config.js';
import type {
  CHILD_LIMITS,
  CIRCUIT,
  INSTANCES,
  OUTBOUND_TLS,
  PINGS,
  QUEUE,
  RESTARTS,
  SHARED,
} from './schema/connection-schema.js';
import type { OPERATION, RELATION } from './schema/operation-schema.js';
import type { API_LIMIT } from './schema/policy-schema.js';
import type { ENDPOINT, PLAIN_SECTIONS } from './schema/serving-schema.js';
import type { Input, Output, Outputs, Settings } from './schema/setting.js';
import type { AUDIT, STORE } from './schema/storage-schema.js';
import type { INTEGRITY_MODES, SERVER_ENTRY } from './schema/upstream-schema.js';
import type { VIEW } from './schema/view-schema.js';

/** How a stdio server is started. */
export interface StdioEndpoint {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables on top of the few that a child inherits. May hold secrets: never log. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  readonly limits?: ChildLimits;
}

/** How a server over HTTP is reached. */
export interface HttpEndpoint {
  /** `http` is Streamable HTTP; `sse` the HTTP+SSE transport of protocol 2024-11-05. */
  readonly type: 'http' | 'sse';
  readonly url: string;
  /** May hold secrets: never log. */
  readonly headers: Readonly<Record<string, string>>;
  /** The proxy on the way: an address, which may hold a password, or `environment` for that of the variables. */
  readonly proxy?: string;
  readonly tls?: OutboundTls;
}

export type UpstreamEndpoint = StdioEndpoint | HttpEndpoint;

/**
 * An operator's curation of the operations that a pattern matches. The pattern is an exact name or a pattern; it
 * is compared with the tool's own name and with the operation's snake_case name. Later rules win, key by key.
 */
export type CurationRule = Omit<Input<typeof OPERATION>, 'computed'> & {
  readonly pattern: string;
  /** Computed fields by name. */
  readonly computed?: Readonly<Record<string, { readonly expression: string; readonly description?: string }>>;
};

/** An argument that makes a call more dangerous, as the operator writes it. */
export type RiskDeclaration = NonNullable<CurationRule['risks']>[number];

/** Relationships that one READ operation returns (companion document "relationship queries"), with what is meant where nothing is said. */
export type RelationConfig = Output<typeof RELATION> & Required<Pick<Output<typeof RELATION>, 'params' | 'edges'>>;

/** The settings of every upstream that has none of its own. */
export type UpstreamDefaults = Omit<Outputs<typeof SHARED>, 'proxy' | 'tls' | 'maxAnswerBytes'> & {
  /** Bytes of one message that it may send; the call whose answer is longer fails alone. */
  readonly maxAnswerBytes: number;
};

/** Who shares a connection to a server: judged by what it offers, all callers, those of one client, or one session alone. */
export type IsolationSetting = UpstreamDefaults['isolation'];

/** What a server may ask of a client while it runs one of its calls. */
export type AskPolicy = UpstreamDefaults['asks'];

export type AskKind = keyof AskPolicy;

type Server = Input<typeof SERVER_ENTRY>;

export interface UpstreamConfig extends UpstreamDefaults, Pick<Server, 'description' | 'group' | 'readOnlyAccount'> {
  /** As the operator wrote it. */
  readonly name: string;
  /** The name in snake_case: what qualifies its operations. Unique. */
  readonly slug: string;
  readonly endpoint: UpstreamEndpoint;
  readonly disabled: boolean;
  /** Why its definition cannot be used; it is then disabled. */
  readonly problem?: string;
  /** Whose rights its calls use; where absent, those of the endpoint's own headers and variables. */
  readonly credentials?: UpstreamCredentials;
  /** How a tool that differs from the accepted one is treated. */
  readonly integrity: IntegrityMode;
  readonly curation: readonly CurationRule[];
  readonly relations: readonly RelationConfig[];
  /** How many calls it takes. */
  readonly apiLimits: readonly ApiLimit[];
}

/** A family of a profile: what it is for, and which operations it takes. */
export interface FamilyDefinition {
  readonly name: string;
  /** One sentence for the model: "Read and search without changing anything." */
  readonly purpose: string;
  /** Categories it takes whole. */
  readonly categories: readonly Category[];
  /** Leading words of operation names that it takes; they beat `categories`. */
  readonly verbs: readonly string[];
  /** Patterns of operation names that it takes; they beat `verbs`. */
  readonly patterns: readonly string[];
  /** The categories that `verbs` and `patterns` may take; a family that reads must not take a write by its name. */
  readonly only: readonly Category[];
}

/** Assigns operations to families. Each operation belongs to exactly one; the last family takes those that no other takes. */
export interface ProfileDefinition {
  readonly name: string;
  readonly families: readonly FamilyDefinition[];
}

type Endpoint = Output<typeof ENDPOINT>;

/** `passthrough`: no tools of the gateway's own, only the upstreams' (docs/passthrough.md). `crude` is another name of `semantic`. */
export type EndpointMode = Exclude<Endpoint['mode'], 'crude'>;

/** What clients see. */
export type EndpointConfig = Omit<Endpoint, 'mode' | 'profile'> & {
  readonly mode: EndpointMode;
  readonly profile: ProfileDefinition;
};

/** The whole configuration: validated, normalised, frozen. Nothing downstream reads a file or the environment. */
export interface GatewayConfig extends Outputs<typeof PLAIN_SECTIONS> {
  /** Absolute path of the main file; null when there is none. */
  readonly file: string | null;
  /** Where relative paths start: the main file's folder, else the working directory. */
  readonly directory: string;
  /** Where the gateway keeps what must survive a restart. Absolute. */
  readonly dataDir: string;
  /** The folder with one file per upstream; it need not exist. Absolute. */
  readonly upstreamsDir: string;
  /** What modules have in the main file, by the names of their sections: who reads the files anew reads it, too. */
  readonly sections: Settings;
  /** What the file and the defaults say of these, by the same names. */
  readonly modules: Readonly<Record<string, unknown>>;
  readonly server: ServerConfig;
  readonly endpoint: EndpointConfig;
  /** The files of secrets that its values come from. */
  readonly secretFiles?: readonly string[];
  /** What was accepted of the upstreams' tools. */
  readonly lock: ConfigLock;
  /** Bare operation names that belong to one upstream (by slug), even if others offer the same name. */
  readonly pins: Readonly<Record<string, string>>;
  readonly policy: PolicyConfig;
  readonly quotas: QuotasConfig;
  readonly safetyLoop: SafetyLoopConfig;
  readonly store: StoreConfig;
  readonly audit: AuditConfig;
  readonly credentials: CredentialStorage;
  /** Who may use MCP over HTTP with a static token; without these and `server.oauth`, everyone who can reach the port. */
  readonly clients: readonly ClientConfig[];
  readonly log: LogConfig;
  /** Absent where off. */
  readonly metrics?: MetricsConfig;
  /** Absent where off. */
  readonly tracing?: TracingConfig;
  readonly upstreams: readonly UpstreamConfig[];
  readonly views: readonly ViewConfig[];
}

/** A part of the gateway with an address of its own, `/mcp/NAME`. What is outside does not exist in it (docs/views.md). */
export interface ViewConfig extends Pick<View, 'description' | 'upstreams' | 'tokenBudget' | 'clients' | 'groups'> {
  readonly name: string;
  readonly operations: ViewOperations;
  readonly endpoint: EndpointConfig;
}

type View = Output<typeof VIEW>;

/** The operations of a view: those that pass everything that is given. */
export type ViewOperations = NonNullable<View['operations']>;

export type IntegrityMode = (typeof INTEGRITY_MODES)[number];

/** How an operation was classified when it was accepted. The family depends on the profile and is for information only. */
export interface LockedOperation {
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly family: string;
}

/** One accepted tool. */
export interface LockedTool {
  /** `sha256/2:` and the hash of the definition in canonical form; `sha256:` where an earlier version has written it. */
  readonly fingerprint: string;
  /** By the operation's name within its upstream; none for a hidden tool, several for a grouped one. */
  readonly operations: Readonly<Record<string, LockedOperation>>;
  /** The fields that the fingerprint is of, as the upstream sent them. */
  readonly definition: JsonObject;
}

/** By the upstream's own name for the tool. */
export type LockedUpstream = Readonly<Record<string, LockedTool>>;

/** What an operator has accepted: the content of `gateway.lock.json`. */
export interface LockContent {
  readonly version: 1;
  /** By configured name. */
  readonly upstreams: Readonly<Record<string, LockedUpstream>>;
  /** The same for what servers define beside tools: `prompt:NAME`, `template:URI` and `server`; they are no operations. */
  readonly others?: Readonly<Record<string, LockedUpstream>>;
}

/** Where the lock is, and what it holds; null when there is none. */
export interface ConfigLock {
  /** Absolute. */
  readonly file: string;
  readonly content: LockContent | null;
  /** Of the file's text, which may be long: equal for equal locks, on every machine. Null where there is none. */
  readonly digest: string | null;
}

/** How many calls an upstream takes. */
export type ApiLimit = Omit<Output<typeof API_LIMIT>, 'category'> & { readonly category?: Category };

/** `directory` is absolute. */
export type AuditConfig = Omit<Output<typeof AUDIT>, 'required'> & { readonly required: boolean };

type Store = Output<typeof STORE>;

export type StoreConfig =
  | { readonly type: 'memory' }
  /** `file` is absolute. */
  | { readonly type: 'sqlite'; readonly file: string }
  | RedisStoreConfig;

/** Servers that speak Redis's protocol. Addresses may hold passwords: never log. */
export type RedisStoreConfig = RedisAccess &
  (
    | { readonly url: string }
    /** Some of the cluster's servers, by which the others are found. */
    | { readonly cluster: readonly string[] }
    | { readonly sentinel: RedisSentinels }
  );

interface RedisAccess
  extends Pick<Store, 'prefix' | 'username' | 'password' | 'tls' | 'sharedBytes' | 'sharedBytesPerClient'> {
  readonly type: 'redis';
}

/** Sentinels watch a server and its copies, and say which of them is the one to write to. */
export interface RedisSentinels {
  /** What they call the servers that they watch. */
  readonly name: string;
  /** Their addresses, with their own credentials: `redis://host:26379`. */
  readonly nodes: readonly string[];
}

/** The certificates of the way to a server; files are absolute paths of PEM files. */
export type OutboundTls = Output<typeof OUTBOUND_TLS>;

/** How many calls wait for a place where only so many are in flight, and how long. */
export type QueueBounds = Output<typeof QUEUE>;

/** How often a server may be started or connected anew before it is given up. */
export type RestartBounds = Output<typeof RESTARTS>;

/** When a connection that is silent is proven by a ping. 0 for never. */
export type PingBounds = Output<typeof PINGS>;

/** When calls to a server that fails are refused at once. */
export type CircuitBounds = Output<typeof CIRCUIT>;

/** How many connections of its own an isolated upstream makes, each with a process where it is a child. */
export type InstanceBounds = Output<typeof INSTANCES>;

/** What the process of a server may take, and as whom it runs. */
export type ChildLimits = Output<typeof CHILD_LIMITS>;
