import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import { isSameConnection } from '../upstream/upstream-pool.js';

/** What a new configuration changes in a gateway that runs. */
export interface ReloadPlan {
  /** The new configuration, with the old values of what is fixed at the start. */
  readonly config: GatewayConfig;
  readonly upstreams: UpstreamChanges;
  /** The other settings that change, by their keys in the file. */
  readonly settings: readonly string[];
  /** Settings that differ and are fixed at the start, by their keys in the file. */
  readonly needsRestart: readonly string[];
}

type NamedUpstream = Pick<UpstreamConfig, 'name' | 'slug'>;

export interface UpstreamChanges {
  readonly added: readonly NamedUpstream[];
  readonly removed: readonly NamedUpstream[];
  /** Those that are connected anew, because what describes the connection has changed. */
  readonly replaced: readonly NamedUpstream[];
  /** Those that stay connected, and whose curation, trust or other settings have changed. */
  readonly adjusted: readonly NamedUpstream[];
}

/** What follows the file while the gateway runs. */
const LIVE = ['limits', 'batch', 'warnings', 'lock', 'pins', 'quotas', 'clients'] as const;

/** What is fixed at the start: it is opened, bound or measured once. */
const FIXED = [
  'dataDir',
  'upstreamsDir',
  'server',
  'results',
  'errors',
  'cache',
  'safetyLoop',
  'executions',
  'store',
  'credentials',
  'audit',
  'log',
  'metrics',
  'tracing',
  'views',
] as const;

/** Compares the configuration that is in force with a new one. */
export function planReload(current: GatewayConfig, next: GatewayConfig): ReloadPlan {
  const kept = Object.fromEntries(FIXED.map((key) => [key, current[key]]));
  const { oauth: _before, ...bound } = current.server;
  const { oauth } = next.server;
  const approvals = mergeApprovals(current, next);
  const config: GatewayConfig = {
    ...next,
    ...kept,
    // Who may enter follows the file; where the gateway listens does not.
    server: { ...bound, ...(oauth === undefined ? {} : { oauth }) },
    file: current.file,
    directory: current.directory,
    endpoint: { ...next.endpoint, errors: current.endpoint.errors },
    policy: { ...next.policy, approvals },
  };
  return {
    config,
    upstreams: compareUpstreams(current.upstreams, config.upstreams),
    settings: [
      ...LIVE.filter((key) => !isDeepStrictEqual(current[key], config[key])),
      ...(isDeepStrictEqual(current.server, config.server) ? [] : ['server.oauth']),
      ...(isDeepStrictEqual(current.endpoint, config.endpoint) ? [] : ['endpoint']),
      ...(isDeepStrictEqual(current.policy, config.policy) ? [] : ['policy']),
    ],
    needsRestart: [
      ...FIXED.flatMap((key) => listDifferences(key, config[key], next[key])),
      ...(current.endpoint.errors === next.endpoint.errors ? [] : ['endpoint.errors']),
      ...(isDeepStrictEqual(approvals, next.policy.approvals) ? [] : ['policy.approvals']),
    ],
  };
}

/** Whether the new configuration changes nothing that is in force. */
export function isEmptyPlan({ upstreams, settings }: ReloadPlan): boolean {
  return settings.length === 0 && Object.values(upstreams).every((names) => names.length === 0);
}

/** Operators and their tokens follow the file where there are some before and after; the way in which they are asked does not. */
function mergeApprovals({ policy }: GatewayConfig, next: GatewayConfig): GatewayConfig['policy']['approvals'] {
  const { approvals } = policy;
  const { operators } = next.policy.approvals;
  const canChange = approvals.operators.length > 0 && operators.length > 0;
  return canChange ? { ...approvals, operators } : approvals;
}

/** A section as a whole, or its members that differ. */
function listDifferences(key: string, before: unknown, after: unknown): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isSection(before) || !isSection(after)) return [key];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return members.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => `${key}.${name}`);
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compareUpstreams(before: readonly UpstreamConfig[], after: readonly UpstreamConfig[]): UpstreamChanges {
  const old = new Map(before.map((upstream) => [upstream.slug, upstream]));
  const slugs = new Set(after.map(({ slug }) => slug));
  const both = after.flatMap((now) => {
    const then = old.get(now.slug);
    return then === undefined || isDeepStrictEqual(then, now) ? [] : [{ then, now }];
  });
  return {
    added: after.filter(({ slug }) => !old.has(slug)),
    removed: before.filter(({ slug }) => !slugs.has(slug)),
    replaced: both.filter(({ then, now }) => !isSameConnection(then, now)).map(({ now }) => now),
    adjusted: both.filter(({ then, now }) => isSameConnection(then, now)).map(({ now }) => now),
  };
}

const VERBS: Readonly<Record<keyof UpstreamChanges, string>> = {
  added: 'added',
  removed: 'removed',
  replaced: 'connected anew',
  adjusted: 'settings changed of',
};

/** What is changed, in words: `added 'github'; policy, quotas`. */
export function describeChanges({ upstreams, settings }: ReloadPlan): string {
  const parts = Object.entries(VERBS).flatMap(([change, verb]) => {
    const names = upstreams[change as keyof UpstreamChanges].map(({ name }) => `'${name}'`);
    return names.length === 0 ? [] : [`${verb} ${names.join(', ')}`];
  });
  return [...parts, ...(settings.length === 0 ? [] : [settings.join(', ')])].join('; ');
}
