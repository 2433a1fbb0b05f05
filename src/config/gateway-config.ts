import type { Category } from '../protocol/category.js';
import type { DangerLevel, TrustLevel } from '../protocol/danger.js';
import type { JsonObject } from '../protocol/json.js';
import type { Deprecation, MergeRule } from '../protocol/operation.js';
import type { PayloadLimits } from '../protocol/payload-limits.js';
import type { GroupMode } from './group-mode.js';
import type { ConfigLock, IntegrityMode } from './lock-content.js';
import type { AuditConfig, ClientConfig, PolicyConfig, StoreConfig } from './policy-config.js';
import type { ApiLimit, QuotasConfig } from './quota-config.js';

/** How a stdio server is started. */
export interface StdioEndpoint {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables on top of the few that a child inherits. May hold secrets: never log. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** How a server over HTTP is reached. */
export interface HttpEndpoint {
  /** `http` is Streamable HTTP; `sse` the HTTP+SSE transport of protocol 2024-11-05. */
  readonly type: 'http' | 'sse';
  readonly url: string;
  /** May hold secrets: never log. */
  readonly headers: Readonly<Record<string, string>>;
}

export type UpstreamEndpoint = StdioEndpoint | HttpEndpoint;

/**
 * What an operator says of the operations a pattern matches. The pattern is an exact name or a minimatch pattern; it is
 * held against the tool's own name and against the operation's snake_case name. Later rules win, key by key.
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
  /** The family that shows the operation, whatever the profile says. */
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
  /** Parameters whose values are neither recorded nor shown to approvers, in either spelling. */
  readonly sensitive?: readonly string[];
  /** How long a READ's answer may be served again. */
  readonly cache?: { readonly ttlSeconds: number };
  /** Which READ tells an UPDATE what is there, so that the gateway merges. */
  readonly merge?: MergeRule;
  /** Where its answers hold a list, dotted (empty: the answer is the list), or false: nowhere. */
  readonly collection?: string | false;
  /** Field paths by preset name. */
  readonly presets?: Readonly<Record<string, readonly string[]>>;
  /** Computed fields by name. */
  readonly computed?: Readonly<Record<string, { readonly expression: string; readonly description?: string }>>;
  /** Told to callers once a session. */
  readonly deprecated?: Deprecation;
  /** Milliseconds from which a call counts as slow. */
  readonly slowMs?: number;
}

/**
 * How things are connected, as one READ operation tells it (companion document "relationship queries"). Its answer holds a
 * list of edges at `edges`; `source`, `target` and `type` are paths in each, `type` else a fixed name.
 */
export interface RelationConfig {
  /** The relationship's name, where the edges do not say. */
  readonly relationship: string;
  /** A READ operation of the upstream, by its tool's or its own name. */
  readonly operation: string;
  /** Arguments; `$id` stands for the node that is looked at. Without it one call tells all edges. */
  readonly params: JsonObject;
  readonly edges: string;
  /** The node that is looked at itself, where `source` is null. */
  readonly source: string | null;
  readonly target: string | null;
  readonly type: string | null;
}

export interface UpstreamConfig {
  /** As the operator wrote it. */
  readonly name: string;
  /** The name in snake_case: what qualifies its operations. Unique. */
  readonly slug: string;
  readonly endpoint: UpstreamEndpoint;
  readonly disabled: boolean;
  /** Upper bound of one call, extended by progress. */
  readonly timeoutMs: number;
  /** Upper bound of connecting and listing tools. */
  readonly connectTimeoutMs: number;
  /** Calls in flight at once; more wait. */
  readonly maxConcurrency: number;
  readonly trust: TrustLevel;
  /** Refuse parameters that the tool does not describe. */
  readonly strict: boolean;
  /** What becomes of grouped tools; where absent, those whose values differ in effect are split. */
  readonly group?: GroupMode;
  /** What becomes of a tool that is not what was accepted. */
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

/** Operations over families. Each operation stands in exactly one; the last family takes what none asked for. */
export interface ProfileDefinition {
  readonly name: string;
  readonly families: readonly FamilyDefinition[];
}

export type EndpointMode = 'semantic' | 'single' | 'all';

/** The whole configuration: validated, normalised, frozen. Nothing downstream reads a file or the environment. */
export interface GatewayConfig {
  /** Absolute path of the main file; null when there is none. */
  readonly file: string | null;
  /** Where relative paths start: the main file's folder, else the working directory. */
  readonly directory: string;
  /** Where the gateway keeps what must survive a restart. Absolute. */
  readonly dataDir: string;
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Host names a request may address, without port; beside the loopback names and `host` itself. */
    readonly allowedHosts: readonly string[];
    /** Host names a browser's Origin may carry; beside the loopback names. */
    readonly allowedOrigins: readonly string[];
    readonly sessionIdleMs: number;
    readonly maxSessions: number;
  };
  readonly endpoint: {
    readonly mode: EndpointMode;
    readonly toolPrefix: string;
    readonly profile: ProfileDefinition;
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
    /** What becomes of a batch that asks for agreement in its middle: nothing after it begins, or the others run. */
    readonly onConfirmation: 'halt' | 'skip';
  };
  readonly warnings: {
    /** A call that takes longer is warned of, in milliseconds; an operation's curation may say otherwise. */
    readonly slowMs: number;
  };
  /** Of READs whose curation asks for it. */
  readonly cache: {
    /** Bytes of JSON over all upstreams. */
    readonly maxBytes: number;
  };
  /** What was accepted of the upstreams' tools. */
  readonly lock: ConfigLock;
  /** Bare operation names that stay with one upstream (by slug), whoever else offers that name. */
  readonly pins: Readonly<Record<string, string>>;
  readonly policy: PolicyConfig;
  readonly quotas: QuotasConfig;
  readonly store: StoreConfig;
  readonly audit: AuditConfig;
  /** Who may use MCP over HTTP; anybody who can reach the port when empty. */
  readonly clients: readonly ClientConfig[];
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'auto' | 'json' | 'pretty';
  };
  readonly upstreams: readonly UpstreamConfig[];
}
