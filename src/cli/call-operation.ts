import { randomUUID } from 'node:crypto';
import type { Gateway } from '../gateway.js';
import { Cancellation } from '../protocol/cancellation.js';
import type { UserChannel } from '../protocol/consent.js';
import type { JsonObject } from '../protocol/json.js';
import type { Reply } from '../protocol/result.js';

/** One run of the command line is one session: what another run was asked is no business of this one. */
const SESSION = `cli-${randomUUID()}`;

/** Calls an operation through the pipeline as a client would, by the tool that shows it. */
export function callAsCli(
  gateway: Gateway,
  tool: string,
  operation: string,
  params: JsonObject,
  user?: UserChannel,
): Promise<Reply> {
  return gateway.handle({
    tool,
    arguments: { operation, params },
    caller: { sessionId: SESSION, clientName: 'mcp-aql-gateway', transport: 'cli' },
    cancellation: new Cancellation(),
    ...(user === undefined ? {} : { user }),
  });
}

/** Ends the session of this run: nobody is to be asked about a call that nobody will repeat. */
export function endCliSession(gateway: Gateway): void {
  gateway.endSession(SESSION);
}

/** Asks the gateway to explain itself, exactly as a model would. */
export function introspect(gateway: Gateway, params: JsonObject): Promise<Reply> {
  const placed = gateway.operations().find(({ operation }) => operation.name === 'introspect');
  return callAsCli(gateway, placed?.tool ?? 'introspect', 'introspect', params);
}
