import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import {
  type ConsentAnswer,
  InputRequired,
  type SharedConsent,
  type UserChannel,
} from '../../../../src/base/protocol/consent.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { UpdatePreview } from '../../../../src/base/protocol/update-preview.js';
import { createApprovalQueue } from '../../../../src/policy/approvals/approval-queue.js';
import { type AuditEvent, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { createConfirm } from '../../../../src/policy/confirmation/confirm.js';
import { UsedTokens } from '../../../../src/policy/confirmation/kept-calls.js';
import { createConfirmationTokens } from '../../../../src/policy/confirmation/tokens.js';
import type { PolicyDecision, PolicyRequest } from '../../../../src/policy/rules/policy-types.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { anOperation } from '../../../support/an-operation.js';

const OPERATION = anOperation({ name: 'delete_repo' });

const agreed = (by: string): SharedConsent => ({ take: () => ({ agreed: true, tokenId: 'joint', by }) });

const DECISION: PolicyDecision = {
  effect: 'confirm',
  requires: 'human',
  cooldownSeconds: 0,
  rule: 'people',
  by: 'rule',
  reason: null,
  danger: 'destructive',
  trust: 'validated',
};

interface Settings {
  readonly elicitation?: boolean;
  readonly operator?: boolean;
  readonly mode?: 'retry' | 'wait';
  /** Whether the configuration is the one that asked. */
  readonly isInForce?: () => boolean;
}

function createService({ elicitation = true, operator = true, mode = 'retry', isInForce = () => true }: Settings = {}) {
  const store = new MemoryStore(Date.now);
  const events: AuditEvent[] = [];
  const audit = {
    ...noAuditTrail,
    record: (event: AuditEvent) => void events.push(event),
    accept: (event: AuditEvent) => events.push(event) > 0,
  };
  const config = {
    ttlSeconds: { destructive: 300, dangerous: 300, forbidden: 120 },
    clockSkewSeconds: 30,
    maxIssuedPerMinute: 100,
    // A dropped question is not a failure of the caller, so a limit of one failure is never reached.
    maxFailuresPerMinute: 1,
  };
  const tokens = createConfirmationTokens({ store, audit, config, configuration: 'c', used: new UsedTokens() });
  const queue = createApprovalQueue({
    store,
    audit,
    config: { expireSeconds: 900, maxPending: 200, maxPendingPerClient: 20 },
  });
  const confirm = createConfirm({
    tokens,
    approvals: operator ? queue : undefined,
    settings: { elicitation, mode, waitSeconds: 60, expireSeconds: 900 },
    audit,
    redact: (_operation, args) => args,
    observe: () => undefined,
    isInForce,
    view: (_operation, parameters) => ({ parameters }),
  });
  const ask = (changes: Partial<PolicyRequest> = {}, decision: Partial<PolicyDecision> = {}) =>
    confirm(
      {
        operation: OPERATION,
        arguments: { repo: 'demo' },
        caller: { sessionId: 's', clientName: 'editor', transport: 'http' },
        cancellation: new Cancellation(),
        ...changes,
      },
      { ...DECISION, ...decision },
    );
  const refusalOf = (changes: Partial<PolicyRequest> = {}): Promise<OperationError> =>
    ask(changes).then(
      () => {
        throw new Error('it was let through');
      },
      (error: OperationError) => error,
    );
  const outcomes = () => events.flatMap((event) => (event.type === 'decision' ? [event.outcome] : []));
  return { ask, refusalOf, queue, events, outcomes };
}

const live = (answer: ConsentAnswer | Error): UserChannel => ({
  kind: 'live',
  ask: async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  },
});

const tokenOf = ({ details }: OperationError): string => String(details['confirmation_token']);
const approvalOf = ({ details }: OperationError): string => (details['approval'] as { id: string }).id;

