import type { PayloadLimits } from '../base/protocol/limits.js';
import { CATEGORIES, type Category } from '../base/protocol/operation.js';
import type { UpstreamDefaults } from './config-document.js';
import type { AuditConfig, FamilyDefinition, GatewayConfig, ProfileDefinition, StoreConfig } from './gateway-config.js';
import type { ApprovalsConfig, ConfirmationConfig } from './policy-config.js';
import type { SafetyLoopConfig } from './safety-config.js';

/** The profile where the configuration names none. */
export const DEFAULT_PROFILE = 'crude';

/** The values of settings that are not given. The published schema shows the same values. */
export const CONFIG_DEFAULTS = {
  server: {
    host: '127.0.0.1',
    port: 3333,
    allowedHosts: [],
    allowedOrigins: [],
    sessionIdleMs: 1_800_000,
    maxSessions: 10_000,
    maxConnections: 50_000,
    maxSessionsPerClient: 1_000,
    handshakeTimeoutMs: 10_000,
    headersTimeoutMs: 20_000,
    requestTimeoutMs: 60_000,
    // Longer than load balancers keep theirs, which close first.
    keepAliveMs: 72_000,
    unreadTimeoutMs: 120_000,
    maxUnreadBytes: 268_435_456,
    maxCalls: 4_096,
    maxCallsPerClient: 1_024,
    maxWaitingCalls: 20_000,
    lameDuckMs: 0,
    drainMs: 5_000,
    questionTimeoutMs: 300_000,
    allowUnauthenticated: false,
    trustedProxies: [],
    allowRemoteCommands: false,
  },
  endpoint: {
    mode: 'semantic',
    profile: DEFAULT_PROFILE,
    toolPrefix: 'mcp_aql_',
    errors: 'all',
    passthrough: false,
    structuredContent: false,
  },
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
  errors: { upstreamWords: 'clean' },
  cache: { maxBytes: 33_554_432 },
  executions: { enabled: false, maxPerClient: 64, max: 1_024, keptSeconds: 86_400 },
  // A hundred kilobytes are some 25,000 tokens: more than a model should get without asking.
  results: { maxBytes: 100_000, keptBytes: 67_108_864, keptSeconds: 600, compact: false },
  // The operator has chosen the servers of the configuration: `validated`, not the specification's `untested`.
  defaults: {
    trust: 'validated',
    timeoutMs: 60_000,
    maxCallMs: 900_000,
    connectTimeoutMs: 30_000,
    maxConcurrency: 64,
    queue: { max: 10_000 },
    restarts: { max: 0, windowSeconds: 600 },
    circuit: { failures: 0, openSeconds: 30 },
    required: false,
    isolation: 'auto',
    instances: { max: 20, idleSeconds: 1800, spare: 0 },
    strict: true,
    readOnlyStatements: true,
    asks: { elicitation: 'allow', sampling: 'allow', roots: 'allow' },
  },
  policy: {
    readOnly: false,
    confirmation: {
      // Specification, section 7.4: the recommended lifetimes.
      ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
      clockSkewSeconds: 30,
      batch: 'each',
      maxIssuedPerMinute: 60,
      maxFailuresPerMinute: 20,
    },
    approvals: {
      elicitation: true,
      operator: true,
      mode: 'retry',
      waitSeconds: 60,
      expireSeconds: 900,
      maxPending: 200,
      maxPendingPerClient: 20,
      operatorGroups: [],
    },
  },
  quotas: { currency: 'USD' },
  store: { type: 'sqlite', file: 'state.db', prefix: 'mcp-aql' },
  audit: {
    enabled: true,
    directory: 'audit',
    calls: 'gated',
    sync: false,
    maxBytes: 1_073_741_824,
    retentionDays: 90,
    redactKeys: [],
    redactPatterns: [],
  },
  safetyLoop: {
    mode: 'disabled',
    startApproval: 'human',
    freeReads: true,
    requireAgent: false,
    maxAutonomousSteps: 20,
    riskTolerance: 'moderate',
    deny: [],
    requiresApproval: [],
    autoApprove: [],
    // Specification, section 8.8.2.
    expiresSeconds: 300,
  },
  log: { level: 'info', format: 'auto', access: 'off' },
  metrics: { enabled: false },
  tracing: { enabled: false },
  dataDir: '.mcp-aql',
  upstreamsDir: 'upstreams',
} as const satisfies {
  readonly server: GatewayConfig['server'];
  readonly endpoint: {
    readonly mode: GatewayConfig['endpoint']['mode'];
    readonly profile: string;
    readonly toolPrefix: string;
    readonly errors: GatewayConfig['endpoint']['errors'];
    readonly passthrough: boolean;
    readonly structuredContent: boolean;
  };
  readonly limits: PayloadLimits;
  readonly batch: GatewayConfig['batch'];
  readonly warnings: GatewayConfig['warnings'];
  readonly errors: GatewayConfig['errors'];
  readonly cache: GatewayConfig['cache'];
  readonly executions: GatewayConfig['executions'];
  readonly results: GatewayConfig['results'];
  readonly defaults: Omit<UpstreamDefaults, 'maxAnswerBytes'>;
  readonly policy: {
    readonly readOnly: boolean;
    readonly confirmation: ConfirmationConfig;
    readonly approvals: Omit<ApprovalsConfig, 'operators' | 'publicUrl' | 'webhook'>;
  };
  readonly quotas: Pick<GatewayConfig['quotas'], 'currency'>;
  /** `file` starts at the data directory. */
  readonly store: { readonly type: StoreConfig['type']; readonly file: string; readonly prefix: string };
  /** `directory` starts at the data directory. */
  readonly audit: Omit<AuditConfig, 'required'>;
  readonly safetyLoop: Omit<SafetyLoopConfig, 'agents' | 'challenge'> &
    Pick<SafetyLoopConfig['challenge'], 'expiresSeconds'>;
  readonly log: Omit<GatewayConfig['log'], 'access'> & { readonly access: string };
  readonly metrics: { readonly enabled: boolean };
  readonly tracing: { readonly enabled: boolean };
  readonly dataDir: string;
  readonly upstreamsDir: string;
};

