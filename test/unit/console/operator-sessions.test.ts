import { describe, expect, it } from 'vitest';
import { OperatorSessions } from '../../../src/console/operator-sessions.js';

const MINUTE = 60_000;

function openSessions() {
  const clock = { now: 0, counts: true };
  const sessions = new OperatorSessions(() => clock.now);
  const open = (operator = 'omar'): string => sessions.open({ operator, counts: () => clock.counts });
  return { clock, sessions, open };
}

describe('sessions of operators', () => {
  it('belong to one browser each, and end when they are ended', () => {
    const { sessions, open } = openSessions();
    const [one, other] = [open(), open()];
    expect(sessions.find(one)?.csrf).not.toBe(sessions.find(other)?.csrf);
    const session = sessions.find(one);
    sessions.end(one);
    expect([sessions.find(one), session?.isLive(), sessions.find(other)?.operator]).toEqual([undefined, false, 'omar']);
    expect([sessions.find(undefined), sessions.find('guessed')]).toEqual([undefined, undefined]);
  });

  it('end an hour after a person used them, which a page that refreshes itself does not, and after half a day', () => {
    const { clock, sessions, open } = openSessions();
    const id = open();
    clock.now += 59 * MINUTE;
    expect(sessions.find(id, false)).toBeDefined();
    clock.now += MINUTE;
    expect(sessions.find(id)).toBeUndefined();
    const used = open();
    for (let step = 0; step < 14; step += 1) {
      clock.now += 50 * MINUTE;
      expect(sessions.find(used)).toBeDefined();
    }
    clock.now += 20 * MINUTE;
    expect(sessions.find(used)).toBeUndefined();
  });

  it('end when the token that opened them does not count any more', () => {
    const { clock, sessions, open } = openSessions();
    const id = open();
    clock.counts = false;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('are bounded for each operator, and the one that was used longest ago makes room', () => {
    const { sessions, open } = openSessions();
    const first = open();
    const others = Array.from({ length: 19 }, () => open());
    const olga = open('olga');
    sessions.find(first);
    open();
    expect([sessions.find(first), sessions.find(others[0]), sessions.find(olga)].map((each) => each?.operator)).toEqual(
      ['omar', undefined, 'olga'],
    );
  });

  it('show a notice once', () => {
    const { sessions, open } = openSessions();
    const session = sessions.find(open());
    session?.notify({ text: 'done' });
    expect([session?.takeNotices(), session?.takeNotices()]).toEqual([[{ text: 'done' }], []]);
  });
});
