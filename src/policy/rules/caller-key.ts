import { type Caller, principalOf } from '../../base/protocol/caller.js';

/** The key that a caller is counted by: the authenticated user or client, so that a new session does not reset its counts. */
export function keyOfCaller(caller: Caller): string {
  const principal = principalOf(caller);
  return principal === undefined ? `session/${caller.sessionId}` : `${principal.kind}/${principal.name}`;
}

/**
 * Whose a caller's questions are: an authenticated user's or client's in all of its sessions, of any other its session's alone. What was
 * asked in one view is not answered in another.
 */
export function ownerOf(caller: Caller): string {
  const principal = principalOf(caller);
  if (principal === undefined) return caller.sessionId;
  const owner = `${principal.kind}:${principal.name}`;
  return caller.view === undefined ? owner : `${owner} view:${caller.view}`;
}
