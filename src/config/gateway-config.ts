import type { JsonObject } from '../base/json/json.js';
import type { WordsMode } from '../base/protocol/clean-words.js';
import type { PayloadLimits } from '../base/protocol/limits.js';
import type { Category, DangerLevel, Deprecation, JobRule, MergeRule, TrustLevel } from '../base/protocol/operation.js';
import type { ClientConfig } from './access-config.js';
import type { ChildLimits, CircuitBounds, OutboundTls, QueueBounds, RestartBounds } from './connection-config.js';
import type { CredentialStorage, UpstreamCredentials } from './credentials-config.js';
import type { AccessLogTarget, MetricsConfig, TracingConfig } from './observability-config.js';
import type { PolicyConfig, QuotasConfig, Window } from './policy-config.js';
import type { SafetyLoopConfig } from './safety-config.js';
import type { ServerConfig } from './server-config.js';

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

/** How a transport may be spelled in a pasted block, and what it is. */
export const TRANSPORTS = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
} as const satisfies Readonly<Record<string, UpstreamEndpoint['type']>>;

/** An argument that makes a call more dangerous, as the operator writes it. */
export interface RiskDeclaration {
  /** The parameter in either spelling, and the members inside it, dotted. */
  readonly parameter: string;
  /** Any value that is given where absent. */
  readonly is?: readonly (string | number | boolean)[];
  /** `destructive` where absent. */
  readonly danger?: DangerLevel;
  readonly reason?: string;
}

/**
 * An operator's curation of the operations that a pattern matches. The pattern is an exact name or a minimatch pattern; it
 * is compared with the tool's own name and with the operation's snake_case name. Later rules win, key by key.
 */
export interface CurationRule {
  readonly pattern: string;
  /** Whether a grouped tool is offered in parts. */
  readonly group?: GroupMode;
  /** The operation's name instead of the derived one; exact names only. */
  readonly rename?: string;
  /** Not listed and not callable. */
  readonly hide?: boolean;
  readonly category?: Category;
  readonly danger?: DangerLevel;
  /** The arguments that make a call more dangerous, instead of those that classification finds. */
  readonly risks?: readonly RiskDeclaration[];
  /** The family of the operation, instead of the profile's choice. */
  readonly family?: string;
  readonly description?: string;
  /** Parameters that find the resource of an UPDATE; the others go into `input`. */
  readonly identifiers?: readonly string[];
  /** Whether the call may be sent again after a lost connection. */
  readonly idempotent?: boolean;
  readonly timeoutMs?: number;
  /** What a person is asked, with `{param}` for a parameter's value. */
  readonly confirmationMessage?: string;
  /** Least seconds between the question and the execution. */
  readonly cooldownSeconds?: number;
  /** Whether a person has to agree to each call. */
  readonly requiresReauth?: boolean;
  /** Texts for every audit record of it. */
  readonly auditContext?: readonly string[];
  /** Parameters whose values are neither recorded nor shown to approvers, in either spelling. */
  readonly sensitive?: readonly string[];
  /** How long a READ's answer may be served again. */
  readonly cache?: { readonly ttlSeconds: number };
  /** The READ by which the gateway merges the input of an UPDATE with the current state. */
  readonly merge?: MergeRule;
  /** Where its answers hold a list, dotted (empty: the answer is the list), or false: nowhere. */
  readonly collection?: string | false;
  /** Field paths by preset name. */
  readonly presets?: Readonly<Record<string, readonly string[]>>;
  /** Computed fields by name. */
  readonly computed?: Readonly<Record<string, { readonly expression: string; readonly description?: string }>>;
  /** How the job that it starts is followed, where it runs as an execution. */
  readonly lifecycle?: JobRule;
  /** Callers are warned once per session. */
  readonly deprecated?: Deprecation;
  /** Milliseconds from which a call counts as slow. */
  readonly slowMs?: number;
}

/**
 * Relationships that one READ operation returns (companion document "relationship queries"). Its answer holds a list of
 * edges at `edges`; `source`, `target` and `type` are paths in each edge; without `type`, `relationship` is the type.
 */
export interface RelationConfig {
  /** The relationship's name, where the edges do not say. */
  readonly relationship: string;
  /** A READ operation of the upstream, by its tool's or its own name. */
  readonly operation: string;
  /** Arguments; `$id` stands for the id of the queried node. Without it one call returns all edges. */
  readonly params: JsonObject;
  readonly edges: string;
  /** Null where the source is the queried node itself. */
  readonly source: string | null;
  readonly target: string | null;
  readonly type: string | null;
  /** Where the same answer lists the connected things themselves; absent where it does not. */
  readonly nodes?: {
    readonly path: string;
    /** Paths in each thing. */
    readonly id: string;
    readonly type: string | null;
  };
}

/** Who shares a connection to a server: judged by what it offers, all callers, those of one client, or one session alone. */
export const ISOLATION_SETTINGS = ['auto', 'shared', 'client', 'session'] as const;

export type IsolationSetting = (typeof ISOLATION_SETTINGS)[number];

