import type { PayloadLimits } from '../protocol/payload-limits.js';
import type { CurationRule, EndpointMode, GatewayConfig, RelationConfig, UpstreamConfig } from './gateway-config.js';
import type { AuditConfig } from './policy-config.js';
import type { CredentialEntry, PolicyEntry, StoreEntry } from './policy-document.js';
import type { ApiLimitEntry, QuotasEntry } from './quota-document.js';

/** Curation of the operations that one name or pattern matches, as written. */
export interface OperationEntry extends Omit<CurationRule, 'pattern' | 'computed'> {
  readonly computed?: Readonly<Record<string, string | ComputedEntry>>;
}

/** A computed field with more than its expression. */
export type ComputedEntry = NonNullable<CurationRule['computed']>[string];

/** How one operation tells what is connected, as written. */
export type RelationEntry = Partial<Omit<RelationConfig, 'source' | 'target' | 'type'>> &
  Pick<RelationConfig, 'relationship' | 'operation'> & {
    readonly source?: string;
    readonly target?: string;
    readonly type?: string;
  };

/** How a transport may be spelled in a pasted block, and what it is. */
export const TRANSPORTS = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
} as const;

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
  /** Seconds below 1,000, else milliseconds. */
  readonly timeout?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConcurrency?: number;
  readonly trust?: UpstreamConfig['trust'];
  readonly strict?: boolean;
  readonly group?: UpstreamConfig['group'];
  readonly integrity?: UpstreamConfig['integrity'];
  readonly operations?: Readonly<Record<string, OperationEntry>>;
  readonly relations?: readonly RelationEntry[];
  readonly api_limits?: readonly ApiLimitEntry[];
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

type ProfileFamily = GatewayConfig['endpoint']['profile']['families'][number];
type Servers = Readonly<Record<string, ServerEntry>>;

/**
 * The main file once its schema has passed it. Still as the operator wrote it: this type never leaves the room.
 */
export interface GatewayDocument {
  readonly server?: Partial<GatewayConfig['server']>;
  readonly endpoint?: {
    readonly mode?: EndpointMode | 'crude';
    readonly profile?: string;
    readonly toolPrefix?: string;
  };
  readonly profiles?: Readonly<Record<string, Readonly<Record<string, FamilyEntry>>>>;
  readonly limits?: Partial<PayloadLimits>;
  readonly batch?: Partial<GatewayConfig['batch']>;
  readonly warnings?: Partial<GatewayConfig['warnings']>;
  readonly cache?: Partial<GatewayConfig['cache']>;
  readonly results?: Partial<GatewayConfig['results']>;
  readonly defaults?: Partial<UpstreamDefaults>;
  readonly pins?: Readonly<Record<string, string>>;
  readonly integrity?: UpstreamConfig['integrity'];
  readonly policy?: PolicyEntry;
  readonly quotas?: QuotasEntry;
  readonly store?: StoreEntry;
  readonly audit?: Partial<AuditConfig>;
  readonly clients?: Readonly<Record<string, CredentialEntry>>;
  readonly log?: Partial<GatewayConfig['log']>;
  readonly dataDir?: string;
  readonly upstreamsDir?: string;
  readonly mcpServers?: Servers;
  readonly servers?: Servers;
  readonly mcp?: { readonly servers?: Servers };
}

/** What holds for every upstream that does not say otherwise. */
export type UpstreamDefaults = Pick<
  UpstreamConfig,
  'trust' | 'timeoutMs' | 'connectTimeoutMs' | 'maxConcurrency' | 'strict'
>;
