import type { Caller } from '../protocol/call.js';

/** The key that a caller is counted by: the authenticated client, so that a new session does not reset its counts. */
export function keyOfCaller({ client, sessionId }: Caller): string {
  return client === undefined ? `session/${sessionId}` : `client/${client}`;
}

/**
 * Whose a caller's questions are: an authenticated client's in all of its sessions, of any other caller its session's alone. What was
 * asked in one view is not answered in another.
 */
export function ownerOf({ client, sessionId, view }: Caller): string {
  if (client === undefined) return sessionId;
  return view === undefined ? `client:${client}` : `client:${client} view:${view}`;
}
