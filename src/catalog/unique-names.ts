/** One thing that wants a name. */
export interface NameClaim {
  /** What is to be named; unique among the claims. */
  readonly key: string;
  /** The name it asks for. */
  readonly base: string;
  /** Who goes first where several ask for one name: the lower; among equals the key decides. */
  readonly rank: number;
}

/**
 * Gives every key a name of its own: the one it asks for, or that with `_2`, `_3`, ... The order of the claims does not
 * matter, and a suffixed name never takes one that somebody else asks for.
 */
export function assignUniqueNames(claims: readonly NameClaim[]): ReadonlyMap<string, string> {
  const asked = new Set(claims.map((claim) => claim.base));
  if (asked.size === claims.length) return new Map(claims.map((claim) => [claim.key, claim.base]));

  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { key, base } of claims.toSorted(byRankAndKey)) {
    const name = taken.has(base) ? suffixed(base, (candidate) => asked.has(candidate) || taken.has(candidate)) : base;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

function suffixed(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const name = `${base}_${number}`;
    if (!isTaken(name)) return name;
  }
}

function byRankAndKey(a: NameClaim, b: NameClaim): number {
  return a.rank - b.rank || (a.key < b.key ? -1 : 1);
}
