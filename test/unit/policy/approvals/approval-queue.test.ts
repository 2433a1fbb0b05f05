import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import {
  type Approver,
  createApprovalId,
  type DecisionFault,
  readApprovalId,
} from '../../../../src/policy/approvals/approval-queue.js';
import {
  type ApprovalBench,
  aRequest,
  createApprovalBench,
  fromSession,
  LIFETIME,
  OPERATOR,
  START,
} from './approval-bench.js';

const UNKNOWN_ID = 'ap_0000000000';

function lapse(bench: ApprovalBench): void {
  bench.time = START + LIFETIME * 1_000;
}

describe('a request for approval', () => {
  it('is pending, notified and recorded', async () => {
    const bench = createApprovalBench();
    const approval = await bench.queue.request(aRequest());
    expect(approval).toEqual({
      ...aRequest(),
      id: expect.stringMatching(/^ap_[0-9a-z]{10}$/),
      status: 'pending',
      requestedAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-01T12:15:00.000Z',
      decision: null,
    });
    expect(await bench.queue.find(approval.id)).toEqual(approval);
    expect(await bench.queue.find(` ${approval.id.toUpperCase()} `)).toEqual(approval);
    expect(bench.notified).toEqual([approval]);
    expect(bench.events).toEqual([
      {
        type: 'approval',
        event: 'requested',
        approval: approval.id,
        operation: 'github__delete_repository',
        actor: { session: 'session-1', client_name: 'editor', client: 'ci' },
      },
    ]);
  });

  it('is recorded with the request of its call, and so is what was decided', async () => {
    const bench = createApprovalBench();
    const requester = { client: 'ci', clientName: 'editor', session: 'session-1', request: 'a1b2' };
    const { id } = await bench.queue.request(aRequest({ requester }));
    await bench.queue.decide(id, 'approved', OPERATOR);
    expect(bench.events.map((event) => ('actor' in event ? event.actor.request : undefined))).toEqual(['a1b2', 'a1b2']);
  });

  it('expires, and can be read for an hour more', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    bench.time = START + LIFETIME * 1_000 - 1;
    expect(await bench.queue.find(id)).toMatchObject({ status: 'pending' });
    bench.time += 1;
    expect(await bench.queue.find(id)).toMatchObject({ status: 'expired', decision: null });
    bench.time += 3_599_999;
    expect(await bench.queue.find(id)).toMatchObject({ status: 'expired' });
    bench.time += 1;
    expect(await bench.queue.find(id)).toBeUndefined();
  });

  it('is listed with the others, by status', async () => {
    const bench = createApprovalBench();
    const [old, denied, approved] = [
      await bench.queue.request(aRequest()),
      await bench.queue.request(aRequest()),
      await bench.queue.request(aRequest()),
    ];
    await bench.queue.decide(denied.id, 'denied', OPERATOR);
    await bench.queue.decide(approved.id, 'approved', OPERATOR);
    lapse(bench);
    const fresh = await bench.queue.request(aRequest());
    const listed = async (...status: Parameters<typeof bench.queue.list>): Promise<readonly string[]> =>
      (await bench.queue.list(...status)).map(({ id }) => id);
    expect(await listed('pending')).toEqual([fresh.id]);
    expect(await listed('denied')).toEqual([denied.id]);
    expect(await listed('approved')).toEqual([approved.id]);
    expect(await listed('expired')).toEqual([old.id]);
    expect(new Set(await listed())).toEqual(new Set([fresh.id, denied.id, approved.id, old.id]));
  });
});

