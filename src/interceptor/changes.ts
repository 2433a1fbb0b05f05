import { isDeepStrictEqual } from 'node:util';
import { digest } from '../lib/canonical-json.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { ValueChange } from '../protocol/update-preview.js';

interface Changes {
  readonly changes: readonly ValueChange[];
  /** Equal for equal changes, without revealing them. */
  readonly digest: string;
}

/** How a resource differs from an earlier state of it: members of objects one by one, everything else as a whole. */
export function listChanges(before: JsonObject, after: JsonObject): Changes {
  const changes = changesBetween(before, after, []);
  return { changes, digest: digest(changes) };
}

function changesBetween(before: JsonObject, after: JsonObject, path: readonly string[]): readonly ValueChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly ValueChange[] => {
    const here = [...path, name];
    const [had, has] = [before, after].map((state) => Object.hasOwn(state, name));
    const [old, now] = [before[name], after[name]];
    if (had && has && isJsonObject(old) && isJsonObject(now)) return changesBetween(old, now, here);
    if (had && has && isDeepStrictEqual(old, now)) return [];
    return [{ path: here, ...(had && { before: old }), ...(has && { after: now }) }];
  });
}
