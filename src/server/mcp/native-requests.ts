import { type AskAbilities, canBeAsked } from '../../base/protocol/ask.js';
import type { Reply } from '../../base/protocol/result.js';
import type { NativeCall, NativeSurface } from '../../gateway/gateway.js';
import { ASKING_METHODS, type Retry, readRetryChannel } from './elicitation-form.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';

interface ModernNativeRequest {
  readonly call: NativeCall;
  /** What the client declares with the request that it can be asked. */
  readonly abilities: AskAbilities;
  readonly retry: Retry | undefined;
}

/** Answers requests of 2026-07-28 that are no tool calls: such a client is asked by the answer, and brings its own with another request. */
export function createNativeAnswerer(
  native: Pick<NativeSurface, 'answer'>,
  parked: ParkedCalls,
): (request: ModernNativeRequest) => Promise<Reply> {
  return ({ call, abilities, retry }) => {
    if (!ASKING_METHODS.has(call.method)) return native.answer(call);
    if (isParkedState(retry?.state)) {
      return parked.resume(retry.state, identify(call), retry.responses, call);
    }
    const user = readRetryChannel(abilities, retry);
    const asking = user === undefined ? call : { ...call, user };
    if (!canBeAsked(abilities)) return native.answer(asking);
    return parked.begin(identify(call), abilities, call, (parts) => native.answer({ ...asking, ...parts }));
  };
}

/** What a request that continues another one has to repeat. */
function identify({ method, params, caller }: NativeCall) {
  const { uri, name, arguments: values } = params;
  return { caller, tool: method, arguments: { uri, name, arguments: values } };
}
