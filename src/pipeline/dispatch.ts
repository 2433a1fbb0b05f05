import type { HandlerOutcome } from '../protocol/call.js';
import type { AuthorizedCall } from './authorize.js';
import type { Snapshot } from './snapshot.js';

/** Runs an authorised call. A built-in operation and an upstream's tool are both handlers here. */
export function dispatch(call: AuthorizedCall, snapshot: Snapshot): Promise<HandlerOutcome> {
  const { operation, raw, directives } = call;
  const { ifMatch } = directives;
  return snapshot.handlerOf(operation)({
    operation,
    arguments: call.arguments,
    caller: raw.caller,
    cancellation: raw.cancellation,
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(raw.onProgress === undefined ? {} : { onProgress: raw.onProgress }),
  });
}
