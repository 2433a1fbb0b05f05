import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../../base/json/canonical-json.js';
import type { Observer } from '../../base/observe/observation.js';
import { InputRequired } from '../../base/protocol/consent.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ApprovalsConfig } from '../../config/policy-config.js';
import type { ApprovalQueue } from '../approvals/approval-queue.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { ApproverView, Redactor, ShownArguments } from '../audit/redact.js';
import { type Confirm, type DecisionOutcome, decisionEvent, requireRecord } from '../rules/gatekeeper.js';
import type { AheadQuestion, Permit, PolicyDecision, PolicyRequest } from '../rules/policy-types.js';
import { confirmByOperator } from './confirm-by-operator.js';
import { confirmByUser } from './confirm-by-user.js';
import {
  type Agreement,
  type ConfirmationCase,
  caseOf,
  confirmationRequired,
  consentRefused,
  describeCase,
  describeToken,
  OUTDATED,
  showUpdate,
  wholeOf,
} from './question.js';
import { type ConfirmationTokens, type IssuedToken, keyOfScope, type Token } from './token-types.js';

export interface ConfirmDeps {
  readonly tokens: ConfirmationTokens;
  /** Absent where no operator can be asked. */
  readonly approvals: ApprovalQueue | undefined;
  readonly settings: Pick<ApprovalsConfig, 'elicitation' | 'mode' | 'waitSeconds' | 'expireSeconds'>;
  readonly audit: AuditTrail;
  readonly redact: Redactor;
  /** What approvers see of a call's arguments. */
  readonly view: ApproverView;
  readonly observe: Observer;
  /** Whether the configuration by which a call was asked about is in force still: a person may take minutes to answer. */
  readonly isInForce: () => boolean;
  /** Keeps a text that the caller can read for a while; its handle, or undefined where it cannot be kept. Absent where nothing is. */
  readonly keep?: KeepForCaller | undefined;
}

export type KeepForCaller = (
  text: string,
  whose: Pick<PolicyRequest, 'operation' | 'caller'>,
) => Promise<string | undefined>;

/** Gets agreement in the way that the decision requires, and records the outcome before the call runs. */
export function createConfirm(deps: ConfirmDeps): Confirm {
  const { audit, redact, observe, isInForce } = deps;
  return async (request, decision) => {
    const { theCase, shown } = await openCase(request, decision, deps);
    const record = (outcome: DecisionOutcome) =>
      audit.accept(decisionEvent(theCase.request, decision, { redact, audit }, outcome));
    const note = (outcome: 'asked' | 'given' | 'refused'): void => {
      const { qualifiedName: operation } = request.operation;
      observe({ kind: 'confirmation', operation, requires: decision.requires, outcome });
    };
    const agree = async (): Promise<GivenAgreement> => {
      const given = await agreeTo(theCase, () =>
        decision.requires === 'token' ? confirmByToken(theCase, shown, deps) : confirmByPerson(theCase, shown, deps),
      );
      if (isInForce()) return given;
      throw consentRefused(theCase, OUTDATED.reason, OUTDATED.details);
    };
    const agreed = await agree().catch(async (refusal: unknown) => {
      const described = describeRefusal(refusal);
      note(described.outcome === 'denied' ? 'refused' : 'asked');
      await record(described);
      throw refusal;
    });
    const { tokenId, by } = agreed;
    note('given');
    requireRecord(await record({ outcome: 'confirmed', token_id: tokenId, by }));
    return { outcome: 'confirmed', ...agreed };
  };
}

type GivenAgreement = Omit<Extract<Permit, { outcome: 'confirmed' }>, 'outcome'>;

/** The call as a question shows it. The rules before it, the copy and the digests each read what may be a megabyte: each has its turn. */
export async function openCase(
  request: PolicyRequest,
  decision: PolicyDecision,
  { view }: Pick<ConfirmDeps, 'view'>,
): Promise<{ readonly theCase: ConfirmationCase; readonly shown: ShownArguments }> {
  await nextTurn();
  const shown = view(request.operation, request.arguments);
  await nextTurn();
  const read = { ...request, canonical: canonicalJson(request.arguments) };
  return { theCase: caseOf(read, decision, shown.parameters), shown };
}

/** An answer that was given to this call and others together counts; else the call is asked about by itself. */
async function agreeTo(theCase: ConfirmationCase, ask: () => Promise<Agreement>): Promise<GivenAgreement> {
  const given = theCase.request.consent?.take(keyOfScope(theCase.scope));
  // A token is no person's agreement, whatever it was sent for.
  const isToken = given?.agreed === true && given.by === 'token';
  if (given === undefined || (isToken && theCase.decision.requires !== 'token')) {
    const { token, by } = await ask();
    const { changes } = token.context;
    return { tokenId: token.id, by, ...(typeof changes === 'string' && { changes }) };
  }
  if (!given.agreed) throw consentRefused(theCase, given.reason, given.details);
  const { tokenId, by } = given;
  return { tokenId, by };
}

