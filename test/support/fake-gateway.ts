import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawCall } from '../../src/base/protocol/call.js';
import type { Reply } from '../../src/base/protocol/result.js';
import type { GatewayConfig } from '../../src/config/gateway-config.js';
import { hashToken } from '../../src/config/load/build-access.js';
import { buildSafetyLoop } from '../../src/config/load/build-safety-loop.js';
import { createReport, openDiagnostics } from '../../src/config/load/diagnostics.js';
import type { Gateway, GatewayStatus, ToolList } from '../../src/gateway/gateway.js';
import type { ApprovalService } from '../../src/policy/approvals/approval-queue.js';
import { NO_FIGURES, NO_NATIVE_SURFACE } from './no-gateway.js';

/** Of every fake gateway that is given none. */
const DATA_DIR = mkdtempSync(join(tmpdir(), 'fake-gateway-'));
process.once('exit', () => rmSync(DATA_DIR, { recursive: true, force: true }));

/** A gateway whose answers the test chooses. */
export interface FakeGateway extends Gateway {
  /** Every call that the server passed on, oldest first. */
  readonly calls: RawCall[];
  /** Resolves with the next call. */
  nextCall(): Promise<RawCall>;
  /** Replaces the tool list and notifies the listeners. */
  changeTools(names: readonly string[]): void;
  /** How many listeners wait for changes. */
  readonly listeners: number;
  /** Does what a reload does that replaces who may enter. */
  replaceAccess(clients: GatewayConfig['clients'], oauth?: GatewayConfig['server']['oauth']): void;
  /** The sessions that the server ended, in order. */
  readonly endedSessions: readonly string[];
}

export interface FakeGatewayOptions {
  readonly server?: Partial<GatewayConfig['server']>;
  readonly limits?: Partial<GatewayConfig['limits']>;
  readonly dataDir?: string;
  readonly status?: Partial<GatewayStatus>;
  readonly approvals?: ApprovalService;
  readonly clients?: readonly { readonly name: string; readonly token: string }[];
  readonly operators?: GatewayConfig['policy']['approvals']['operators'];
  readonly handle?: (call: RawCall) => Promise<Reply> | Reply;
}

/** A successful answer with this data. */
export function toReply(data: unknown, more: Partial<Reply> = {}): Reply {
  return { text: JSON.stringify({ success: true, data }), blocks: [], isError: false, code: 'OK', ...more };
}

const echo = (call: RawCall): Reply => toReply({ tool: call.tool, arguments: call.arguments });

export function createFakeGateway(options: FakeGatewayOptions = {}): FakeGateway {
  const { handle = echo } = options;
  const listeners = new Set<(isConcerned: () => boolean) => void>();
  const reloadListeners = new Set<(config: GatewayConfig) => void>();
  const config = fakeConfig(options);
  const calls: RawCall[] = [];
  const ended: string[] = [];
  let waiting: ((call: RawCall) => void)[] = [];
  let tools = describeTools(['mcp_aql_read', 'mcp_aql_create']);

  return {
    config,
    reload: async () => ({ at: '', outcome: 'unchanged' }),
    onReloaded(listener) {
      reloadListeners.add(listener);
      return () => reloadListeners.delete(listener);
    },
    replaceAccess(clients, oauth) {
      const { oauth: _before, ...server } = config.server;
      const next = { ...config, clients, server: { ...server, ...(oauth === undefined ? {} : { oauth }) } };
      for (const listener of reloadListeners) listener(next);
    },
    calls,
    replicas: undefined,
    leaveSession: () => undefined,
    settled: Promise.resolve(),
    figures: () => NO_FIGURES,
    warmedUp: Promise.resolve(),
    get listeners() {
      return listeners.size;
    },
    async handle(call) {
      calls.push(call);
      for (const resolve of waiting) resolve(call);
      waiting = [];
      return await handle(call);
    },
    nextCall: () => new Promise((resolve) => waiting.push(resolve)),
    toolList: async () => tools,
    shown: () => ({ mode: 'semantic', tools: [] }),
    serversSay: () => [],
    inView: () => undefined,
    headerParametersOf: () => [],
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changeTools(next) {
      tools = describeTools(next);
      for (const listener of listeners) listener(() => true);
    },
    status: () => ({ ...IDLE_STATUS, ...options.status }),
    operations: () => [],
    revision: () => IDLE_STATUS,
    findOperation: async () => ({ kind: 'none', explanation: 'there is no operation' }),
    search: async () => ({ hits: [] }),
    toolSets: () => [],
    definitions: async () => undefined,
    quotaStatus: async () => ({}),
    explainPolicy: () => {
      throw new Error('the fake gateway has no policy');
    },
    recordAdmin: () => undefined,
    recordSignIn: () => undefined,
    connections: undefined,
    restartUpstream: () => true,
    approvals: options.approvals,
    safety: undefined,
    executions: undefined,
    setLogLevel: () => undefined,
    endSession: (sessionId) => void ended.push(sessionId),
    native: NO_NATIVE_SURFACE,
    endedSessions: ended,
    close: async () => undefined,
  };
}

