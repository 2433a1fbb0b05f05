import type { Operation } from '../protocol/operation.js';
import type { Catalog } from './catalog.js';

export interface CatalogDifference {
  /** Exposed names that are new. */
  readonly added: readonly string[];
  /** Exposed names that are gone. */
  readonly removed: readonly string[];
  /** Names, bare or qualified, that now call something else than before. */
  readonly changed: readonly string[];
}

/** What a caller who knows the catalog from before must learn. */
export function diffCatalogs(before: Catalog, after: Catalog): CatalogDifference {
  const exposedBefore = new Set(before.operations.map(({ name }) => name));
  const exposedAfter = new Set(after.operations.map(({ name }) => name));
  const known = new Set(before.operations.flatMap(({ name, qualifiedName }) => [name, qualifiedName]));
  const changed = [...known].filter((name) => {
    const [then, now] = [before.find(name), after.find(name)];
    // Most operations are the same objects in both.
    return then !== now && then !== undefined && now !== undefined && targetOf(then) !== targetOf(now);
  });
  return {
    added: [...exposedAfter].filter((name) => !exposedBefore.has(name)),
    removed: [...exposedBefore].filter((name) => !exposedAfter.has(name)),
    changed: changed.sort(),
  };
}

/** What a call of the operation reaches in the end. */
function targetOf({ upstream, tool, fixedArguments = {} }: Operation): string {
  return JSON.stringify([upstream, tool, Object.entries(fixedArguments).sort()]);
}
