import type { JsonPath } from '../../base/json/json-path.js';
import { compileNameTest } from '../../base/lib/glob.js';
import { suggestName } from '../../base/lib/names.js';
import { CATEGORIES } from '../../base/protocol/operation.js';
import { BUILT_IN_PROFILES } from '../built-in-profiles.js';
import type { FamilyEntry, GatewayDocument } from '../config-document.js';
import type { FamilyDefinition, ProfileDefinition } from '../gateway-config.js';
import type { Diagnostics } from './diagnostics.js';

/** The tool of single mode (specification, section 4.2); no family's tool may have its name. */
const SINGLE_TOOL = 'mcp_aql';

/** The built-in profiles and the operator's own. What is wrong with one goes into the diagnostics. */
export function buildProfiles(
  entries: GatewayDocument['profiles'],
  toolPrefix: string,
  diagnostics: Diagnostics,
): readonly ProfileDefinition[] {
  const own = Object.entries(entries ?? {}).map(([name, families]) => {
    const path = ['profiles', name];
    const profile = { name, families: Object.entries(families).map(([key, entry]) => buildFamily(key, entry)) };
    // A faulty entry is reported already; further faults would only follow from that.
    if (!diagnostics.has(path)) noteProfile(profile, toolPrefix, path, diagnostics);
    if (BUILT_IN_PROFILES.some((known) => known.name === name)) {
      diagnostics.problem(path, `'${name}' is a built-in profile`, 'choose another name');
    }
    return profile;
  });
  return [...BUILT_IN_PROFILES, ...own];
}

/** The profile with a name. Where there is none, reports a problem and returns an empty profile. */
export function pickProfile(
  name: string,
  profiles: readonly ProfileDefinition[],
  diagnostics: Diagnostics,
  path: JsonPath = ['endpoint', 'profile'],
): ProfileDefinition {
  const found = profiles.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  const names = profiles.map((profile) => profile.name);
  const known = `profiles: ${names.join(', ')}`;
  diagnostics.problem(path, `there is no profile '${name}'`, suggestName(name, names) ?? known);
  return { name, families: [] };
}

function buildFamily(name: string, entry: FamilyEntry): FamilyDefinition {
  const { purpose = '', categories = [], verbs = [], patterns = [] } = entry;
  const reads = categories.length > 0 && categories.every((category) => category === 'READ');
  const only = entry.only ?? (reads ? categories : CATEGORIES);
  return { name, purpose, categories, verbs, patterns, only };
}

function noteProfile(
  { families }: ProfileDefinition,
  toolPrefix: string,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const untaken = CATEGORIES.filter((category) => !families.some((family) => family.categories.includes(category)));
  if (untaken.length > 0) {
    diagnostics.problem(
      path,
      `no family takes ${untaken.join(', ')}`,
      "name them in the 'categories' of one family each",
    );
  }
  for (const key of ['categories', 'verbs'] as const) noteTwice(families, key, path, diagnostics);
  for (const { name } of families) {
    if (`${toolPrefix}${name}` !== SINGLE_TOOL) continue;
    diagnostics.problem(
      [...path, name],
      `its tool would be called '${SINGLE_TOOL}', which reaches everything`,
      'choose another name',
    );
  }
  const introspectFamily = findIntrospectFamily(families);
  if (
    introspectFamily !== undefined &&
    introspectFamily.categories.length > 0 &&
    !introspectFamily.categories.includes('READ')
  ) {
    diagnostics.problem(
      [...path, introspectFamily.name],
      "takes 'introspect', which only reads, but not READ",
      'take READ here, or leave it out',
    );
  }
}

/** Reports a category or verb in two families, because each operation belongs to exactly one family. */
function noteTwice(
  families: readonly FamilyDefinition[],
  key: 'categories' | 'verbs',
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  const owners = new Map<string, string>();
  for (const family of families) {
    for (const item of new Set<string>(family[key])) {
      const owner = owners.get(item);
      if (owner === undefined) owners.set(item, family.name);
      else
        diagnostics.problem(
          [...path, family.name, key],
          `'${item}' is taken by '${owner}' already`,
          'take it in one family',
        );
    }
  }
}

/** Patterns beat verbs and verbs beat categories, the same order as for every other operation. */
function findIntrospectFamily(families: readonly FamilyDefinition[]): FamilyDefinition | undefined {
  return (
    families.find((family) => family.patterns.some((pattern) => compileNameTest(pattern)('introspect'))) ??
    families.find((family) => family.verbs.includes('introspect')) ??
    families.find((family) => family.categories.includes('READ'))
  );
}
