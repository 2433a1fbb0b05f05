import { compileNameTest } from '../../base/lib/glob.js';
import { type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import type { FamilyDefinition, ProfileDefinition } from '../../config/gateway-config.js';

/** Finds the family of an operation in one profile; every operation belongs to exactly one. */
type Placement = (operation: Operation) => FamilyDefinition;

/**
 * Compiles a profile for placing many operations. The more specific criterion wins: curation, then patterns, then verbs, then
 * categories; the last family takes all others. Within one criterion the family named first wins.
 */
export function compilePlacement(profile: ProfileDefinition): Placement {
  const { families } = profile;
  const lastFamily = families.at(-1);
  if (lastFamily === undefined) throw new Error(`Profile '${profile.name}' has no families`);
  const byName = indexFamilies(families, (family) => [family.name]);
  const patterns = families.flatMap((family) =>
    family.patterns.map((pattern) => ({ family, fits: compileNameTest(pattern) })),
  );
  const byVerb = new Map(
    families.flatMap(({ verbs }) =>
      verbs.map((verb) => [verb, families.filter((other) => other.verbs.includes(verb))]),
    ),
  );
  const byCategory = indexFamilies(families, (family) => family.categories);

  return (operation) => {
    const bare = bareNameOf(operation);
    return (
      byName.get(operation.family ?? '') ??
      patterns.find(({ family, fits }) => mayTake(family, operation) && (fits(bare) || fits(operation.qualifiedName)))
        ?.family ??
      byVerb.get(leadingWordOf(bare))?.find((family) => mayTake(family, operation)) ??
      byCategory.get(operation.classification.category) ??
      lastFamily
    );
  };
}

/** Verbs and patterns match names, and a misleading name must not place a write in a family that reads. */
function mayTake(family: FamilyDefinition, operation: Operation): boolean {
  return family.only.includes(operation.classification.category);
}

function indexFamilies(
  families: readonly FamilyDefinition[],
  keysOf: (family: FamilyDefinition) => readonly string[],
): ReadonlyMap<string, FamilyDefinition> {
  const index = new Map<string, FamilyDefinition>();
  for (const family of families) for (const key of keysOf(family)) if (!index.has(key)) index.set(key, family);
  return index;
}

/** The name without its upstream: a collision that qualifies a name must not move the operation to another family. */
function bareNameOf({ upstream, qualifiedName }: Operation): string {
  const prefix = `${upstream}${QUALIFIER}`;
  return qualifiedName.startsWith(prefix) ? qualifiedName.slice(prefix.length) : qualifiedName;
}

function leadingWordOf(name: string): string {
  const end = name.indexOf('_');
  return end < 0 ? name : name.slice(0, end);
}
