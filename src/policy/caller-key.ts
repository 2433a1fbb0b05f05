import type { Caller } from '../protocol/call.js';

/** What a caller is counted by. Who has authenticated is that client, so that a new session is no new start. */
export function keyOfCaller({ client, sessionId }: Caller): string {
  return client === undefined ? `session/${sessionId}` : `client/${client}`;
}
