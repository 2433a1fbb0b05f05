import { createHash } from 'node:crypto';

/** Enough that no two of a million names end alike. */
const HASH_CHARACTERS = 10;

/**
 * The names under which tools are shown, by their full names: as models' APIs take them, of letters, digits, `_` and `-`, and not too
 * long. What is changed ends with a hash of the whole name, so that it is the same for ever; a tool that calls itself as another one is
 * shown is given another name as well.
 */
export function portableNames(names: readonly string[], longest: number): ReadonlyMap<string, string> {
  const changed = new Map(
    names.flatMap((name) => (isPortable(name, longest) ? [] : [[name, withHash(name, longest)]])),
  );
  const given = new Set(changed.values());
  return new Map(
    names.map((name) => [name, changed.get(name) ?? (given.has(name) ? withHash(name, longest) : name)] as const),
  );
}

function isPortable(name: string, longest: number): boolean {
  return name.length <= longest && /^[\w-]+$/.test(name);
}

function withHash(name: string, longest: number): string {
  const end = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  const begin = name.replace(/[^\w-]+/g, '_').slice(0, longest - HASH_CHARACTERS - 1);
  return `${begin}_${end}`;
}
