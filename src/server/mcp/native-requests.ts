import { type AskAbilities, canBeAsked } from '../../base/protocol/ask.js';
import type { Reply } from '../../base/protocol/result.js';
import type { NativeCall, NativeSurface } from '../../gateway/gateway.js';
import { openRetryChannel, readRetryChannel } from './elicitation-form.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';

/**
 * The methods beside `tools/call` that may be answered with questions.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
const ASKING_METHODS: ReadonlySet<string> = new Set(['prompts/get', 'resources/read']);

/** What the client has brought with its request. */
interface Retry {
  readonly responses: unknown;
  readonly state: unknown;
}

interface ModernNativeRequest {
  readonly call: NativeCall;
  /** What the client declares with the request that it can be asked. */
  readonly abilities: AskAbilities;
  readonly retry?: Retry;
}

/** Answers requests of 2026-07-28 that are no tool calls: such a client is asked by the answer, and brings its own with another request. */
export function createNativeAnswerer(
  native: Pick<NativeSurface, 'answer'>,
  parked: ParkedCalls,
): (request: ModernNativeRequest) => Promise<Reply> {
  return ({ call, abilities, retry }) => {
    if (!ASKING_METHODS.has(call.method)) return native.answer(call);
    if (retry !== undefined && isParkedState(retry.state)) {
      return parked.resume(retry.state, identify(call), retry.responses, call);
    }
    const user =
      retry === undefined ? openRetryChannel(abilities) : readRetryChannel(abilities, retry.responses, retry.state);
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
