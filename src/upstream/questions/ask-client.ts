import type { JsonObject } from '../../base/json/json.js';
import { type AskChannel, AskFailure, type AskMethod, type Question } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/call.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import type { CallLog } from '../../base/protocol/log-message.js';
import { type Asker, type AskOutcome, prepareQuestion, readAnswer } from './prepare-question.js';

/** A question that a server has asked, for records. */
export interface AskedQuestion {
  readonly method: AskMethod;
  readonly outcome: AskOutcome;
  /** Absent where the question could not be matched to a call. */
  readonly caller?: Caller;
}

/** The server that asks, and what is done with its questions. */
export interface AskSettings {
  readonly asker: Asker;
  /** Takes the gateway's own credentials out of what a server asks. */
  readonly mask: (params: JsonObject) => JsonObject;
  readonly onAsked: (asked: AskedQuestion) => void;
  /** Where log messages go that belong to no call, on a connection that has one owner. */
  readonly ownerLog?: (() => CallLog | undefined) | undefined;
}

/** Keys are the server's text, and mean nothing to anyone else. */
const PLAIN_KEY = /^[\w.-]{1,64}$/;

/**
 * Asks the client of a call what its server asks. Each question is recorded once.
 * @throws AskFailure where it may not be asked or has no answer
 */
export async function askClient(
  question: Question,
  ask: AskChannel,
  cancellation: Cancellation,
  { asker, mask, onAsked }: AskSettings,
): Promise<JsonObject> {
  const { method, params, key } = question;
  const { caller } = ask;
  let prepared: Question;
  try {
    prepared = prepareQuestion({ method, params: mask(params) }, ask.abilities, asker);
    if (key !== undefined && PLAIN_KEY.test(key)) prepared = { ...prepared, key };
  } catch (refusal) {
    onAsked({ method, outcome: 'refused', caller });
    throw refusal;
  }
  try {
    const { result, outcome } = readAnswer(method, await ask.ask(prepared, cancellation));
    onAsked({ method, outcome, caller });
    return result;
  } catch (failure) {
    onAsked({ method, outcome: 'failed', caller });
    throw failure;
  }
}

/** A failure that is no `AskFailure` is a defect of the gateway, and its text is not for servers. */
export function toAskError(failure: unknown): { readonly code: number; readonly message: string } {
  if (failure instanceof AskFailure) return { code: failure.code, message: failure.message };
  return { code: -32603, message: 'Internal error' };
}
