import type { AuditTrail } from '../../audit/audit-trail.js';
import type { ApproverView, Redactor, ShownArguments } from '../../audit/redact.js';
import type { ApprovalsConfig } from '../../config/gateway-config.js';
import { runInTurns, turns } from '../../lib/turns.js';
import { InputRequired } from '../../protocol/consent.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { ApprovalQueue } from '../approvals/approval-queue.js';
import { type Confirm, type DecisionOutcome, decisionEvent, requireRecord } from '../gatekeeper.js';
import { confirmByOperator } from './confirm-by-operator.js';
import { confirmByUser } from './confirm-by-user.js';
import {
  type Agreement,
  type ConfirmationCase,
  confirmationRequired,
  consentRefused,
  describeConsent,
} from './question.js';
import { type ConfirmationTokens, scopeOf } from './token-types.js';

interface ConfirmDeps {
  readonly tokens: ConfirmationTokens;
  /** Absent where no operator can be asked. */
  readonly approvals: ApprovalQueue | undefined;
  readonly settings: Pick<ApprovalsConfig, 'elicitation' | 'mode' | 'waitSeconds' | 'expireSeconds'>;
  readonly audit: AuditTrail;
  readonly redact: Redactor;
  /** What approvers see of a call's arguments. */
  readonly view: ApproverView;
}

/** Gets agreement in the way that the decision requires, and records the outcome before the call runs. */
export function createConfirm(deps: ConfirmDeps): Confirm {
  const { tokens, audit, redact, view } = deps;
  return async (request, decision) => {
    const { operation, caller } = request;
    const shown = await runInTurns(view(operation, request.arguments), caller.sessionId);
    // Large arguments are copied, digested and recorded, which takes a turn each.
    await turns.enter(caller.sessionId);
    const theCase: ConfirmationCase = {
      request,
      decision,
      scope: scopeOf(operation, request.arguments),
      message: describeConsent(operation, shown.parameters),
    };
    const record = (outcome: DecisionOutcome) =>
      audit.accept(decisionEvent(request, decision, { redact, audit }, outcome));
    await turns.enter(caller.sessionId);
    const agreement =
      decision.requires === 'token' ? confirmByToken(theCase, tokens) : confirmByPerson(theCase, shown, deps);
    const { token, by } = await agreement.catch(async (refusal: unknown) => {
      await record(describeRefusal(refusal));
      throw refusal;
    });
    requireRecord(await record({ outcome: 'confirmed', token_id: token.id, by }));
    return { outcome: 'confirmed', tokenId: token.id, by };
  };
}

/** Asks the client's user first, then an operator. A token that the caller sends back belongs to a request for approval. */
async function confirmByPerson(
  theCase: ConfirmationCase,
  shown: ShownArguments,
  { tokens, approvals, settings }: ConfirmDeps,
): Promise<Agreement> {
  const { user, confirmation } = theCase.request;
  if (user !== undefined && settings.elicitation && confirmation === undefined) {
    const agreement = await confirmByUser(theCase, user, tokens);
    if (agreement !== undefined) return agreement;
  }
  if (approvals !== undefined) return confirmByOperator(theCase, shown, tokens, { queue: approvals, settings });
  throw consentRefused(
    theCase,
    'a person must agree to this, and there is no way to ask one: the client cannot ask its user, and no operator is configured',
  );
}

function describeRefusal(refusal: unknown): DecisionOutcome {
  if (refusal instanceof InputRequired) return { outcome: 'confirmation_required' };
  if (!(refusal instanceof OperationError)) return { outcome: 'denied', code: 'INTERNAL_ERROR' };
  const outcome = refusal.code === 'CONFIRMATION_REQUIRED' ? 'confirmation_required' : 'denied';
  return { outcome, code: refusal.code };
}

/** The caller agrees by sending back the token of the question. Rejects with the question, or a TOKEN_* error. */
async function confirmByToken(theCase: ConfirmationCase, tokens: ConfirmationTokens): Promise<Agreement> {
  const { request, decision, scope } = theCase;
  const { caller, confirmation, params } = request;
  if (confirmation !== undefined) return { token: await tokens.redeem(confirmation, scope, caller), by: 'token' };
  const { danger, cooldownSeconds } = decision;
  throw confirmationRequired(theCase, await tokens.issue({ scope, caller, danger, cooldownSeconds, params }));
}
