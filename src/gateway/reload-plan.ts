import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig, UpstreamConfig, ViewConfig } from '../config/gateway-config.js';
import { hasOperators } from '../config/policy-config.js';
import { hasSameRights, isSameConnection } from '../upstream/upstream-pool.js';

/** What a new configuration changes in a gateway that runs. */
export interface ReloadPlan {
  /** The new configuration, with the old values of what is fixed at the start. */
  readonly config: GatewayConfig;
  readonly upstreams: UpstreamChanges;
  /** The views that are added, removed or changed, by name. */
  readonly views: readonly string[];
  /** The other settings that change, by their keys in the file. */
  readonly settings: readonly string[];
  /** Settings that differ and are fixed at the start, by their keys in the file. */
  readonly needsRestart: readonly string[];
}

type NamedUpstream = Pick<UpstreamConfig, 'name' | 'slug'>;

interface UpstreamChanges {
  readonly added: readonly NamedUpstream[];
  readonly removed: readonly NamedUpstream[];
  /** Those that are connected anew, because what describes the connection has changed. */
  readonly replaced: readonly NamedUpstream[];
  /** Of these, those that are called with other rights, or are shown to others: what they have said so far is nobody's. */
  readonly reassigned: readonly NamedUpstream[];
  /** Those that stay connected, and whose curation, trust or other settings have changed. */
  readonly adjusted: readonly NamedUpstream[];
}

/** What follows the file while the gateway runs. */
const LIVE = ['limits', 'batch', 'warnings', 'pins', 'quotas', 'clients'] as const;

/** What is fixed at the start of how answers are written: each open endpoint has taken it. */
const FIXED_OF_ENDPOINT = ['errors', 'structuredContent'] as const;

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
] as const;

/** Compares the configuration that is in force with a new one. */
export function planReload(current: GatewayConfig, next: GatewayConfig): ReloadPlan {
  const kept = Object.fromEntries(FIXED.map((key) => [key, current[key]]));
  const { oauth: _oauth, defaultView: _view, ...bound } = current.server;
  const { oauth, defaultView } = next.server;
  const { errors, structuredContent } = current.endpoint;
  const approvals = mergeApprovals(current, next);
  const config: GatewayConfig = {
    ...next,
    ...kept,
    // Who may enter and what they see follow the file; where the gateway listens does not.
    server: {
      ...bound,
      ...(oauth === undefined ? {} : { oauth }),
      ...(defaultView === undefined ? {} : { defaultView }),
    },
    file: current.file,
    directory: current.directory,
    endpoint: { ...next.endpoint, errors, structuredContent },
    views: next.views.map((view) => ({ ...view, endpoint: { ...view.endpoint, errors, structuredContent } })),
    policy: { ...next.policy, approvals },
  };
  return {
    config,
    upstreams: compareUpstreams(current.upstreams, config.upstreams),
    views: compareViews(current.views, config.views),
    settings: [
      ...LIVE.filter((key) => !isDeepStrictEqual(current[key], config[key])),
      ...(current.lock.digest === config.lock.digest ? [] : ['lock']),
      ...Object.keys(next.modules).flatMap((key) => listDifferences(key, current.modules[key], next.modules[key])),
      ...listDifferences('server', current.server, config.server),
      ...(isDeepStrictEqual(current.endpoint, config.endpoint) ? [] : ['endpoint']),
      ...(isDeepStrictEqual(current.policy, config.policy) ? [] : ['policy']),
    ],
    needsRestart: [
      ...FIXED.flatMap((key) => listDifferences(key, config[key], next[key])),
      ...FIXED_OF_ENDPOINT.filter((key) => current.endpoint[key] !== next.endpoint[key]).map(
        (key) => `endpoint.${key}`,
      ),
      ...(isDeepStrictEqual(approvals, next.policy.approvals) ? [] : ['policy.approvals']),
    ],
  };
}

/** Whether the new configuration changes nothing that is in force. */
export function isEmptyPlan({ upstreams, views, settings }: ReloadPlan): boolean {
  return settings.length === 0 && views.length === 0 && Object.values(upstreams).every((names) => names.length === 0);
}

/** Who is an operator follows the file where there are some before and after; the way in which they are asked does not. */
function mergeApprovals({ policy }: GatewayConfig, next: GatewayConfig): GatewayConfig['policy']['approvals'] {
  const { approvals } = policy;
  const { operators, operatorGroups } = next.policy.approvals;
  const canChange = hasOperators(approvals) && hasOperators(next.policy.approvals);
  return canChange ? { ...approvals, operators, operatorGroups } : approvals;
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

/** The names of those that are in one of the two alone, or differ. */
function compareViews(before: readonly ViewConfig[], after: readonly ViewConfig[]): readonly string[] {
  const then = new Map(before.map((view) => [view.name, view]));
  const now = new Map(after.map((view) => [view.name, view]));
  const names = [...new Set([...then.keys(), ...now.keys()])];
  return names.filter((name) => !isDeepStrictEqual(then.get(name), now.get(name)));
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
    reassigned: both.filter(({ then, now }) => !hasSameRights(then, now)).map(({ now }) => now),
    adjusted: both.filter(({ then, now }) => isSameConnection(then, now)).map(({ now }) => now),
  };
}

const VERBS: Readonly<Record<keyof UpstreamChanges, string>> = {
  added: 'added',
  removed: 'removed',
  replaced: 'connected anew',
  reassigned: 'other rights of',
  adjusted: 'settings changed of',
};

/** What is changed, in words: `added 'github'; views 'code', 'people'; policy, quotas`. */
export function describeChanges({ upstreams, views, settings }: ReloadPlan): string {
  const parts = Object.entries(VERBS).flatMap(([change, verb]) => {
    const names = upstreams[change as keyof UpstreamChanges].map(({ name }) => `'${name}'`);
    return names.length === 0 ? [] : [`${verb} ${names.join(', ')}`];
  });
  const shown = views.length === 0 ? [] : [`views ${views.map((name) => `'${name}'`).join(', ')}`];
  return [...parts, ...shown, ...(settings.length === 0 ? [] : [settings.join(', ')])].join('; ');
}
