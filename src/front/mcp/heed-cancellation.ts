import { isJsonObject } from '../../protocol/json.js';
import type { CallsInFlight } from './calls-in-flight.js';
import { isRequestId } from './hot-request.js';

/** Does what a `notifications/cancelled` says, if the message is one. A request that is unknown or answered is none. */
export function heedCancellation(message: unknown, calls: CallsInFlight): void {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return;
  const params = isJsonObject(message['params']) ? message['params'] : {};
  const { requestId, reason } = params;
  if (isRequestId(requestId)) calls.cancel(requestId, describeReason(reason));
}

/** The client's own words, cut to a sensible length. */
function describeReason(reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, 200) : 'the client cancelled the request';
}
