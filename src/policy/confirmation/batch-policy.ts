import { InputRequired, type SharedAnswer, type SharedConsent, type UserChannel } from '../../base/protocol/consent.js';
import { dangerRank } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { ConfirmationConfig } from '../../config/policy-config.js';
import { decisionEvent } from '../rules/gatekeeper.js';
import type { BatchPolicy, JointConsent, PolicyDecision, PolicyRequest, RuleEngine } from '../rules/policy-types.js';
import { askAhead, type ConfirmDeps, issueToken, openCase } from './confirm.js';
import { confirmByUser } from './confirm-by-user.js';
import { type ConfirmationCase, describeToken, OUTDATED } from './question.js';
import { type IssuedToken, jointScope, keyOfScope, SEVERAL } from './token-types.js';
import { isJointToken } from './tokens.js';

/** What policy says about the calls of a batch before their turns come. */
export function createBatchPolicy(
  rules: Pick<RuleEngine, 'decide'>,
  deps: ConfirmDeps,
  mode: ConfirmationConfig['batch'],
): BatchPolicy {
  const decide = ({ operation, arguments: args, caller }: PolicyRequest) => rules.decide(operation, args, caller);
  return {
    confirmerOf(request) {
      const { effect, requires } = decide(request);
      return whenRuns(effect) === 'when agreed' && request.isDryRun !== true ? requires : undefined;
    },
    async askAhead(request) {
      const decision = decide(request);
      const mayAsk = whenRuns(decision.effect) === 'when agreed' && request.isDryRun !== true;
      return mayAsk ? askAhead(request, decision, deps) : undefined;
    },
    ...(mode === 'together' ? { joint: createJointConsent(decide, deps) } : {}),
  };
}

type Decide = (request: PolicyRequest) => PolicyDecision;

/** Several calls as one case: its question shows all of them, and its scope is all of them in their order. */
interface JointCase extends ConfirmationCase {
  readonly cases: readonly ConfirmationCase[];
}

function createJointConsent(decide: Decide, deps: ConfirmDeps): JointConsent {
  const { tokens, settings, audit, redact } = deps;
  const recordAsked = async ({ cases }: JointCase, tokenId?: string): Promise<void> => {
    const outcome = {
      outcome: 'confirmation_required',
      ...(tokenId === undefined ? {} : { token_id: tokenId }),
    } as const;
    for (const { request, decision } of cases) {
      await audit.accept(decisionEvent(request, decision, { redact, audit }, outcome));
    }
  };
  return {
    isJointToken,
    recall: (token, caller) => tokens.recall(token, { operation: SEVERAL, label: 'a batch' }, caller),
    async askCaller(requests, instead) {
      const theCase = await openJointCase(requests, decide, deps);
      const { caller } = theCase.request;
      const issued = await issueToken(theCase, tokens, 'joint');
      await tokens.discard(instead, caller);
      await recordAsked(theCase, issued.record.id);
      return jointlyRequired(theCase, issued);
    },
    async redeem(token, requests) {
      const theCase = await openJointCase(requests, decide, deps);
      const { id } = await tokens.redeem(token, theCase.scope, theCase.request.caller);
      return createSharedConsent(theCase, { agreed: true, tokenId: id, by: 'token' }, deps);
    },
    async askUser(requests, user) {
      if (!settings.elicitation) return undefined;
      const theCase = await openJointCase(requests, decide, deps);
      const answer = await askUserAbout(theCase, user, deps).catch(async (thrown: unknown) => {
        if (thrown instanceof InputRequired) await recordAsked(theCase);
        throw thrown;
      });
      return answer === undefined ? undefined : createSharedConsent(theCase, answer, deps);
    },
  };
}

async function openJointCase(
  requests: readonly PolicyRequest[],
  decide: Decide,
  deps: ConfirmDeps,
): Promise<JointCase> {
  const cases: ConfirmationCase[] = [];
  for (const request of requests) cases.push((await openCase(request, decide(request), deps)).theCase);
  const [first] = cases;
  if (first === undefined) throw new Error('there is nothing to agree to');
  const decisions = cases.map(({ decision }) => decision);
  const worst = decisions.reduce((one, other) => (dangerRank(other.danger) > dangerRank(one.danger) ? other : one));
  const list = cases.map(({ message }, index) => `${index + 1}. ${message}`);
  return {
    cases,
    request: first.request,
    decision: { ...worst, cooldownSeconds: Math.max(...decisions.map(({ cooldownSeconds }) => cooldownSeconds)) },
    scope: jointScope(cases.map(({ scope }) => scope)),
    message: `Run these ${cases.length} operations of one batch, in this order?\n${list.join('\n')}`,
    reasons: [...new Set(cases.flatMap(({ reasons }) => reasons))],
  };
}

/** Undefined where the client is unable to ask. What the user does not agree to is an answer too. */
async function askUserAbout(
  theCase: JointCase,
  user: UserChannel,
  { tokens }: ConfirmDeps,
): Promise<SharedAnswer | undefined> {
  try {
    const agreement = await confirmByUser(theCase, user, tokens);
    return agreement && { agreed: true, tokenId: agreement.token.id, by: agreement.by };
  } catch (thrown) {
    if (!(thrown instanceof OperationError) || thrown.code !== 'PERMISSION_DENIED') throw thrown;
    const { operation: _operation, reason, ...details } = thrown.details;
    return { agreed: false, reason: typeof reason === 'string' ? reason : thrown.message, details };
  }
}

/** Each call takes its part once: a call that stands in the question twice may run twice. What was agreed to ends with its configuration. */
function createSharedConsent(
  { cases }: JointCase,
  answer: SharedAnswer,
  { isInForce }: Pick<ConfirmDeps, 'isInForce'>,
): SharedConsent {
  const left = cases.map(({ scope }) => keyOfScope(scope));
  return {
    take(call) {
      const at = left.indexOf(call);
      if (at < 0) return undefined;
      left.splice(at, 1);
      return isInForce() ? answer : { agreed: false, ...OUTDATED };
    },
  };
}

function jointlyRequired(theCase: JointCase, issued: IssuedToken): OperationError {
  const names = theCase.cases.map(({ request }) => request.operation.name);
  const first = issued.record.keepsCall
    ? 'this operation with params {"_confirmation": details.confirmation_token} alone'
    : "this operation with the same params and '_confirmation' set to details.confirmation_token";
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    `These ${names.length} operations require confirmation, and one token is for all of them. If all are really wanted, send a batch of ${first}, then 'pending_operations' as they are. Of the operations which need confirmation, exactly these will run, in this order`,
    { ...describeToken(theCase, issued), operations: names },
  );
}
