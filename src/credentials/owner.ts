import { type Caller, ISSUER_SIGN, principalOf } from '../protocol/caller.js';

/**
 * Whose rights a caller has: the user's, else the client's. Where callers are not authenticated there is one person, whose machine it
 * is (the configuration sees to it).
 */
export function ownerOf(caller: Caller): string {
  const principal = principalOf(caller);
  return principal === undefined ? LOCAL : `${principal.kind} ${principal.name}`;
}

export const LOCAL = 'local';

/** An owner as people read it. */
export function describeOwner(owner: string): string {
  return owner === LOCAL ? 'the person who uses this machine' : owner.replace(/^(user|client) (.*)$/, "the $1 '$2'");
}

/** The configured name of the issuer that says who the owner is; undefined for clients of the configuration and for nobody. */
export function issuerOf(owner: string): string | undefined {
  const name = owner.slice(owner.indexOf(' ') + 1);
  const end = name.indexOf(ISSUER_SIGN);
  return owner === LOCAL || end === -1 ? undefined : name.slice(0, end);
}
