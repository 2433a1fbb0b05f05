import type { JsonObject } from '../../base/json/json.js';
import { compileGlob, matchGlobs } from '../../base/lib/glob.js';
import type { Caller } from '../../base/protocol/caller.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { ClientConfig } from '../../config/access-config.js';

/** Takes out of a call what its client adds to every call; the names are empty where that is nothing. */
export type DropIgnored = (
  operation: Operation,
  params: JsonObject,
  caller: Caller,
) => { readonly params: JsonObject; readonly ignored: readonly string[] };

const NONE: readonly string[] = [];

/** Names that an operation has are its own parameters, whoever calls. */
export function createDropIgnored(clients: readonly ClientConfig[]): DropIgnored {
  const globs = new Map(
    clients.flatMap(({ name, ignoreArguments }) =>
      ignoreArguments === undefined ? [] : [[name, ignoreArguments.map(compileGlob)] as const],
    ),
  );
  return ({ scope }, params, { client }) => {
    const patterns = client === undefined ? undefined : globs.get(client);
    if (patterns === undefined) return { params, ignored: NONE };
    const isIgnored = (key: string): boolean =>
      !scope.byName.has(key) && key !== 'input' && matchGlobs(patterns, key) === 'yes';
    const ignored = Object.keys(params).filter(isIgnored);
    if (ignored.length === 0) return { params, ignored };
    return { params: Object.fromEntries(Object.entries(params).filter(([key]) => !isIgnored(key))), ignored };
  };
}
