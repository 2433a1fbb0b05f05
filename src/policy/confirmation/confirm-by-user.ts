import { setTimeout as delay } from 'node:timers/promises';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import { type ConsentAnswer, InputRequired, type UserChannel } from '../../base/protocol/consent.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { type Agreement, type ConfirmationCase, consentRefused, contextOf, describeQuestion } from './question.js';
import type { ConfirmationTokens, IssuedToken } from './token-types.js';

/** Marks a token as a question to the client's user, which is never given to a model. */
const CONTEXT = { way: 'user' };

const REFUSALS: Readonly<Record<Exclude<ConsentAnswer, 'accept'>, string>> = {
  decline: 'the user declined',
  cancel: 'the user closed the question without an answer',
};

/**
 * Asks the client's user (MCP elicitation). The question has a token like any other, so that an answer counts once, for one
 * call, and expires.
 * Resolves with undefined when the client is unable to ask.
 */
export function confirmByUser(
  theCase: ConfirmationCase,
  user: UserChannel,
  tokens: ConfirmationTokens,
): Promise<Agreement | undefined> {
  return user.kind === 'live' ? askWhileWaiting(theCase, user, tokens) : askByRetry(theCase, user, tokens);
}

async function askWhileWaiting(
  theCase: ConfirmationCase,
  user: Extract<UserChannel, { kind: 'live' }>,
  tokens: ConfirmationTokens,
): Promise<Agreement | undefined> {
  const { cancellation } = theCase.request;
  const issued = await issueQuestion(theCase, tokens);
  const answer = await user.ask(describeQuestion(theCase), cancellation).catch(() => undefined);
  if (answer !== undefined) return settle(theCase, issued, answer, tokens);
  await tokens.discard(issued.token, theCase.request.caller);
  if (cancellation.cancelled) throw consentRefused(theCase, 'the call was cancelled before the user answered');
  return undefined;
}

async function askByRetry(
  theCase: ConfirmationCase,
  { returned }: Extract<UserChannel, { kind: 'retry' }>,
  tokens: ConfirmationTokens,
): Promise<Agreement> {
  if (returned === undefined) {
    const { token } = await issueQuestion(theCase, tokens);
    throw new InputRequired(describeQuestion(theCase), token);
  }
  const record = await tokens.inspect(returned.state, theCase.scope, theCase.request.caller);
  if (record.context['way'] !== CONTEXT.way) {
    throw new OperationError('TOKEN_INVALID', 'Confirmation token is invalid: it was not issued for this question', {});
  }
  return settle(theCase, { token: returned.state, record }, returned.answer, tokens);
}

function issueQuestion(
  { request, decision, scope, update }: ConfirmationCase,
  tokens: ConfirmationTokens,
): Promise<IssuedToken> {
  const { danger, cooldownSeconds } = decision;
  const context = { ...CONTEXT, ...contextOf(update) };
  return tokens.issue({ scope, caller: request.caller, danger, cooldownSeconds, context });
}

async function settle(
  theCase: ConfirmationCase,
  { token, record }: IssuedToken,
  answer: ConsentAnswer,
  tokens: ConfirmationTokens,
): Promise<Agreement> {
  const { scope, request } = theCase;
  if (answer !== 'accept') {
    await tokens.discard(token, request.caller);
    throw consentRefused(theCase, REFUSALS[answer], { answered: answer });
  }
  await waitUntil(record.notBefore, request.cancellation);
  if (request.cancellation.cancelled) throw consentRefused(theCase, 'the call was cancelled');
  return { token: await tokens.redeem(token, scope, request.caller), by: 'user' };
}

/** Waits for the end of a cooldown. Cancelling the call ends the wait, since a cooldown is time to reconsider. */
async function waitUntil(time: number, cancellation: Cancellation): Promise<void> {
  const remaining = time - Date.now();
  if (remaining <= 0) return;
  const abort = new AbortController();
  cancellation.onCancel(() => abort.abort());
  await delay(remaining, undefined, { signal: abort.signal }).catch(() => undefined);
}