describe('a decision on a request', () => {
  it.each(['approved', 'denied'] as const)('is stored and recorded as %s', async (verdict) => {
    const bench = createApprovalBench();
    const approval = await bench.queue.request(aRequest());
    bench.time += 5_000;
    const decided = {
      ...approval,
      status: verdict,
      decision: { by: 'alice', at: '2026-03-01T12:00:05.000Z', reason: 'checked' },
    };
    expect(await bench.queue.decide(approval.id, verdict, OPERATOR, 'checked')).toEqual({
      ok: true,
      approval: decided,
    });
    lapse(bench);
    expect(await bench.queue.find(approval.id)).toEqual(decided);
    expect(bench.events.at(-1)).toEqual({
      type: 'approval',
      event: verdict,
      approval: approval.id,
      operation: 'github__delete_repository',
      reason: 'checked',
      actor: { operator: 'alice', transport: 'http' },
    });
  });

  it('needs no reason', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const by: Approver = { name: 'root', way: 'cli' };
    expect(await bench.queue.decide(id.toUpperCase(), 'approved', by)).toMatchObject({
      approval: { decision: { by: 'root', reason: null } },
    });
    expect(bench.events.at(-1)).not.toHaveProperty('reason');
  });

  const refusals: readonly [string, DecisionFault, (bench: ApprovalBench, id: string) => unknown, Approver, string?][] =
    [
      ['on nothing', 'unknown', () => undefined, OPERATOR, UNKNOWN_ID],
      ['too late', 'expired', lapse, OPERATOR],
      [
        'after another',
        'decided',
        ({ queue }, id) => queue.decide(id, 'denied', OPERATOR),
        { name: 'bob', way: 'cli' },
      ],
      ['on one’s own request', 'own-request', () => undefined, { name: 'ci', way: 'http' }],
      ['on one’s own request, at the command line', 'own-request', () => undefined, { name: 'ci', way: 'cli' }],
    ];
  it.each(refusals)('%s is refused: %s', async (_, fault, prepare, by, other) => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    await prepare(bench, id);
    const before = await bench.queue.find(id);
    const result = await bench.queue.decide(other ?? id, 'approved', by);
    expect(result).toEqual({ ok: false, fault, ...(other === undefined ? { approval: before } : {}) });
    expect(await bench.queue.find(id)).toEqual(before);
    expect(bench.events).not.toContainEqual(expect.objectContaining({ event: 'approved' }));
  });

  it('by the operator who tried the operation in the console is refused', async () => {
    const bench = createApprovalBench();
    const asked = aRequest();
    const { id } = await bench.queue.request({
      ...asked,
      requester: { client: null, user: 'operator/alice', clientName: 'console', session: 'console alice' },
    });
    expect(await bench.queue.decide(id, 'approved', { name: 'alice', way: 'http' })).toMatchObject({
      ok: false,
      fault: 'own-request',
    });
  });

  it('by the requester is refused and recorded', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    await bench.queue.decide(id, 'approved', { name: 'ci', way: 'http' });
    expect(bench.events.at(-1)).toEqual({
      type: 'admin',
      action: 'approval_refused',
      details: { approval: id, fault: 'own-request' },
      actor: { operator: 'ci', transport: 'http' },
    });
  });

  it('is open to every operator where the requester is not authenticated', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(fromSession('session-1'));
    expect(await bench.queue.decide(id, 'approved', { name: 'editor', way: 'http' })).toMatchObject({ ok: true });
  });

  it('succeeds once of several simultaneous attempts', async () => {
    const bench = createApprovalBench();
    const queues = [bench.queue, bench.elsewhere()];
    const { id } = await bench.queue.request(aRequest());
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        queues[index % 2]!.decide(id, index % 3 === 0 ? 'denied' : 'approved', {
          name: `operator ${index}`,
          way: 'http',
        }),
      ),
    );
    const state = await bench.queue.find(id);
    expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, approval: state }]);
    for (const result of results) {
      if (!result.ok) expect(result).toEqual({ ok: false, fault: 'decided', approval: state });
    }
    expect(bench.events.filter(({ type }) => type === 'approval')).toHaveLength(2);
  });
});

