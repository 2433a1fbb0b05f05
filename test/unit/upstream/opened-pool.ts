import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { Observation } from '../../../src/base/observe/observation.js';
import type { Caller } from '../../../src/base/protocol/call.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import { LargeAnswer } from '../../../src/base/protocol/large-answer.js';
import type { AnnouncedLimits } from '../../../src/base/protocol/limits.js';
import type { ToolCallResult } from '../../../src/base/protocol/result.js';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import { readToolResult } from '../../../src/base/protocol/wire-answer.js';
import type { StdioEndpoint, UpstreamConfig, UpstreamEndpoint } from '../../../src/config/gateway-config.js';
import { readLargeAnswer } from '../../../src/upstream/read-large-answer.js';
import type { UpstreamCall } from '../../../src/upstream/upstream.js';
import { createUpstreamPool, type UpstreamPool } from '../../../src/upstream/upstream-pool.js';

export const SERVERS = fileURLToPath(new URL('../../fixtures/servers/', import.meta.url));

/** Any session of a client that does not authenticate. */
export const A_CALLER: Caller = { sessionId: 'session-1', clientName: 'test', transport: 'http' };

/** The behaviour server as a child process. */
export function behaviourServer(...flags: readonly string[]): StdioEndpoint {
  return node(`${SERVERS}behaviour-server.mjs`, ...flags);
}

/** Any script as a child process. */
export function node(...args: readonly string[]): StdioEndpoint {
  return { type: 'stdio', command: process.execPath, args, env: {}, cwd: SERVERS };
}

export function anUpstream(endpoint: UpstreamEndpoint, overrides: Partial<UpstreamConfig> = {}): UpstreamConfig {
  return {
    name: 'Server One',
    slug: 'one',
    endpoint,
    disabled: false,
    timeoutMs: 10_000,
    maxCallMs: 900_000,
    connectTimeoutMs: 10_000,
    maxConcurrency: 64,
    queue: { max: 1_000 },
    restarts: { max: 0, windowSeconds: 600 },
    protocol: 'auto',
    circuit: { failures: 0, openSeconds: 30 },
    pings: { afterIdleMs: 30_000, duringCallMs: 10_000 },
    required: false,
    isolation: 'shared',
    instances: { max: 20, idleSeconds: 300, spare: 0 },
    maxAnswerBytes: 20_971_520,
    trust: 'validated',
    strict: true,
    formats: 'readable',
    readOnlyStatements: true,
    rowFunctions: 'possible',
    asks: { elicitation: 'allow', sampling: 'allow', roots: 'allow' },
    curation: [],
    relations: [],
    apiLimits: [],
    integrity: 'off',
    ...overrides,
  };
}

/** A pool under test: what it told, and ways to wait for it. Closes itself at the end of the test. */
export interface OpenedPool extends AsyncDisposable {
  readonly pool: UpstreamPool;
  /** Resolves when every upstream has connected or failed once. */
  readonly settled: Promise<void>;
  readonly observations: readonly Observation[];
  /** Every list that was handed over, by slug, oldest first. */
  readonly lists: ReadonlyMap<string, readonly (readonly RawTool[])[]>;
  /** By owner, the last list of its own connection. */
  readonly owned: ReadonlyMap<string, readonly RawTool[]>;
  /** What answers said of rate limits, with the slug, oldest first. */
  readonly limits: readonly (readonly [string, AnnouncedLimits])[];
  /** What was said of resources and prompts: `slug list prompts`, `slug updated URI`, `slug connected`; oldest first. */
  readonly news: readonly string[];
  /** Waits until an observation satisfies the condition; those already made count too. */
  observed(condition: (observation: Observation) => boolean): Promise<Observation>;
  /** Waits until the condition holds; asked again after each observation and each list. */
  until(condition: () => boolean): Promise<void>;
  call(
    tool: string,
    args?: JsonObject,
    overrides?: Partial<UpstreamCall> & { readonly slug?: string },
  ): Promise<ToolCallResult>;
}

export function openPool(...configs: readonly UpstreamConfig[]): OpenedPool {
  const observations: Observation[] = [];
  const lists = new Map<string, (readonly RawTool[])[]>();
  const owned = new Map<string, readonly RawTool[]>();
  const limits: [string, AnnouncedLimits][] = [];
  const news: string[] = [];
  const watchers = new Set<() => void>();
  const stir = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const pool = createUpstreamPool(configs, {
    observe: (observation) => {
      observations.push(observation);
      stir();
    },
    binDirectories: [],
    clientInfo: { name: 'upstream-test', version: '0.0.0' },
  });
  const settled = pool.connect({
    onTools: (slug, tools, owner) => {
      if (owner !== undefined) owned.set(owner, tools);
      else lists.set(slug, [...(lists.get(slug) ?? []), tools]);
      stir();
    },
    onConnected: (slug) => {
      news.push(`${slug} connected`);
      stir();
    },
    onListChanged: (slug, kind) => {
      news.push(`${slug} list ${kind}`);
      stir();
    },
    onResourceUpdated: (slug, uri) => {
      news.push(`${slug} updated ${uri}`);
      stir();
    },
    onLimits: (slug, announced) => {
      limits.push([slug, announced]);
    },
  });
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watcher = (): void => {
        if (!condition()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });
  return {
    pool,
    settled,
    observations,
    lists,
    owned,
    limits,
    news,
    until,
    observed: async (condition) => {
      await until(() => observations.some(condition));
      return observations.find(condition)!;
    },
    call: async (tool, args = {}, { slug = 'one', ...overrides } = {}) => {
      const cancellation = new Cancellation();
      const call = { tool, arguments: args, caller: A_CALLER, retryable: false, cancellation, ...overrides };
      const result = await pool.upstreams.get(slug)!.call(call);
      return readToolResult(result instanceof LargeAnswer ? readLargeAnswer(result.parts, () => undefined) : result);
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** The text of a result's first block. */
export function textOf(result: ToolCallResult): string {
  return String(result.content?.[0]?.['text']);
}

/** Whether a child said this line on stderr. */
export function said(line: string): (observation: Observation) => boolean {
  return (observation) => observation.kind === 'upstream-stderr' && observation.line === line;
}

/** Whether an upstream entered this state. */
export function entered(state: string, slug = 'one'): (observation: Observation) => boolean {
  return (observation) =>
    observation.kind === 'upstream-state' && observation.upstream === slug && observation.state === state;
}

/** Whether a process runs. One that is dead but not collected by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // No /proc on this system: the signal has told.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc/self');
  }
}
