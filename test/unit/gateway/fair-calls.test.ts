import { describe, expect, it } from 'vitest';
import type { RawCall } from '../../../src/base/protocol/call.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import type { Reply } from '../../../src/base/protocol/result.js';
import { type CallBounds, FairCalls } from '../../../src/gateway/fair-calls.js';

const WIDE: CallBounds = { maxCalls: 100, maxCallsPerClient: 100, maxWaitingCalls: 100 };

/** A gate with a clock and turns of the event loop that the test moves. */
function openCalls(bounds: Partial<CallBounds> = {}) {
  const clock = { now: 0 };
  let due: (() => void)[] = [];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const calls = new FairCalls({ ...WIDE, ...bounds }, { now: () => clock.now, later: (work) => due.push(work) });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    /** Brings a call: `ann 1` is the first of ann's. It ends at once or when the test ends it. */
    bring(name: string, { lasts = false, cancellation = new Cancellation() } = {}): Promise<Reply> {
      const [client = ''] = name.split(' ');
      const caller = { sessionId: client, clientName: 'test', transport: 'http', client } as const;
      const call: RawCall = { tool: 'mcp_aql', arguments: {}, caller, cancellation };
      return calls.run(call, async () => {
        begun.push(name);
        if (lasts) await new Promise<void>((resolve) => ends.set(name, resolve));
        return { text: name, blocks: [], isError: false, code: 'OK' };
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await settle();
    },
    /** One turn of the event loop, which takes so long. @returns what began in it */
    async turn(ms = 0): Promise<readonly string[]> {
      const before = begun.length;
      clock.now += ms;
      const ripe = due;
      due = [];
      for (const work of ripe) work();
      await settle();
      return begun.slice(before);
    },
    /** What would keep the loop busy. */
    due: () => due.length,
  };
}

describe('the calls of all clients', () => {
  it('of one client that is alone all begin at once, and no turn of the loop is asked for', async () => {
    const { bring, begun, due } = openCalls();
    await Promise.all([1, 2, 3, 4].map((each) => bring(`ann ${each}`)));
    expect([begun.length, due()]).toEqual([4, 0]);
  });

  it('begin one in a turn where several call, so that a flood delays the next call of another by one', async () => {
    const { bring, begun, turn } = openCalls();
    await bring('bob 0');
    for (let each = 1; each <= 4; each += 1) void bring(`ann ${each}`);
    expect(begun).toEqual(['bob 0', 'ann 1']);
    expect(await turn()).toEqual(['ann 2']);
    await bring('bob 1');
    expect(begun.at(-1)).toBe('bob 1');
  });

  it('begin one in a turn as long as another client has one in flight or comes back, however long that takes', async () => {
    const { bring, begun, turn, end } = openCalls();
    void bring('bob 1', { lasts: true });
    await turn(3_600_000);
    await turn(3_600_000);
    for (let each = 1; each <= 4; each += 1) void bring(`ann ${each}`);
    expect(begun).toEqual(['bob 1', 'ann 1']);
    expect(await turn(50)).toEqual(['ann 2']);
    await turn(29_000);
    await end('bob 1');
    for (let each = 5; each <= 8; each += 1) void bring(`ann ${each}`);
    expect(begun).not.toContain('ann 8');
  });

  it('begin a few more in each turn while turns are short, and never leave one idle', async () => {
    const { bring, turn, due } = openCalls();
    await bring('bob 0');
    for (let each = 1; each <= 16; each += 1) void bring(`ann ${each}`);
    const counts: number[] = [];
    while (due() > 0) counts.push((await turn(0.3)).length);
    expect(counts).toEqual([1, 2, 3, 4, 4, 1]);
  });

  it('begin one in a turn again where turns are long, so that the calls of others are heard between', async () => {
    const { bring, turn } = openCalls();
    await bring('bob 0');
    for (let each = 1; each <= 16; each += 1) void bring(`ann ${each}`);
    for (const ms of [0.3, 0.3, 0.3, 0.3]) await turn(ms);
    expect((await turn(30)).length).toBe(2);
    expect((await turn(30)).length).toBe(1);
    expect((await turn(30)).length).toBe(1);
  });

  it('share a turn in which several begin among the clients that wait', async () => {
    const { bring, begun, turn } = openCalls();
    await bring('bob 0');
    for (let each = 1; each <= 8; each += 1) void bring(`ann ${each}`);
    await turn(0.3);
    for (let each = 1; each <= 3; each += 1) void bring(`bob ${each}`);
    expect(begun.at(-1)).toBe('bob 1');
    expect(await turn(0.3)).toEqual(['ann 3', 'bob 2']);
  });

  it('beyond the places of one client wait, and those of another do not', async () => {
    const { bring, begun, turn, end } = openCalls({ maxCallsPerClient: 1 });
    void bring('ann 1', { lasts: true });
    void bring('ann 2');
    await bring('bob 1');
    expect(await turn()).toEqual([]);
    expect(begun).toEqual(['ann 1', 'bob 1']);
    await end('ann 1');
    expect(await turn()).toEqual(['ann 2']);
  });

  it('beyond all places wait, and each client has its turn', async () => {
    const { bring, turn, end } = openCalls({ maxCalls: 1 });
    void bring('ann 1', { lasts: true });
    for (const each of [2, 3, 4]) void bring(`ann ${each}`);
    void bring('bob 1');
    await end('ann 1');
    const order: string[] = [];
    for (let each = 0; each < 12; each += 1) order.push(...(await turn()));
    expect(order).toEqual(['ann 2', 'bob 1', 'ann 3', 'ann 4']);
  });

  it('that are too many to wait are refused, of the client that has most, and say what to do', async () => {
    const { bring } = openCalls({ maxCalls: 1, maxWaitingCalls: 2 });
    void bring('ann 1', { lasts: true });
    const waiting = [bring('ann 2'), bring('ann 3')];
    void bring('bob 1');
    const { code, text } = await Promise.race(waiting);
    expect([code, JSON.parse(text)]).toMatchObject([
      'RATE_LIMIT_EXCEEDED',
      { success: false, error: { details: { reason: 'queue_full', outcome: 'not_run', retryable: true } } },
    ]);
  });

  it('that are cancelled while they wait do not begin', async () => {
    const { bring, begun, turn, end } = openCalls({ maxCalls: 1 });
    void bring('ann 1', { lasts: true });
    const cancellation = new Cancellation();
    const waiting = bring('ann 2', { cancellation });
    cancellation.cancel('the client is gone');
    expect((await waiting).code).toBe('INTERNAL_ERROR');
    await end('ann 1');
    await turn();
    expect(begun).toEqual(['ann 1']);
  });
});