/** Asks the client's user first, then an operator. A token that the caller sends back belongs to a request for approval. */
async function confirmByPerson(
  theCase: ConfirmationCase,
  shown: ShownArguments,
  deps: ConfirmDeps,
): Promise<Agreement> {
  const { tokens, approvals, settings, view } = deps;
  const { user, confirmation } = theCase.request;
  const asked = user !== undefined && settings.elicitation && confirmation === undefined ? user : undefined;
  if (asked === undefined && approvals === undefined) throw consentRefused(theCase, NOBODY_TO_ASK);
  const isAnswered = confirmation !== undefined || (asked?.kind === 'retry' && asked.returned !== undefined);
  const whole = isAnswered ? theCase : await withWhole(await withUpdate(theCase, view), shown, deps);
  if (asked !== undefined) {
    const agreement = await confirmByUser(whole, asked, tokens);
    if (agreement !== undefined) return agreement;
  }
  if (approvals !== undefined) return confirmByOperator(whole, shown, tokens, { queue: approvals, settings });
  throw consentRefused(theCase, NOBODY_TO_ASK);
}

const NOBODY_TO_ASK =
  'a person must agree to this, and there is no way to ask one: the client cannot ask its user, and no operator is configured';

/** With what a person is shown of what an update would change, as it is read now. */
async function withUpdate(theCase: ConfirmationCase, view: ApproverView): Promise<ConfirmationCase> {
  const { operation, preview } = theCase.request;
  if (preview === undefined) return theCase;
  const read = await preview();
  const shown = showUpdate(operation, read, view);
  return { ...theCase, update: { shown, ...(read.known && { changes: read.digest }) } };
}

/** With the way to all of it, where the question shows a part. */
async function withWhole(
  theCase: ConfirmationCase,
  shown: ShownArguments,
  { keep }: Pick<ConfirmDeps, 'keep'>,
): Promise<ConfirmationCase> {
  const text = keep && wholeOf(theCase, shown);
  const whole = text && (await keep(text, theCase.request).catch(() => undefined));
  return whole === undefined ? theCase : { ...theCase, whole };
}

/**
 * Asks about a call before its turn: issues the token of a question to the caller, and describes what a person will be asked.
 * Nothing is confirmed.
 */
export async function askAhead(
  request: PolicyRequest,
  decision: PolicyDecision,
  deps: ConfirmDeps,
): Promise<AheadQuestion> {
  const { tokens, audit, redact } = deps;
  const opened = await openCase(request, decision, deps);
  const theCase = await withWhole(opened.theCase, opened.shown, deps);
  if (decision.requires !== 'token') {
    return { details: { ...describeCase(theCase), requires: decision.requires }, keepsCall: false };
  }
  const issued = await issueToken(theCase, tokens);
  await audit.accept(
    decisionEvent(
      theCase.request,
      decision,
      { redact, audit },
      { outcome: 'confirmation_required', token_id: issued.record.id },
    ),
  );
  const { confirmation_token: _token, ...details } = describeToken(theCase, issued);
  return { details, token: issued.token, keepsCall: issued.record.keepsCall };
}

function describeRefusal(refusal: unknown): DecisionOutcome {
  if (refusal instanceof InputRequired) return { outcome: 'confirmation_required' };
  if (!(refusal instanceof OperationError)) return { outcome: 'denied', code: 'INTERNAL_ERROR' };
  const outcome = refusal.code === 'CONFIRMATION_REQUIRED' ? 'confirmation_required' : 'denied';
  return { outcome, code: refusal.code };
}

/** The caller agrees by sending back the token of the question. Rejects with the question, or a TOKEN_* error. */
async function confirmByToken(theCase: ConfirmationCase, shown: ShownArguments, deps: ConfirmDeps): Promise<Agreement> {
  const { tokens } = deps;
  const { request, scope } = theCase;
  const { caller, confirmation } = request;
  if (confirmation !== undefined) return { token: await tokens.redeem(confirmation, scope, caller), by: 'token' };
  throw confirmationRequired(await withWhole(theCase, shown, deps), await issueToken(theCase, tokens));
}

export function issueToken(
  { request, decision, scope }: ConfirmationCase,
  tokens: ConfirmationTokens,
  type?: Token['type'],
): Promise<IssuedToken> {
  const { caller, params } = request;
  const { danger, cooldownSeconds } = decision;
  return tokens.issue({ ...(type === undefined ? {} : { type }), scope, caller, danger, cooldownSeconds, params });
}