const IDLE_STATUS: GatewayStatus = {
  ready: true,
  upstreams: [],
  operations: 0,
  families: [],
  categories: { CREATE: 0, READ: 0, UPDATE: 0, DELETE: 0, EXECUTE: 0 },
  state: { audit: { state: 'ok' }, store: { state: 'ok' } },
  diagnostics: [],
};

function describeTools(names: readonly string[]): ToolList {
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const tools = names.map((name) => ({
    name,
    title: name,
    description: `Calls ${name}`,
    inputSchema: { type: 'object' },
    annotations: { title: name, ...annotations },
  }));
  const structured = tools.map((tool) => ({ ...tool, outputSchema: { type: 'object' } }));
  return { tools, toolsJson: JSON.stringify(tools), structuredToolsJson: JSON.stringify(structured) };
}

function fakeConfig(options: FakeGatewayOptions): GatewayConfig {
  const { server, limits, clients = [], operators = [] } = options;
  return {
    file: null,
    directory: '/',
    dataDir: options.dataDir ?? DATA_DIR,
    upstreamsDir: '/upstreams',
    server: {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      sessionIdleMs: 60_000,
      maxSessions: 100,
      maxSessionsPerClient: 100,
      handshakeTimeoutMs: 10_000,
      headersTimeoutMs: 20_000,
      requestTimeoutMs: 60_000,
      keepAliveMs: 72_000,
      longCallKeepAliveMs: 15_000,
      unreadTimeoutMs: 120_000,
      maxUnreadBytes: 268_435_456,
      maxCalls: 1_000,
      maxCallsPerClient: 1_000,
      maxWaitingCalls: 1_000,
      maxConnections: 1_000,
      trustedProxies: [],
      lameDuckMs: 0,
      drainMs: 100,
      questionTimeoutMs: 300_000,
      allowUnauthenticated: false,
      allowRemoteCommands: false,
      ...server,
    },
    endpoint: {
      mode: 'semantic',
      toolPrefix: 'mcp_aql_',
      errors: 'all',
      passthrough: false,
      structuredContent: false,
      longestName: 64,
      flatUpdates: false,
      profile: { name: 'crude', families: [] },
    },
    limits: {
      maxRequestSize: 64 * 1024,
      maxResponseSize: 1_000_000,
      maxStringLength: 100_000,
      maxArrayElements: 1_000,
      maxNestingDepth: 32,
      maxValues: 100_000,
      ...limits,
    },
    batch: { maxOperations: 100, onConfirmation: 'halt' },
    warnings: { slowMs: 10_000 },
    errors: { upstreamWords: 'clean' },
    executions: { enabled: false, maxPerClient: 64, max: 1_024, keptSeconds: 86_400 },
    sections: {},
    modules: {},
    cache: { maxBytes: 1_000_000 },
    results: { maxTokens: 25_000, keptBytes: 1_000_000, keptSeconds: 600, compact: false },
    safetyLoop: buildSafetyLoop(undefined, { directory: '/', diagnostics: openDiagnostics(createReport(), 'test') }),
    quotas: { limits: [], pricing: [], currency: 'USD' },
    pins: {},
    lock: { file: '/gateway.lock.json', content: null, digest: null },
    policy: {
      readOnly: false,
      rules: [],
      confirmation: {
        ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
        batch: 'each',
        clockSkewSeconds: 30,
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
        operators,
      },
    },
    store: { type: 'memory' },
    audit: {
      enabled: false,
      directory: '/audit',
      calls: 'gated',
      sync: false,
      required: false,
      maxBytes: 0,
      retentionDays: 90,
      redactKeys: [],
      redactPatterns: [],
    },
    credentials: {},
    clients: clients.map(({ name, token }) => ({ name, keys: [{ hash: hashToken(token) }], groups: [] })),
    log: { level: 'silent', format: 'json' },
    upstreams: [],
    views: [],
  };
}
