import { digest } from '../../base/json/canonical-json.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ApprovalsConfig } from '../../config/policy-config.js';
import type { Approval, ApprovalQueue } from '../approvals/approval-queue.js';
import type { ShownArguments } from '../audit/redact.js';
import { ownerOf } from '../rules/caller-key.js';
import { type Agreement, approvalPending, type ConfirmationCase, consentRefused, contextOf } from './question.js';
import type { ConfirmationTokens, IssuedToken } from './token-types.js';

interface OperatorApprovals {
  readonly queue: ApprovalQueue;
  readonly settings: Pick<ApprovalsConfig, 'mode' | 'waitSeconds' | 'expireSeconds'>;
}

/**
 * An operator agrees, at the command line, the HTTP API or the page. The token that the caller holds identifies the request and
 * cannot be used before the request is approved: a token that is sent back does not prove that a person agreed.
 */
export async function confirmByOperator(
  theCase: ConfirmationCase,
  shown: ShownArguments,
  tokens: ConfirmationTokens,
  service: OperatorApprovals,
): Promise<Agreement> {
  const { request, scope } = theCase;
  const { confirmation, caller } = request;
  const issued: IssuedToken =
    confirmation === undefined
      ? await fileRequest(theCase, shown, tokens, service)
      : { token: confirmation, record: await tokens.inspect(confirmation, scope, caller) };
  const { approval: id } = issued.record;
  if (id === null) {
    throw new OperationError(
      'TOKEN_INVALID',
      'Confirmation token is invalid: it belongs to no request for approval. Call again without it',
      {},
    );
  }
  return settle(theCase, issued, await awaitDecision(id, theCase, service), tokens, service.queue);
}

async function fileRequest(
  { request: policyRequest, decision, scope, message, update }: ConfirmationCase,
  shown: ShownArguments,
  tokens: ConfirmationTokens,
  { queue, settings }: OperatorApprovals,
): Promise<IssuedToken> {
  const { operation, caller, params } = policyRequest;
  const { category, danger } = operation.classification;
  // Of equal calls that would change different things each needs a request of its own.
  const context = contextOf(update);
  const key = digest([ownerOf(caller), scope.operation, scope.definition, scope.parameters, context]);
  const request = {
    operation: operation.qualifiedName,
    upstream: operation.upstream,
    category,
    danger: danger.level,
    reasons: decision.reason === null ? danger.reasons : [...danger.reasons, decision.reason],
    message,
    ...shown,
    ...(category === 'UPDATE' && { fields: fieldsOf(operation) }),
    ...(update && { update: update.shown }),
    requester: {
      client: caller.client ?? null,
      ...(caller.user === undefined ? {} : { user: caller.user }),
      clientName: caller.clientName,
      session: caller.sessionId,
      request: caller.requestId,
    },
    rule: decision.rule,
  };
  const approval = await queue.request(request, key);
  return tokens.issue({
    scope,
    caller,
    danger: decision.danger,
    cooldownSeconds: decision.cooldownSeconds,
    lifetimeSeconds: settings.expireSeconds,
    approval: approval.id,
    context,
    params,
  });
}

function fieldsOf({ parameters }: Operation): readonly string[] {
  return parameters.filter(({ place }) => place === 'input').map(({ upstreamName }) => upstreamName);
}

function awaitDecision(
  id: string,
  { request }: ConfirmationCase,
  { queue, settings }: OperatorApprovals,
): Promise<Approval | undefined> {
  return settings.mode === 'wait'
    ? queue.waitForDecision(id, settings.waitSeconds * 1_000, request.cancellation)
    : queue.find(id);
}

async function settle(
  theCase: ConfirmationCase,
  issued: IssuedToken,
  approval: Approval | undefined,
  tokens: ConfirmationTokens,
  queue: ApprovalQueue,
): Promise<Agreement> {
  const { request, scope } = theCase;
  if (approval?.status === 'pending') throw approvalPending(theCase, issued, approval);
  if (approval?.status === 'approved') {
    const token = await tokens.redeem(issued.token, scope, request.caller);
    if (await queue.claim(approval.id)) return { token, by: approval.decision?.by ?? 'operator' };
    throw consentRefused(
      theCase,
      'an equal call has used this approval, which is for one call: call again to ask for another',
      {
        approval: approval.id,
      },
    );
  }
  await tokens.discard(issued.token, request.caller);
  if (approval?.status !== 'denied') throw consentRefused(theCase, 'no operator decided in time');
  const why = approval.decision?.reason ?? null;
  throw consentRefused(
    theCase,
    why === null ? 'an operator denied the request' : `an operator denied the request: ${why}`,
    {
      approval: approval.id,
    },
  );
}
