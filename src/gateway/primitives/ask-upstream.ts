import type { JsonObject } from '../../base/json/json.js';
import type { HandlerCall } from '../../base/protocol/call.js';
import { withContext } from '../../base/protocol/trace-context.js';
import type { Upstreams } from './primitive-lists.js';

/** What the request is about, for the error where the server does not have it. */
interface About {
  readonly type: 'resource' | 'prompt';
  readonly id: string;
}

/** Sends a request to the upstream that the call is about. The operation names it: policy has judged that one. */
export function askUpstream(
  upstreams: Upstreams,
  call: HandlerCall,
  method: string,
  params: JsonObject,
  about?: About,
): Promise<JsonObject> {
  const upstream = upstreams.get(call.operation.upstream);
  if (upstream === undefined) throw new Error(`there is no upstream '${call.operation.upstream}'`);
  const { caller, cancellation, onProgress, ask, log, trace } = call;
  const traced = trace?.request(method, call.operation.upstream);
  const meta = traced === undefined ? call.meta : withContext(call.meta, traced.context);
  const asking = upstream.request({
    method,
    params,
    ...(call.operation.retryable ? {} : { retryable: false }),
    caller,
    cancellation,
    ...(about === undefined ? {} : { resource: { resource_type: about.type, resource_id: about.id.slice(0, 300) } }),
    onProgress,
    meta,
    ask,
    log,
  });
  return traced === undefined ? asking : traced.follow(asking);
}
