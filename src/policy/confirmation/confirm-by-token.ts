import type { Agreement, ConfirmationCase } from './confirmation-case.js';
import { confirmationRequired } from './confirmation-required.js';
import type { ConfirmationTokens } from './confirmation-tokens.js';

/** The caller agrees by sending back the token that came with the warning. Rejects with the question, or a TOKEN_* error. */
export async function confirmByToken(theCase: ConfirmationCase, tokens: ConfirmationTokens): Promise<Agreement> {
  const { request, ruling, scope } = theCase;
  const { caller, confirmation } = request;
  if (confirmation !== undefined) return { token: await tokens.redeem(confirmation, scope, caller), by: 'token' };
  const { danger, cooldownSeconds } = ruling;
  throw confirmationRequired(theCase, await tokens.issue({ scope, caller, danger, cooldownSeconds }));
}
