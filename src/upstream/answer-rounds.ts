import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { ASK_ERROR, type AskChannel, AskFailure, writeAbilities } from '../base/protocol/ask.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import { type AskSettings, askClient } from './questions/ask-client.js';
import { PageIds } from './questions/page-ids.js';
import { describeQuestion, isAskMethod, permit } from './questions/prepare-question.js';
import { findFault, UpstreamFault } from './transport/fault.js';
import type { UpstreamCall } from './upstream.js';

/** A server that asks more often than this does not come to an end. */
export const MAX_ROUNDS = 10;
/** Questions of one round; more are refused. */
const MAX_QUESTIONS = 16;

/** What a request brings beside its own params, from the second round on. */
type Continuation = Readonly<Partial<Record<'inputResponses' | 'requestState', unknown>>>;

type AskedCall = Pick<UpstreamCall, 'ask' | 'log' | 'meta' | 'cancellation' | 'beforeSend' | 'retryable'>;

/**
 * Sends a request whose server is told what the client can be asked, and which log messages it wants.
 * @param extensions that the gateway has for this request
 */
export function sendInRounds<Result>(
  send: (continuation: JsonObject, meta: JsonObject) => Promise<Result>,
  call: AskedCall,
  settings: AskSettings,
  extensions?: JsonObject,
): Promise<Result> {
  const { ask, log } = call;
  const abilities = ask === undefined ? undefined : writeAbilities(permit(ask.abilities, settings.asker.asks));
  const declared = extensions === undefined ? abilities : { ...abilities, extensions };
  const meta = {
    ...call.meta,
    ...(declared === undefined ? {} : { [CLIENT_CAPABILITIES_META_KEY]: declared }),
    ...(log === undefined ? {} : { [LOG_LEVEL_META_KEY]: log.level }),
  };
  if (ask === undefined) return send({}, meta);
  return answerRounds((continuation) => send(continuation, meta), call, ask, settings);
}

/**
 * Sends a request to a server of the 2026-07-28 era until it has all the answers that it asks for. The rounds are one call: each continues the one
 * before with the state that the server gave, so that nothing runs twice.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
async function answerRounds<Result>(
  send: (continuation: Continuation) => Promise<Result>,
  call: AskedCall,
  ask: AskChannel,
  settings: AskSettings,
): Promise<Result> {
  let continuation: Continuation = {};
  const pages = new PageIds(ask);
  for (let round = 1; ; round += 1) {
    try {
      const result = await send(continuation);
      pages.settle();
      return result;
    } catch (error) {
      const input = findFault(error)?.input;
      if (input === undefined) throw round === 1 || call.retryable ? error : neverUnsent(error);
      if (round > MAX_ROUNDS) throw inVain(`it asked in more than ${MAX_ROUNDS} rounds`);
      pages.settle();
      continuation = await answerRound(input, call.cancellation, pages, settings);
      await call.beforeSend?.();
    }
  }
}

/** Asks the questions of one round at once. */
export async function answerRound(
  { inputRequests, requestState }: JsonObject,
  cancellation: Cancellation,
  ask: AskChannel,
  settings: AskSettings,
): Promise<Continuation> {
  const requests = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (requests.length > MAX_QUESTIONS) throw inVain(`it asked more than ${MAX_QUESTIONS} questions at once`);
  // Where one question has no answer, the others are of no use.
  const round = new Cancellation();
  cancellation.onCancel(() => round.cancel('the call was cancelled'));
  const answered = requests.map(
    async ([key, request]) => [key, await answer({ key, request }, round, ask, settings)] as const,
  );
  try {
    return {
      ...(requests.length === 0 ? {} : { inputResponses: Object.fromEntries(await Promise.all(answered)) }),
      ...(requestState === undefined ? {} : { requestState }),
    };
  } catch (failure) {
    round.cancel('another question has no answer');
    await Promise.allSettled(answered);
    if (cancellation.cancelled) throw new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled');
    throw failure;
  }
}

async function answer(
  { key, request }: { readonly key: string; readonly request: unknown },
  cancellation: Cancellation,
  ask: AskChannel,
  settings: AskSettings,
): Promise<JsonObject> {
  const { method, params } = isJsonObject(request) ? request : {};
  if (!isAskMethod(method)) throw inVain('it asked for what the protocol does not have');
  const question = { method, params: isJsonObject(params) ? params : {}, key };
  try {
    return await askClient(question, ask, cancellation, settings);
  } catch (failure) {
    const why = failure instanceof AskFailure ? failure : new AskFailure(ASK_ERROR.internal, 'Internal error');
    throw inVain(`it asked for ${describeQuestion(question)}, and got none: ${why.message}`);
  }
}

function inVain(message: string): UpstreamFault {
  return new UpstreamFault('input-required', message);
}

/** The first round of this call has reached the server, so that the call must not begin anew even if this round did not. */
function neverUnsent(error: unknown): unknown {
  const fault = findFault(error);
  if (fault?.undelivered !== true) return error;
  return new UpstreamFault(fault.kind === 'forgotten' ? 'lost' : fault.kind, fault.message, { cause: fault.cause });
}
