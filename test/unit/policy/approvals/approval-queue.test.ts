import { describe, expect, it } from 'vitest';
import type { Approver, DecisionFault } from '../../../../src/policy/approvals/approval-queue.js';
import { Cancellation } from '../../../../src/protocol/cancellation.js';
import {
  type ApprovalBench,
  aRequest,
  createApprovalBench,
  fromSession,
  LIFETIME,
  OPERATOR,
  START,
} from './approval-bench.js';

const NOBODY = 'ap_0000000000';

function lapse(bench: ApprovalBench): void {
  bench.time = START + LIFETIME * 1_000;
}

describe('a request', () => {
  it('is pending, told to whoever is to know, and recorded', async () => {
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

describe('a decision', () => {
  it.each(['approved', 'denied'] as const)('is written down and recorded: %s', async (verdict) => {
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
      ['on nothing', 'unknown', () => undefined, OPERATOR, NOBODY],
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

  it('on one’s own request is on record', async () => {
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

  it('is anybody’s where the requester has not authenticated', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(fromSession('session-1'));
    expect(await bench.queue.decide(id, 'approved', { name: 'editor', way: 'http' })).toMatchObject({ ok: true });
  });

  it('is taken once, whoever tries at the same time', async () => {
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

  it('does not miss a decision that comes while it looks', async () => {
    const bench = createApprovalBench();
    const { id } = await bench.queue.request(aRequest());
    const get = bench.store.get.bind(bench.store);
    // What it sees at its first look is decided before it begins to pause.
    bench.store.get = async (...args) => {
      bench.store.get = get;
      const seen = await get(...args);
      await bench.queue.decide(id, 'denied', OPERATOR);
      return seen;
    };
    expect(await bench.queue.waitForDecision(id, 60_000, new Cancellation())).toMatchObject({ status: 'denied' });
    expect(bench.timers.running).toBe(0);
  });

  it('ends for everybody who waits', async () => {
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

  it('for nothing ends at once', async () => {
    expect(await createApprovalBench().queue.waitForDecision(NOBODY, 60_000, new Cancellation())).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('denies what it still waits for, and touches nothing else', async () => {
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

  it('finds requests of the window before', async () => {
    const bench = createApprovalBench();
    bench.time = START + LIFETIME * 1_000 - 1;
    const { id } = await bench.queue.request(fromSession('session-1'));
    bench.time += 2;
    await bench.queue.endSession('session-1');
    expect(await bench.queue.find(id)).toMatchObject({ status: 'denied' });
  });
});
