import type { JsonObject } from '../../base/json/json.js';
import type { RawCall } from '../../base/protocol/call.js';
import { PassthroughTool } from '../../catalog/endpoint/passthrough-tools.js';
import type { Gatekeeper } from '../../policy/rules/policy-types.js';
import type { RoutedCall } from './decode.js';
import { CONFIRMATION, PLAIN_CONFIRMATION } from './directive-names.js';
import { loneConfirmation, loneToken } from './directives.js';
import type { Snapshot } from './snapshot.js';
import { mayBeAsked } from './validate.js';

/** A token without even its operation stands for that operation's call, through the tool that the call was made through. */
export function recallName(
  raw: RawCall,
  request: JsonObject,
  gatekeeper: Gatekeeper,
  { plan }: Snapshot,
): RawCall | Promise<RawCall> {
  const token = loneToken(request);
  if (token === undefined) return raw;
  const reach = plan.reachOf(raw.tool);
  if (reach instanceof PassthroughTool) return recallChoice(raw, reach, token, gatekeeper);
  return gatekeeper
    .recallOperation(token, raw.caller)
    .then((operation) => (operation === undefined ? raw : { ...raw, arguments: { ...request, operation } }));
}

/** A tool of its own is its operation; which of several it is, only the arguments that were asked about say. */
async function recallChoice(
  raw: RawCall,
  tool: PassthroughTool,
  token: string,
  gatekeeper: Gatekeeper,
): Promise<RawCall> {
  if (tool.operations.length < 2) return raw;
  const name = await gatekeeper.recallOperation(token, raw.caller);
  const operation = tool.operations.find(({ qualifiedName }) => qualifiedName === name);
  const params = operation && (await gatekeeper.recall(operation, token, raw.caller));
  return params === undefined ? raw : { ...raw, arguments: withToken(params, token) };
}

/** A token without any other parameter stands for the call that was asked to be confirmed. */
export function recallParams(routed: RoutedCall, gatekeeper: Gatekeeper): RoutedCall | Promise<RoutedCall> {
  const { operation } = routed;
  const token = loneConfirmation(routed.params, operation);
  if (token === undefined) return routed;
  // Without its parameters it is not known what a call of such an operation is about, and so what policy says of it.
  if (operation.primitive === undefined && !mayBeAsked(operation, gatekeeper)) return routed;
  return gatekeeper
    .recall(routed.operation, token, routed.raw.caller)
    .then((params) => (params === undefined ? routed : { ...routed, params: withToken(params, token) }));
}

/** A call may have a parameter of its own that is called as the token is. */
function withToken(params: JsonObject, token: string): JsonObject {
  return { ...params, [Object.hasOwn(params, CONFIRMATION) ? PLAIN_CONFIRMATION : CONFIRMATION]: token };
}
