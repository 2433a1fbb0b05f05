import { randomUUID } from 'node:crypto';
import type { RawCall } from '../protocol/call.js';
import { REQUEST_ID, type Reply, withMeta } from '../protocol/result.js';

/** Version, trace id, parent id, flags. https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const NO_TRACE = '0'.repeat(32);

/** The call with the id of its request: the client's trace id where it sends one, else a new id of the same form. */
export function identifyRequest(call: RawCall): RawCall & { readonly caller: { readonly requestId: string } } {
  const requestId = readTraceId(call.traceparent) ?? randomUUID().replaceAll('-', '');
  return { ...call, caller: { ...call.caller, requestId } };
}

/** The answer with the id of its request, by which it is found in the log. */
export function withRequestId(reply: Reply, requestId: string): Reply {
  return withMeta(reply, { [REQUEST_ID]: requestId });
}

function readTraceId(traceparent: unknown): string | undefined {
  // A later version may be longer; what follows its first four parts says nothing of the id.
  const id = typeof traceparent === 'string' ? TRACE_PARENT.exec(traceparent.slice(0, 64))?.[1] : undefined;
  return id === NO_TRACE ? undefined : id;
}
