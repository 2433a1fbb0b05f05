import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskChannel, NO_ABILITIES } from '../../../../src/base/protocol/ask.js';
import { AbandonedCalls, ownerOf } from '../../../../src/upstream/questions/question-owner.js';

const channelOf = (sessionId: string): AskChannel => ({
  caller: { sessionId, clientName: 'c', transport: 'http' },
  abilities: NO_ABILITIES,
  ask: async () => ({}),
});

const callOf = (sessionId: string | undefined) => ({
  ask: sessionId === undefined ? undefined : channelOf(sessionId),
});

const sessions = fc.array(fc.constantFrom('ann', 'bob', undefined), { maxLength: 4 });

describe('the owner of a question that does not say its call', () => {
  it('is never of another session than any call that may have asked', () => {
    fc.assert(
      fc.property(sessions, sessions, (inFlight, abandoned) => {
        const owner = ownerOf(inFlight.map(callOf), abandoned);
        if (owner === undefined) return;
        const session = owner.ask?.caller.sessionId;
        for (const each of [...inFlight, ...abandoned]) expect(each).toBe(session);
      }),
    );
  });

  it('is the only call in flight, or any of one session', () => {
    const ann = callOf('ann');
    expect(ownerOf([ann], [])).toBe(ann);
    expect(ownerOf([callOf('ann'), ann], ['ann'])).toBe(ann);
    expect(ownerOf([callOf(undefined)], [])).toBeDefined();
    expect(ownerOf([], [])).toBeUndefined();
  });

  it('is uncertain while a call of another session that was given up may still run', () => {
    const abandoned = new AbandonedCalls();
    abandoned.add(1, channelOf('bob'), { now: 0, maxMs: 1_000 });
    expect(ownerOf([callOf('ann')], abandoned.sessions(999))).toBeUndefined();
    expect(ownerOf([callOf('ann')], abandoned.sessions(1_000))).toBeDefined();
  });

  it('is certain soon after a call was given up, as servers end what is cancelled', () => {
    const abandoned = new AbandonedCalls();
    abandoned.add(1, channelOf('bob'), { now: 0, maxMs: 600_000 });
    expect(abandoned.sessions(9_999)).toEqual(['bob']);
    expect(abandoned.sessions(10_000)).toEqual([]);
  });

  it.each([
    ['asks while no call is in flight', (abandoned: AbandonedCalls) => abandoned.asked()],
    ['answers a call long after it was given up', (abandoned: AbandonedCalls) => abandoned.answered(1, 10_000)],
  ])('stays uncertain for the longest time of a call at a server that %s', (_case, show) => {
    const abandoned = new AbandonedCalls();
    abandoned.add(1, channelOf('bob'), { now: 0, maxMs: 600_000 });
    abandoned.add(2, channelOf('cid'), { now: 0, maxMs: 600_000 });
    show(abandoned);
    expect(abandoned.sessions(599_999)).toContain('cid');
    expect(abandoned.sessions(600_000)).toEqual([]);
  });

  it('is certain again once the call that was given up is answered', () => {
    const abandoned = new AbandonedCalls();
    abandoned.add(1, channelOf('bob'), { now: 0, maxMs: 1_000 });
    abandoned.answered(1, 0);
    expect(abandoned.sessions(0)).toEqual([]);
  });

  it('stays uncertain beyond the number of given-up calls that are told apart', () => {
    const abandoned = new AbandonedCalls();
    const givenUp = { now: 0, maxMs: 1_000 };
    for (let id = 1; id <= 1_100; id += 1) abandoned.add(id, channelOf('ann'), givenUp);
    for (let id = 1; id <= 1_100; id += 1) abandoned.answered(id, 0);
    expect(abandoned.sessions(0)).toEqual([undefined]);
  });
});