/** Lists of tools must fit however small the answers to clients are kept. */
const MIN_ANSWER_BYTES = 4_194_304;

/** An upstream's answer may be five times as long as the gateway's own: callers filter, and text holds escapes. */
export function defaultAnswerBytes({ maxResponseSize }: PayloadLimits): number {
  return Math.max(MIN_ANSWER_BYTES, 5 * maxResponseSize);
}

const CREATE = family('create', 'Add something new.', { categories: ['CREATE'] });
const READ = family('read', 'Read, list and search; changes nothing.', { categories: ['READ'] });
const UPDATE = family('update', 'Change what exists.', { categories: ['UPDATE'] });
const DELETE = family('delete', 'Remove what exists.', { categories: ['DELETE'] });
const EXECUTE = family('execute', 'Run, send or trigger something with effects of its own.', {
  categories: ['EXECUTE'],
});

/** A family that reads takes nothing else by its name: `describe_and_delete` is no description. */
const READ_ONLY: readonly Category[] = ['READ'];

/** Verbs of exploration; `introspect` belongs here wherever a profile has such a family. */
const DISCOVERY_VERBS = ['introspect', 'discover', 'describe', 'inspect', 'explain', 'list'];

/** Changes to who may do what. Only changes: reading permissions stays reading. */
const ACCESS_PATTERNS = [
  '{create,add,set,update,edit,delete,remove,assign,unassign,manage}_*{permission,role,policy,grant,approval,access}{,s}',
  '{create,add,set,update,edit,delete,remove,assign,unassign,manage}_*{policies,acl,collaborator,collaborators}',
  '{create,delete,rotate,refresh}_*{access,api,auth}_{token,tokens,key,keys}',
];

/**
 * The built-in profiles (specification, sections 4.2 and 6). Each takes every category once; verbs and patterns move
 * single operations to the family where users of that field expect them.
 */
export const BUILT_IN_PROFILES: readonly ProfileDefinition[] = [
  { name: DEFAULT_PROFILE, families: [CREATE, READ, UPDATE, DELETE, EXECUTE] },
  {
    name: 'crude_authorize',
    families: [
      CREATE,
      READ,
      UPDATE,
      DELETE,
      EXECUTE,
      family('authorize', 'Grant, approve, deny or revoke: who may do what.', {
        verbs: ['authorize', 'unauthorize', 'grant', 'revoke', 'approve', 'unapprove', 'deny', 'permit'],
        patterns: ACCESS_PATTERNS,
      }),
    ],
  },
  {
    name: 'intent',
    families: [
      family('discover', 'Find out what exists and how it is made.', { verbs: DISCOVERY_VERBS, only: READ_ONLY }),
      family('query', 'Retrieve, search and filter; changes nothing.', { categories: ['READ'] }),
      family('manage', 'Create, change and remove.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('operate', 'Run, start, stop and control what is live.', { categories: ['EXECUTE'] }),
    ],
  },
  {
    name: 'database',
    families: [
      family('inspect', 'Look at schemas, tables, indexes and plans.', {
        verbs: [...DISCOVERY_VERBS, 'show'],
        patterns: ['*_{schema,schemas,stats,indexes}'],
        only: READ_ONLY,
      }),
      family('query', 'Read rows and documents; changes nothing.', { categories: ['READ'] }),
      family('mutate', 'Insert, change and remove rows and documents.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('administer', 'Run statements; change structure, access and the server itself.', {
        categories: ['EXECUTE'],
        verbs: ['drop', 'truncate', 'alter', 'migrate', 'backup', 'restore', 'grant', 'revoke', 'vacuum', 'reindex'],
        patterns: ['{create,delete,rename}_{database,table,collection,index,schema,user,role}{,s,es}'],
      }),
    ],
  },
  {
    name: 'device',
    families: [
      family('discover', 'Find devices and learn what they can do.', {
        verbs: [...DISCOVERY_VERBS, 'scan', 'identify'],
        only: READ_ONLY,
      }),
      family('observe', 'Read state and measurements; changes nothing.', { categories: ['READ'] }),
      family('control', 'Make devices act.', {
        categories: ['EXECUTE'],
        verbs: ['set', 'turn', 'switch', 'toggle', 'open', 'close', 'lock', 'unlock', 'move', 'press'],
      }),
      family('maintain', 'Configure, pair, update and repair devices.', {
        categories: ['CREATE', 'UPDATE', 'DELETE'],
        verbs: ['calibrate', 'configure', 'install', 'uninstall', 'upgrade', 'reboot', 'reset', 'pair', 'unpair'],
      }),
    ],
  },
  {
    name: 'content',
    families: [
      family('curate', 'Write, edit, organise and remove content.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('search', 'Find and read content; changes nothing.', { categories: ['READ'] }),
      family('publish', 'Release, send and share with an audience.', {
        categories: ['EXECUTE'],
        verbs: ['publish', 'unpublish', 'post', 'send', 'share', 'release', 'schedule', 'broadcast', 'announce'],
      }),
    ],
  },
];

function family(
  name: string,
  purpose: string,
  takes: Partial<Pick<FamilyDefinition, 'categories' | 'verbs' | 'patterns' | 'only'>>,
): FamilyDefinition {
  return { name, purpose, categories: [], verbs: [], patterns: [], only: CATEGORIES, ...takes };
}
