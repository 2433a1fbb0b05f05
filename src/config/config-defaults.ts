import type { PayloadLimits } from '../protocol/payload-limits.js';
import { DEFAULT_PROFILE } from './built-in-profiles.js';
import type { UpstreamDefaults } from './config-document.js';
import type { GatewayConfig } from './gateway-config.js';
import type { ApprovalsConfig, AuditConfig, ConfirmationConfig, StoreConfig } from './policy-config.js';

/** What holds where nobody says otherwise. The published schema shows the same values. */
export const CONFIG_DEFAULTS = {
  server: {
    host: '127.0.0.1',
    port: 3333,
    allowedHosts: [],
    allowedOrigins: [],
    sessionIdleMs: 1_800_000,
    maxSessions: 10_000,
  },
  endpoint: { mode: 'semantic', profile: DEFAULT_PROFILE, toolPrefix: 'mcp_aql_' },
  // Specification, section 4.7.5.
  limits: {
    maxRequestSize: 1_048_576,
    maxResponseSize: 10_485_760,
    maxStringLength: 1_048_576,
    maxArrayElements: 10_000,
    maxNestingDepth: 32,
  },
  batch: { maxOperations: 100, onConfirmation: 'halt' },
  warnings: { slowMs: 10_000 },
  cache: { maxBytes: 33_554_432 },
  // A hundred kilobytes are some 25,000 tokens: more than a model should get without asking.
  results: { maxBytes: 100_000, keptBytes: 67_108_864, keptSeconds: 600, compact: false },
  // Who writes a server into the configuration vouches for it: `validated`, not the specification's `untested`.
  defaults: { trust: 'validated', timeoutMs: 60_000, connectTimeoutMs: 30_000, maxConcurrency: 64, strict: true },
  policy: {
    readOnly: false,
    confirmation: {
      // Specification, section 7.4: the recommended lifetimes.
      ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
      clockSkewSeconds: 30,
      maxIssuedPerMinute: 60,
      maxFailuresPerMinute: 20,
    },
    approvals: { elicitation: true, operator: true, mode: 'retry', waitSeconds: 60, expireSeconds: 900 },
  },
  quotas: { currency: 'USD' },
  store: { type: 'sqlite', file: 'state.db', prefix: 'mcp-aql' },
  audit: {
    enabled: true,
    directory: 'audit',
    calls: 'gated',
    sync: false,
    retentionDays: 90,
    redactKeys: [],
    redactPatterns: [],
  },
  log: { level: 'info', format: 'auto' },
  dataDir: '.mcp-aql',
  upstreamsDir: 'upstreams',
} as const satisfies {
  readonly server: GatewayConfig['server'];
  readonly endpoint: {
    readonly mode: GatewayConfig['endpoint']['mode'];
    readonly profile: string;
    readonly toolPrefix: string;
  };
  readonly limits: PayloadLimits;
  readonly batch: GatewayConfig['batch'];
  readonly warnings: GatewayConfig['warnings'];
  readonly cache: GatewayConfig['cache'];
  readonly results: GatewayConfig['results'];
  readonly defaults: UpstreamDefaults;
  readonly policy: {
    readonly readOnly: boolean;
    readonly confirmation: ConfirmationConfig;
    readonly approvals: Omit<ApprovalsConfig, 'operators' | 'publicUrl' | 'webhook'>;
  };
  readonly quotas: Pick<GatewayConfig['quotas'], 'currency'>;
  /** `file` starts at the data directory. */
  readonly store: { readonly type: StoreConfig['type']; readonly file: string; readonly prefix: string };
  /** `directory` starts at the data directory. */
  readonly audit: AuditConfig;
  readonly log: GatewayConfig['log'];
  readonly dataDir: string;
  readonly upstreamsDir: string;
};
