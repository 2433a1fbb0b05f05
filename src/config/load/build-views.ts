import type { JsonPath } from '../../base/json/json-path.js';
import { isPattern } from '../../base/lib/glob.js';
import { suggestName } from '../../base/lib/names.js';
import { CATEGORIES, DANGER_LEVELS, dangerRank } from '../../base/protocol/operation.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { GatewayDocument, ViewEntry } from '../config-document.js';
import type { GatewayConfig, ProfileDefinition, ViewConfig, ViewOperations } from '../gateway-config.js';
import type { PolicyRule, RuleMatch } from '../policy-config.js';
import { normalise } from '../schema/setting.js';
import { VIEW } from '../schema/view-schema.js';
import { type KnownNames, toSlugs } from './build-match.js';
import { buildRules } from './build-policy.js';
import { pickProfile } from './build-profile.js';
import type { Diagnostics } from './diagnostics.js';

interface ViewContext {
  /** What a view has that says nothing of its own. */
  readonly endpoint: GatewayConfig['endpoint'];
  readonly profiles: readonly ProfileDefinition[];
  readonly known: KnownNames;
  readonly diagnostics: Diagnostics;
}

interface BuiltViews {
  readonly views: readonly ViewConfig[];
  /** What the views add to the policy: each rule holds in one view alone. */
  readonly rules: readonly PolicyRule[];
}

/** Builds the views. What is wrong with one goes into the diagnostics. */
export function buildViews(entries: GatewayDocument['views'], context: ViewContext): BuiltViews {
  const built = Object.entries(entries ?? {}).map(([name, entry]) => ({
    view: buildView(name, entry, context),
    rules: buildOwnRules(name, entry, context),
  }));
  const views = built.map(({ view }) => view);
  return { views, rules: [...built.flatMap(({ rules }) => rules), ...views.flatMap(limitCalls)] };
}

function buildView(name: string, entry: ViewEntry, context: ViewContext): ViewConfig {
  const { endpoint, profiles, known, diagnostics } = context;
  const path: JsonPath = ['views', name];
  const {
    upstreams,
    operations = {},
    mode: asked,
    profile,
    passthrough: added,
    policy: _,
    ...view
  } = normalise(VIEW, entry);
  const slugs = upstreams && toSlugs(upstreams);
  noteUnknown('upstream', slugs ?? [], known.upstreams, [...path, 'upstreams'], diagnostics);
  noteUnknown('client', view.clients ?? [], known.clients, [...path, 'clients'], diagnostics);
  const mode = (asked === 'crude' ? 'semantic' : asked) ?? endpoint.mode;
  return {
    name,
    ...view,
    ...(slugs !== undefined && { upstreams: slugs }),
    operations,
    endpoint: {
      ...endpoint,
      mode,
      passthrough: mode === 'passthrough' || (added ?? (asked === undefined && endpoint.passthrough)),
      profile:
        profile === undefined ? endpoint.profile : pickProfile(profile, profiles, diagnostics, [...path, 'profile']),
    },
  };
}

function noteUnknown(
  what: string,
  names: readonly string[],
  known: readonly string[],
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  for (const name of names) {
    if (known.includes(name) || isPattern(name)) continue;
    const suggestion = suggestName(name, known);
    const message = `there is no ${what} '${name}'`;
    diagnostics.warning(path, suggestion === undefined ? message : `${message}; ${suggestion}`);
  }
}

/**
 * The rules that a view brings. They only restrict, so that a view never has more rights than the gateway: what is to be allowed in
 * one view alone stands with the other rules, under `policy`.
 */
function buildOwnRules(name: string, entry: ViewEntry, { known, diagnostics }: ViewContext): readonly PolicyRule[] {
  const path: JsonPath = ['views', name, 'policy', 'rules'];
  const entries = entry.policy?.rules ?? [];
  for (const [index, { decision, match }] of entries.entries()) {
    if (whenRuns(decision) === 'freely') {
      diagnostics.problem(
        [...path, index, 'decision'],
        "expected 'confirm' or 'deny': a view's own rules only restrict",
        `write a rule that allows under 'policy', with "match": {"view": "${name}"}`,
      );
    }
    if (match?.view !== undefined) {
      diagnostics.problem([...path, index, 'match', 'view'], 'the rule holds in this view alone', 'leave it out');
    }
  }
  return buildRules(entries, path, known, diagnostics).map((rule) => ({
    ...rule,
    name: `${rule.name} of view '${name}'`,
    match: { ...rule.match, view: [name] },
  }));
}

/**
 * An argument can make a call more dangerous than its operation, or another kind of call: what a view does not offer it does not run
 * either.
 */
function limitCalls({ name, operations }: ViewConfig): readonly PolicyRule[] {
  const limit = (what: string, match: RuleMatch, reason: string): PolicyRule => ({
    name: `${what} of view '${name}'`,
    match: { ...match, view: [name] },
    decision: 'deny',
    reason,
    requires: 'token',
  });
  return [...limitDanger(operations, limit), ...limitCategories(operations, limit)];
}

type Limit = (what: string, match: RuleMatch, reason: string) => PolicyRule;

function limitDanger({ danger }: ViewOperations, limit: Limit): readonly PolicyRule[] {
  const above = danger === undefined ? [] : DANGER_LEVELS.slice(dangerRank(danger) + 1);
  return above.length === 0 ? [] : [limit('danger', { danger: above }, `no call beyond '${danger}' runs in this view`)];
}

function limitCategories({ categories }: ViewOperations, limit: Limit): readonly PolicyRule[] {
  if (categories === undefined) return [];
  const others = CATEGORIES.filter((category) => !categories.includes(category));
  if (others.length === 0) return [];
  return [limit('categories', { category: others }, `only ${categories.join(', ')} runs in this view`)];
}

/** Reports a default view that does not exist. */
export function noteDefaultView(name: string | undefined, views: readonly string[], diagnostics: Diagnostics): void {
  if (name === undefined || views.includes(name)) return;
  diagnostics.problem(['server', 'defaultView'], `there is no view '${name}'`, suggestName(name, views));
}