describe('a user who is asked while the call waits', () => {
  it('permits the call, which is recorded', async () => {
    const { ask, events, outcomes } = createService();
    await expect(ask({ user: live('accept') })).resolves.toMatchObject({ outcome: 'confirmed', by: 'user' });
    expect(outcomes()).toEqual(['confirmed']);
    expect(events.map(({ type }) => type)).toEqual(['token', 'token', 'decision']);
  });

  it.each(['decline', 'cancel'] as const)('refuses the call with %s, any number of times', async (answer) => {
    const { refusalOf, outcomes } = createService();
    for (const _ of [1, 2, 3]) {
      expect(await refusalOf({ user: live(answer) })).toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    expect(outcomes()).toEqual(['denied', 'denied', 'denied']);
  });

  it('is replaced by an operator where the client is unable to ask', async () => {
    const { refusalOf, queue } = createService();
    const refusal = await refusalOf({ user: live(new Error('no window')) });
    expect(refusal).toMatchObject({ code: 'CONFIRMATION_REQUIRED', details: { requires: 'human' } });
    expect(await queue.list('pending')).toHaveLength(1);
  });

  it('is not replaced by an operator for a cancelled call', async () => {
    const { refusalOf, queue } = createService();
    const cancellation = new Cancellation();
    const user: UserChannel = {
      kind: 'live',
      ask: () => {
        cancellation.cancel('gone');
        return Promise.reject(new Error('gone'));
      },
    };
    expect(await refusalOf({ user, cancellation })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await queue.list()).toEqual([]);
  });

  it('is not asked where elicitation is disabled', async () => {
    const { refusalOf } = createService({ elicitation: false });
    expect(await refusalOf({ user: live('accept') })).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  });
});

describe('a user who is asked between two calls', () => {
  const question = async (service: ReturnType<typeof createService>, changes: Partial<PolicyRequest> = {}) => {
    const asked = await service.ask({ user: { kind: 'retry' }, ...changes }).catch((error: unknown) => error);
    expect(asked).toBeInstanceOf(InputRequired);
    return (asked as InputRequired).state;
  };
  const returned = (state: string, answer: ConsentAnswer): UserChannel => ({
    kind: 'retry',
    returned: { state, answer },
  });

  it('permits the second call, once', async () => {
    const service = createService();
    const state = await question(service);
    await expect(service.ask({ user: returned(state, 'accept') })).resolves.toMatchObject({ by: 'user' });
    expect(await service.refusalOf({ user: returned(state, 'accept') })).toMatchObject({ code: 'TOKEN_ALREADY_USED' });
    expect(service.outcomes()).toEqual(['confirmation_required', 'confirmed', 'denied']);
  });

  it('answers for this call only', async () => {
    const service = createService();
    const state = await question(service);
    const other = { arguments: { repo: 'other' }, user: returned(state, 'accept') };
    expect(await service.refusalOf(other)).toMatchObject({ code: 'TOKEN_SCOPE_MISMATCH' });
  });

  it('cannot be replaced by sending the state as a token', async () => {
    const service = createService();
    const state = await question(service);
    expect(await service.refusalOf({ confirmation: state })).toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it("cannot be replaced by sending an operator's token as the state", async () => {
    const service = createService();
    const token = tokenOf(await service.refusalOf());
    expect(await service.refusalOf({ user: returned(token, 'accept') })).toMatchObject({ code: 'TOKEN_INVALID' });
  });
});

describe('an operator', () => {
  it('who approves permits the repeated call, once', async () => {
    const { ask, refusalOf, queue } = createService();
    const asked = await refusalOf();
    const confirmation = tokenOf(asked);
    expect(await refusalOf({ confirmation })).toMatchObject({ details: { approval: { status: 'pending' } } });
    await queue.decide(approvalOf(asked), 'approved', { name: 'omar', way: 'cli' });
    await expect(ask({ confirmation })).resolves.toMatchObject({ by: 'omar' });
    expect(await refusalOf({ confirmation })).toMatchObject({ code: 'TOKEN_ALREADY_USED' });
  });

  it('who denies voids the token, with the reason', async () => {
    const { refusalOf, queue } = createService();
    const asked = await refusalOf();
    await queue.decide(approvalOf(asked), 'denied', { name: 'omar', way: 'cli' }, 'no');
    const confirmation = tokenOf(asked);
    expect(await refusalOf({ confirmation })).toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { reason: 'an operator denied the request: no' },
    });
    expect(await refusalOf({ confirmation })).toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it('is waited for by the call in the mode wait', async () => {
    const { ask, queue } = createService({ mode: 'wait' });
    const waiting = ask();
    let pending = await queue.list('pending');
    while (pending.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      pending = await queue.list('pending');
    }
    await queue.decide(pending[0]?.id ?? '', 'approved', { name: 'omar', way: 'http' });
    await expect(waiting).resolves.toMatchObject({ by: 'omar' });
  });

  it('who cannot be reached leads to a refusal where the client cannot ask its user', async () => {
    const { refusalOf, outcomes } = createService({ operator: false });
    expect(await refusalOf()).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(outcomes()).toEqual(['denied']);
  });
});

describe('a call that needs no more than a token', () => {
  it('is confirmed without a person', async () => {
    const { ask } = createService({ operator: false });
    const asked = await ask({}, { requires: 'token' }).catch((error: OperationError) => error);
    const confirmation = tokenOf(asked as OperationError);
    await expect(ask({ confirmation }, { requires: 'token' })).resolves.toMatchObject({ by: 'token' });
  });
});

describe('an answer that was given to several calls together', () => {
  it('counts in the way that it was given: a token agrees for no person', async () => {
    const { ask } = createService({ operator: false });
    expect(await ask({ consent: agreed('user') })).toEqual({ outcome: 'confirmed', tokenId: 'joint', by: 'user' });
    expect(await ask({ consent: agreed('token') }, { requires: 'token' })).toMatchObject({ by: 'token' });
    await expect(ask({ consent: agreed('token') })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('refuses what was not agreed to, and is no question about any other call', async () => {
    const { ask } = createService();
    const declined = { agreed: false, reason: 'the user declined', details: { answered: 'decline' } } as const;
    await expect(ask({ consent: { take: () => declined } }, { requires: 'token' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { answered: 'decline' },
    });
    await expect(ask({ consent: { take: () => undefined } }, { requires: 'token' })).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
  });
});

describe('an update that merges', () => {
  const previewed = (title: string): UpdatePreview => ({
    known: true,
    read: 'get_record',
    before: { title },
    after: { title: 'New' },
    changes: [{ path: ['title'], before: title, after: 'New' }],
    digest: `from ${title}`,
  });

  it('is shown to an operator with what it changes, and the agreement is for that alone', async () => {
    const { ask, refusalOf, queue } = createService();
    let reads = 0;
    const preview = async (): Promise<UpdatePreview> => {
      reads += 1;
      return previewed('Old');
    };
    const asked = await refusalOf({ preview });
    const found = await queue.find(approvalOf(asked));
    expect(found?.update).toMatchObject({ changes: [{ field: 'title', before: 'Old', after: 'New' }] });
    expect(await queue.list()).not.toContainEqual(expect.objectContaining({ update: expect.anything() }));
    await queue.decide(approvalOf(asked), 'approved', { name: 'omar', way: 'http' });
    const permit = await ask({ preview, confirmation: tokenOf(asked) });
    expect(permit).toMatchObject({ by: 'omar', changes: 'from Old' });
    expect(reads).toBe(1);
  });

  it('has a request of its own where it would change something else', async () => {
    const { refusalOf } = createService();
    const [first, equal, other] = [
      await refusalOf({ preview: async () => previewed('Old') }),
      await refusalOf({ preview: async () => previewed('Old') }),
      await refusalOf({ preview: async () => previewed('Older') }),
    ];
    expect(approvalOf(equal)).toBe(approvalOf(first));
    expect(approvalOf(other)).not.toBe(approvalOf(first));
  });

  it('can be agreed to without its present state, and then for any', async () => {
    const { ask, refusalOf, queue } = createService();
    const preview = async (): Promise<UpdatePreview> => ({ known: false, why: 'it is asleep' });
    const asked = await refusalOf({ preview });
    expect((await queue.find(approvalOf(asked)))?.update).toEqual({ known: false, why: 'it is asleep' });
    await queue.decide(approvalOf(asked), 'approved', { name: 'omar', way: 'http' });
    expect(await ask({ preview, confirmation: tokenOf(asked) })).not.toHaveProperty('changes');
  });

  it('is refused before anyone is asked where nobody could agree to it', async () => {
    const { refusalOf, queue } = createService();
    const conflict = new OperationError('CONFLICT_VERSION_MISMATCH', 'changed', {});
    expect(await refusalOf({ preview: () => Promise.reject(conflict) })).toBe(conflict);
    expect(await queue.list()).toEqual([]);
  });

  it('is not read for a token, nor where nobody can be asked', async () => {
    const preview = () => Promise.reject(new Error('it was read'));
    const { ask } = createService();
    await expect(ask({ preview }, { requires: 'token' })).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    const alone = createService({ operator: false, elicitation: false });
    expect(await alone.refusalOf({ preview })).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('is shown to the client’s user, live and between two calls', async () => {
    const { ask } = createService();
    const questions: string[] = [];
    const user: UserChannel = {
      kind: 'live',
      ask: async (question) => {
        questions.push(question);
        return 'accept';
      },
    };
    const preview = async () => previewed('Old');
    expect(await ask({ user, preview })).toMatchObject({ by: 'user', changes: 'from Old' });
    expect(questions[0]).toContain("It would change title from 'Old' to 'New'.");
    const asked = await ask({ user: { kind: 'retry' }, preview }).catch((thrown: InputRequired) => thrown);
    if (!(asked instanceof InputRequired)) throw new Error('it did not ask');
    expect(asked.question).toContain("It would change title from 'Old' to 'New'.");
    const returned = { state: asked.state, answer: 'accept' } as const;
    const again = () => Promise.reject(new Error('it was read again'));
    expect(await ask({ user: { kind: 'retry', returned }, preview: again })).toMatchObject({ changes: 'from Old' });
  });
});

describe('an answer that comes in the moment of a reload', () => {
  const OUTDATED = { retryable: true, outcome: 'not_run' };

  it('is told to the holder of a token as a token that a new question replaces, not as a no', async () => {
    let inForce = true;
    const { ask, refusalOf } = createService({ isInForce: () => inForce });
    const asked = await ask({}, { requires: 'token' }).catch((error: OperationError) => error);
    inForce = false;
    const confirmation = tokenOf(asked as OperationError);
    const refusal = await ask({ confirmation }, { requires: 'token' }).catch((error: OperationError) => error);
    expect(refusal).toMatchObject({ code: 'TOKEN_INVALID', details: OUTDATED });
    expect(String(refusal)).toMatch(
      /Nothing has run: .*configuration has changed.*'delete_repo' again without a token/,
    );
    inForce = true;
    expect(await refusalOf()).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  });

  it('is told to a user as one that may be asked for again', async () => {
    const { refusalOf } = createService({ isInForce: () => false });
    const refusal = await refusalOf({ user: live('accept') });
    expect(refusal).toMatchObject({ code: 'PERMISSION_DENIED', details: OUTDATED });
    expect(refusal.message).toContain('Nothing has run');
  });
});