/** How many connections of its own an isolated upstream makes, each with a process where it is a child. */
export interface InstanceBounds {
  /** At once, over all owners. */
  readonly max: number;
  /** One that had no call for so long is ended; 0 for never. */
  readonly idleSeconds: number;
  /** How many wait, connected, for their owner. */
  readonly spare: number;
}

/** What a server may ask of a client while it runs one of its calls. */
export const ASK_KINDS = ['elicitation', 'sampling', 'roots'] as const;

export type AskKind = (typeof ASK_KINDS)[number];

export type AskPolicy = Readonly<Record<AskKind, 'allow' | 'deny'>>;

export interface UpstreamConfig {
  /** As the operator wrote it. */
  readonly name: string;
  /** The name in snake_case: what qualifies its operations. Unique. */
  readonly slug: string;
  readonly endpoint: UpstreamEndpoint;
  readonly disabled: boolean;
  /** What it is for, as the operator says to models. */
  readonly description?: string;
  /** Why its definition cannot be used; it is then disabled. */
  readonly problem?: string;
  /** Upper bound of one call, extended by progress. */
  readonly timeoutMs: number;
  /** Upper bound of one call that progress does not extend; a longer `timeoutMs` of an operation extends it. */
  readonly maxCallMs: number;
  /** Upper bound of connecting and listing tools. */
  readonly connectTimeoutMs: number;
  /** Calls in flight at once; more wait. */
  readonly maxConcurrency: number;
  readonly queue: QueueBounds;
  readonly restarts: RestartBounds;
  readonly circuit: CircuitBounds;
  /** Whether the gateway is ready only where this one is. */
  readonly required: boolean;
  readonly isolation: IsolationSetting;
  /** Whose rights its calls use; where absent, those of the endpoint's own headers and variables. */
  readonly credentials?: UpstreamCredentials;
  readonly instances: InstanceBounds;
  /** Bytes of one message that it may send; the call whose answer is longer fails alone. */
  readonly maxAnswerBytes: number;
  readonly trust: TrustLevel;
  /** Refuse parameters that the tool does not describe. */
  readonly strict: boolean;
  /** Whether statements (SQL, GraphQL, Cypher, MongoDB) that are proven to only read count as reads. */
  readonly readOnlyStatements: boolean;
  /** What the server may ask of clients. */
  readonly asks: AskPolicy;
  /** How grouped tools are offered; where absent, those whose values differ in effect are split. */
  readonly group?: GroupMode;
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
  /** Operation-name patterns (minimatch) it takes; they beat `verbs`. */
  readonly patterns: readonly string[];
  /** The categories that `verbs` and `patterns` may take; a family that reads must not take a write by its name. */
  readonly only: readonly Category[];
}

/** Assigns operations to families. Each operation belongs to exactly one; the last family takes those that no other takes. */
export interface ProfileDefinition {
  readonly name: string;
  readonly families: readonly FamilyDefinition[];
}

/** `passthrough`: no tools of the gateway's own, only the upstreams' (docs/passthrough.md). */
export type EndpointMode = 'semantic' | 'single' | 'all' | 'passthrough';

/** The whole configuration: validated, normalised, frozen. Nothing downstream reads a file or the environment. */
export interface GatewayConfig {
  /** Absolute path of the main file; null when there is none. */
  readonly file: string | null;
  /** Where relative paths start: the main file's folder, else the working directory. */
  readonly directory: string;
  /** Where the gateway keeps what must survive a restart. Absolute. */
  readonly dataDir: string;
  /** The folder with one file per upstream; it need not exist. Absolute. */
  readonly upstreamsDir: string;
  readonly server: ServerConfig;
  readonly endpoint: {
    readonly mode: EndpointMode;
    readonly toolPrefix: string;
    readonly profile: ProfileDefinition;
    /** Which failures the MCP result marks with `isError`: all, or those that a model cannot recover from by itself. */
    readonly errors: 'all' | 'unrecoverable';
    /** Whether the upstreams' tools are shown under their own names too; always in mode `passthrough`. */
    readonly passthrough: boolean;
    /** Whether every client gets envelopes as structured content too, with an output schema; else those that ask for it. */
    readonly structuredContent: boolean;
  };
  readonly limits: PayloadLimits;
  readonly results: {
    /** An answer's data beyond so many bytes of JSON is sent in parts; 0 sends everything whole. */
    readonly maxBytes: number;
    /** What is kept of big answers and of pages, in bytes, for all callers together. */
    readonly keptBytes: number;
    readonly keptSeconds: number;
    /** Uniform lists as columns and rows where that saves at least a fifth. */
    readonly compact: boolean;
  };
  readonly batch: {
    /** Operations of one batch. */
    readonly maxOperations: number;
    /** Whether a batch stops at an operation that needs a confirmation, or skips it and runs the others. */
    readonly onConfirmation: 'halt' | 'skip';
  };
  readonly warnings: {
    /** A call that takes longer is warned of, in milliseconds; an operation's curation may say otherwise. */
    readonly slowMs: number;
  };
  readonly errors: {
    /** Whether callers get an upstream's own words as they are. */
    readonly upstreamWords: WordsMode;
  };
  /** Calls that go on while no request waits for them (docs/executions.md). */
  readonly executions: {
    readonly enabled: boolean;
    /** A READ or EXECUTE that still runs after so many milliseconds goes on as an execution; only what asks for it where absent. */
    readonly backgroundAfterMs?: number;
    /** Executions of one client, those that are kept after their end included. */
    readonly maxPerClient: number;
    readonly max: number;
    /** How long one is kept after its end. */
    readonly keptSeconds: number;
  };
  /** Of READs whose curation asks for it. */
  readonly cache: {
    /** Bytes of JSON over all upstreams. */
    readonly maxBytes: number;
  };
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
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'auto' | 'json' | 'pretty';
    /** Where the line of each request goes; absent where there is none. */
    readonly access?: AccessLogTarget;
  };
  /** Absent where off. */
  readonly metrics?: MetricsConfig;
  /** Absent where off. */
  readonly tracing?: TracingConfig;
  readonly upstreams: readonly UpstreamConfig[];
  readonly views: readonly ViewConfig[];
}

