import { type Caller, principalOf } from '../protocol/caller.js';
import type { IsolationMode } from './upstream.js';

/** The owner of the connection for requests that belong to no caller, such as reading lists. */
export const OWN_REQUESTS = 'gateway';

/** Whose connection a call takes. A client that did not authenticate is its session. */
export function ownerOf(caller: Caller, mode: Exclude<IsolationMode, 'shared'>): string {
  const principal = mode === 'client' ? principalOf(caller) : undefined;
  return principal === undefined ? sessionOwner(caller.sessionId) : `${principal.kind} ${principal.name}`;
}

export function sessionOwner(sessionId: string): string {
  return `session ${sessionId}`;
}