describe('waiting for a decision', () => {
  it('ends at once when this process decides', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const waiting = bench.queue.waitForDecision(id, 60_000, new Cancellation());
    await bench.timers.next();
    await bench.queue.decide(id, 'approved', OPERATOR);
    expect(await waiting).toMatchObject({ status: 'approved' });
    expect(bench.timers.running).toBe(0);
  });

  it('does not miss a decision during a look-up', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const get = bench.store.get.bind(bench.store);
    // The request is decided after the first look-up and before the pause.
    bench.store.get = async (...args) => {
      bench.store.get = get;
      const seen = await get(...args);
      await bench.queue.decide(id, 'denied', OPERATOR);
      return seen;
    };
    expect(await bench.queue.waitForDecision(id, 60_000, new Cancellation())).toMatchObject({ status: 'denied' });
    expect(bench.timers.running).toBe(0);
  });

  it('ends for every waiting call', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const waiting = [1, 2, 3].map(() => bench.queue.waitForDecision(id, 60_000, new Cancellation()));
    await bench.timers.next();
    await bench.queue.decide(id, 'approved', OPERATOR);
    for (const approval of await Promise.all(waiting)) expect(approval).toMatchObject({ status: 'approved' });
  });

  it('sees another process’s decision within half a second', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const waiting = bench.queue.waitForDecision(id, 60_000, new Cancellation());
    const timer = await bench.timers.next();
    await bench.elsewhere().decide(id, 'denied', OPERATOR);
    expect(timer.ms).toBe(500);
    bench.time += timer.ms;
    timer.fire();
    expect(await waiting).toMatchObject({ status: 'denied', decision: { by: 'alice' } });
  });

  it.each([
    ['the time is over', 1_200, [500, 500, 200], 'pending'],
    ['the request has expired', 3_600_000, [500, 500, 200], 'expired'],
  ] as const)('ends when %s', async (_, waitMs, pauses, status) => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    if (status === 'expired') bench.time = START + LIFETIME * 1_000 - 1_200;
    const waiting = bench.queue.waitForDecision(id, waitMs, new Cancellation());
    for (const pause of pauses) {
      const timer = await bench.timers.next();
      expect(timer.ms).toBe(pause);
      bench.time += pause;
      timer.fire();
    }
    expect(await waiting).toMatchObject({ status });
  });

  it.each(['before', 'meanwhile'] as const)('ends when the call is cancelled %s', async (when) => {
    const bench = createApprovalBench();
    const cancellation = new Cancellation();
    const { id } = await bench.queue.request(aRequest());
    if (when === 'before') cancellation.cancel('gone');
    const waiting = bench.queue.waitForDecision(id, 60_000, cancellation);
    if (when === 'meanwhile') {
      await bench.timers.next();
      cancellation.cancel('gone');
    }
    expect(await waiting).toMatchObject({ status: 'pending' });
    expect(bench.timers.running).toBe(0);
  });

  it('ends at once for an unknown request', async () => {
    expect(await createApprovalBench().queue.waitForDecision(UNKNOWN_ID, 60_000, new Cancellation())).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('denies its pending requests and changes no others', async () => {
    const bench = createApprovalBench();
    const [open, decided, foreign] = [
      await bench.queue.request(fromSession('session-1')),
      await bench.queue.request(fromSession('session-1')),
      await bench.queue.request(fromSession('session-2')),
    ];
    await bench.queue.decide(decided.id, 'approved', OPERATOR);
    const waiting = bench.queue.waitForDecision(open.id, 60_000, new Cancellation());
    await bench.timers.next();
    await bench.queue.endSession('session-1');
    expect(await waiting).toMatchObject({
      status: 'denied',
      decision: { by: 'gateway', reason: 'the session ended', at: '2026-03-01T12:00:00.000Z' },
    });
    expect(await bench.queue.find(decided.id)).toMatchObject({ status: 'approved' });
    expect(await bench.queue.find(foreign.id)).toMatchObject({ status: 'pending' });
    expect(bench.events.at(-1)).toEqual({
      type: 'approval',
      event: 'denied',
      approval: open.id,
      operation: 'github__delete_repository',
      reason: 'the session ended',
      actor: { session: 'session-1' },
    });
  });

  it('leaves those of an authenticated client, which can use an approval in its other sessions', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    await bench.queue.endSession('session-1');
    expect(await bench.queue.find(id)).toMatchObject({ status: 'pending' });
  });

  it('denies pending requests of the previous window too', async () => {
    const bench = createApprovalBench();
    bench.time = START + LIFETIME * 1_000 - 1;
    const { id } = await bench.queue.request(fromSession('session-1'));
    bench.time += 2;
    await bench.queue.endSession('session-1');
    expect(await bench.queue.find(id)).toMatchObject({ status: 'denied' });
  });
});

/** Files several requests at once; returns the ids of those accepted, and the refusals. */
async function file(bench: ApprovalBench, count: number, session = 'session-1') {
  const requests = Array.from({ length: count }, () => bench.queue.request(fromSession(session)));
  const outcomes = await Promise.allSettled(requests);
  return {
    ids: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : [])),
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}

