import { type Caller, principalOf } from '../protocol/caller.js';

/**
 * Whose agents a caller's are, in all of its sessions: the authenticated user's or client's; of a caller without a token those of its network
 * address, which is weaker. Never the name that a client gives its agent: a name is changed in a moment.
 */
export function subjectOf(caller: Caller): string {
  const principal = principalOf(caller);
  if (principal !== undefined) return `${principal.kind}/${principal.name}`;
  return caller.peer === undefined ? caller.transport : `address/${caller.peer}`;
}