/** A part of the gateway with an address of its own, `/mcp/NAME`. What is outside does not exist in it (docs/views.md). */
export interface ViewConfig {
  readonly name: string;
  /** What it is for, as the operator says to models. */
  readonly description?: string;
  /** Patterns of slugs; all upstreams where absent. */
  readonly upstreams?: readonly string[];
  readonly operations: ViewOperations;
  readonly endpoint: GatewayConfig['endpoint'];
  /** What its tools may cost a client's context, in tokens. */
  readonly tokenBudget?: number;
  /** The clients that are bound to it, by name; with `groups` and without it: those alone may enter. */
  readonly clients?: readonly string[];
  readonly groups?: readonly string[];
}

/** The operations of a view: those that pass everything that is given. */
export interface ViewOperations {
  /** Patterns of exposed or qualified names. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly categories?: readonly Category[];
  /** The highest danger. */
  readonly danger?: DangerLevel;
}

/** How a tool whose definition is not the accepted one is treated: ignored, reported, or reported and not callable. */
export const INTEGRITY_MODES = ['off', 'warn', 'quarantine'] as const;

export type IntegrityMode = (typeof INTEGRITY_MODES)[number];

/** How an operation was classified when it was accepted. The family depends on the profile and is for information only. */
export interface LockedOperation {
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly family: string;
}

/** One accepted tool. */
export interface LockedTool {
  /** `sha256:` and the hash of the definition in canonical form. */
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

export const API_LIMIT_SCOPES = ['global', 'endpoint', 'category'] as const;

/** The windows that upstreams' own limits come in. */
export const API_WINDOWS = ['second', 'minute', 'hour', 'day'] as const satisfies readonly Window[];

/** How many calls an upstream takes. */
export interface ApiLimit {
  readonly scope: (typeof API_LIMIT_SCOPES)[number];
  /** Of the scope `endpoint`: a pattern of operation names; what matches it is counted together. */
  readonly operation?: string;
  /** Of the scope `category`. */
  readonly category?: Category;
  readonly limit: number;
  readonly window: (typeof API_WINDOWS)[number];
}

export interface AuditConfig {
  readonly enabled: boolean;
  /** Absolute. */
  readonly directory: string;
  /** `gated`: calls at danger level 2 and above, and every refusal by policy; `all`: every call. */
  readonly calls: 'gated' | 'all';
  /** Write each record to the disk before going on. */
  readonly sync: boolean;
  /** Refuse destructive and higher calls while the journal cannot be written. */
  readonly required: boolean;
  /** What the journals may take on the disk; beyond that whole files are removed, the oldest first. 0 keeps all. */
  readonly maxBytes: number;
  /** Records older than so many days are removed, whole files at a time; 0 keeps all. */
  readonly retentionDays: number;
  /** Extra parameter names (minimatch) whose values are never recorded. */
  readonly redactKeys: readonly string[];
  /** Extra regular expressions; what they match in a text is never recorded. */
  readonly redactPatterns: readonly string[];
}

export const STORE_TYPES = ['memory', 'sqlite', 'redis'] as const satisfies readonly StoreConfig['type'][];

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

interface RedisAccess {
  readonly type: 'redis';
  readonly prefix: string;
  /** Beat those of an address. */
  readonly username?: string;
  readonly password?: string;
  /** For `rediss://`; absolute paths of PEM files. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** What the parts of large answers may take of it, in bytes. */
  readonly sharedBytes?: number;
  readonly sharedBytesPerClient?: number;
}

/** Sentinels watch a server and its copies, and say which of them is the one to write to. */
export interface RedisSentinels {
  /** What they call the servers that they watch. */
  readonly name: string;
  /** Their addresses, with their own credentials: `redis://host:26379`. */
  readonly nodes: readonly string[];
}

/** How a tool whose effect a parameter chooses is offered: as one operation per value, or as one operation. */
export const GROUP_MODES = ['split', 'keep'] as const;

type GroupMode = (typeof GROUP_MODES)[number];