describe('the limit of pending requests', () => {
  it('is 20 per session', async () => {
    const bench = createApprovalBench();
    bench.time += 10_000;
    const { ids, refusals } = await file(bench, 30);
    expect(ids).toHaveLength(20);
    expect(refusals).toHaveLength(10);
    expect(refusals[0]).toBeInstanceOf(OperationError);
    expect(refusals[0]).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Limit of 20 undecided requests per session reached. Have some decided, or try again in 890 seconds',
      details: { limit: 20, remaining: 0, resets_at: '2026-03-01T12:15:00.000Z', retry_after_seconds: 890 },
    });
    expect(bench.notified).toHaveLength(20);
    expect((await file(bench, 1, 'session-2')).ids).toHaveLength(1);
  });

  it('is 20 per authenticated client over its sessions', async () => {
    const bench = createApprovalBench();
    const asks = Array.from({ length: 30 }, (_, index) =>
      bench.queue.request(aRequest({ requester: { client: 'ci', clientName: 'editor', session: `session-${index}` } })),
    );
    const refusals = (await Promise.allSettled(asks)).filter(({ status }) => status === 'rejected');
    expect(refusals).toHaveLength(10);
  });

  it('allows one more request for each decided one', async () => {
    const bench = createApprovalBench();
    const { ids } = await file(bench, 20);
    const [first = '', second = ''] = ids;
    await bench.queue.decide(first, 'denied', OPERATOR);
    await bench.queue.decide(first, 'denied', OPERATOR);
    await bench.queue.decide(second, 'approved', OPERATOR);
    expect((await file(bench, 5)).ids).toHaveLength(2);
  });

  it('is free again when the session ends', async () => {
    const bench = createApprovalBench();
    await file(bench, 20);
    await bench.queue.endSession('session-1');
    expect((await file(bench, 30)).ids).toHaveLength(20);
  });

  it('holds over the end of a window and drops expired requests', async () => {
    const bench = createApprovalBench();
    bench.time = START + LIFETIME * 1_000 - 1;
    const { ids } = await file(bench, 12);
    bench.time += 1;
    expect((await file(bench, 12)).ids).toHaveLength(8);
    await bench.queue.decide(ids[0]!, 'denied', OPERATOR);
    expect((await file(bench, 12)).ids).toHaveLength(1);
    bench.time = START + 2 * LIFETIME * 1_000;
    expect((await file(bench, 20)).ids).toHaveLength(11);
    bench.time = START + 4 * LIFETIME * 1_000;
    expect((await file(bench, 30)).ids).toHaveLength(20);
  });

  it('is 100 for all callers without authentication, who cannot keep a client from asking', async () => {
    const bench = createApprovalBench();
    for (let session = 0; session < 5; session += 1) await file(bench, 20, `session-${session}`);
    // A refused request is not counted, so that more attempts than the limit per session get the same answer.
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const { refusals } = await file(bench, 1, 'one more');
      expect(refusals).toMatchObject([
        { message: expect.stringContaining('Limit of 100 undecided requests of clients without authentication') },
      ]);
    }
    expect(await bench.queue.request(aRequest())).toMatchObject({ status: 'pending' });
    const pending = await bench.queue.list('pending');
    await bench.queue.decide(pending.find(({ requester }) => requester.client === null)!.id, 'denied', OPERATOR);
    expect((await file(bench, 2, 'one more')).ids).toHaveLength(1);
  });
});

describe('equal requests of one caller', () => {
  it('are one request while it waits', async () => {
    const bench = createApprovalBench();
    const first = await bench.queue.request(aRequest(), 'key');
    expect(await bench.queue.request(aRequest(), 'key')).toEqual(first);
    expect((await bench.queue.request(aRequest(), 'other')).id).not.toBe(first.id);
    expect(bench.notified).toHaveLength(2);
    await bench.queue.decide(first.id, 'denied', OPERATOR);
    expect((await bench.queue.request(aRequest(), 'key')).id).not.toBe(first.id);
  });

  it('use their approval once', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest(), 'key');
    await bench.queue.decide(id, 'approved', OPERATOR);
    const claims = await Promise.all([bench.queue.claim(id), bench.elsewhere().claim(id), bench.queue.claim(id)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await bench.queue.find(id)).not.toHaveProperty('claimed');
  });
});

describe('an approval id', () => {
  it('is short, unique and without letters that look like digits', () => {
    const ids = Array.from({ length: 10_000 }, createApprovalId);
    for (const id of ids) expect(id).toMatch(/^ap_[0-9abcdefghjkmnpqrstvwxyz]{10}$/);
    expect(new Set(ids).size).toBe(10_000);
    expect(new Set(ids.join('').replaceAll('ap_', '')).size).toBe(32);
  });

  it.each([
    ['as it is', 'ap_01hx3q9zkb', 'ap_01hx3q9zkb'],
    ['in capitals', 'AP_01HX3Q9ZKB', 'ap_01hx3q9zkb'],
    ['with letters for digits', 'ap_oIhx3q9zkb', 'ap_01hx3q9zkb'],
    ['with l for 1', 'ap_0lhx3q9zkb', 'ap_01hx3q9zkb'],
    ['with blanks around it', '  ap_01hx3q9zkb\n', 'ap_01hx3q9zkb'],
  ])('is read %s', (_, typed, id) => {
    expect(readApprovalId(typed)).toBe(id);
  });
});

it('ends what an earlier release has asked, as nobody has a token for it any more', async () => {
  const bench = createApprovalBench();
  const asked = await bench.queue.request(aRequest());
  const record = await bench.store.get('approval', asked.id);
  const { tokensOf: _of, ...before } = record?.value ?? {};
  await bench.store.replace('approval', asked.id, record?.version ?? 0, before);

  expect(await bench.queue.list('pending')).toEqual([]);
  expect(await bench.queue.decide(asked.id, 'approved', OPERATOR)).toMatchObject({ ok: false, fault: 'expired' });
  expect(await bench.queue.list('pending')).toEqual([]);
});
