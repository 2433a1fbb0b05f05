import { type CallerIdentity, principalOf } from '../../base/protocol/caller.js';

/**
 * Whose rights a caller has: the user's, else the client's. Where callers are not authenticated there is one person, whose machine it
 * is (the configuration sees to it).
 */
export function ownerOf(caller: CallerIdentity): string {
  const principal = principalOf(caller);
  return principal === undefined ? LOCAL : `${principal.kind} ${principal.name}`;
}

const LOCAL = 'local';

/** An owner as people read it. */
export function describeOwner(owner: string): string {
  return owner === LOCAL ? 'the person who uses this machine' : owner.replace(/^(user|client) (.*)$/, "the $1 '$2'");
}
