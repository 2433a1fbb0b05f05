import type { JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Approval } from '../approvals/approval.js';
import type { ConfirmationCase, IssuedToken } from './confirmation-case.js';

/** The question to whoever called: send the token back if you mean it (companion document "confirmation tokens", 3.3). */
export function confirmationRequired(theCase: ConfirmationCase, issued: IssuedToken): OperationError {
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    'This operation requires confirmation. If it is really wanted, repeat the call with the same params and ' +
      "'_confirmation' set to details.confirmation_token",
    describeToken(theCase, issued),
  );
}

/** The same while an operator has not decided: the token is good for nothing until then. */
export function approvalPending(theCase: ConfirmationCase, issued: IssuedToken, approval: Approval): OperationError {
  const { id, status, expiresAt } = approval;
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    `This operation requires confirmation by a person. Request '${id}' waits for an operator; once it is approved, ` +
      "repeat the call with the same params and '_confirmation' set to details.confirmation_token",
    { ...describeToken(theCase, issued), approval: { id, status, expires_at: expiresAt } },
  );
}

function describeToken({ request, ruling, message }: ConfirmationCase, { token, record }: IssuedToken): JsonObject {
  const { danger } = request.operation.classification;
  return {
    operation: request.operation.name,
    danger_level: danger.level,
    reasons: ruling.reason === null ? danger.reasons : [...danger.reasons, ruling.reason],
    confirmation_message: message,
    confirmation_token: token,
    expires_at: new Date(record.expiresAt).toISOString(),
    requires: ruling.requires,
    ...(record.notBefore > record.issuedAt ? { not_before: new Date(record.notBefore).toISOString() } : {}),
  };
}

/** The refusal of a call that a person did not agree to. */
export function consentRefused(theCase: ConfirmationCase, reason: string, details: JsonObject = {}): OperationError {
  return new OperationError('PERMISSION_DENIED', `Permission denied: '${reason}'`, {
    operation: theCase.request.operation.name,
    reason,
    ...details,
  });
}
