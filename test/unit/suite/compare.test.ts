import { describe, expect, it } from 'vitest';
import { compare, compareWays, findStale } from '../../suite/compare.mjs';

const result = (scenario: string, status: 'passed' | 'failed' | 'untested', words: string[] = []) =>
  ({ side: 'server', set: '2026-07-28', scenario, isRequired: true, status, words }) as const;

const listed = [
  { side: 'server', sets: ['2026-07-28'], reason: 'no tasks', scenarios: ['tasks-lifecycle', 'tasks-gone'] },
] as const;

describe('the list of scenarios of the official suite that cannot pass', () => {
  it('allows a failure that is listed, with its reason', () => {
    const { judged, faults } = compare([result('tasks-lifecycle', 'failed', ['no task'])], listed);
    expect(faults).toEqual([]);
    expect(judged[0]?.reason).toBe('no tasks');
  });

  it('grows for no failure by itself: one that is not listed is a fault, in the words of the suite', () => {
    expect(compare([result('ping', 'failed', ['ping: timed out'])], listed).faults).toEqual([
      'server 2026-07-28 ping fails: ping: timed out',
    ]);
  });

  it('shrinks: a listed scenario that passes is a fault', () => {
    expect(compare([result('tasks-lifecycle', 'passed')], listed).faults).toEqual([
      'server 2026-07-28 tasks-lifecycle passes: take it off test/suite/expected.json',
    ]);
  });

  it('names a scenario that the suite does not have', () => {
    expect(findStale([result('tasks-lifecycle', 'failed')], listed)).toEqual([
      'server 2026-07-28 tasks-gone is not in the suite: take it off test/suite/expected.json',
    ]);
  });
});

describe('a server that is tested directly and through the gateway', () => {
  it('has a fault for each scenario that passes directly and fails through, and for no other', () => {
    const direct = [result('ping', 'passed'), result('tools-list', 'passed'), result('tasks-lifecycle', 'failed')];
    const through = [result('ping', 'failed', ['ping: timed out']), result('tools-list', 'untested')];
    const { judged, faults } = compareWays({ direct, through });
    expect(faults).toEqual(['reference 2026-07-28 ping passes directly alone: ping: timed out']);
    expect(judged.map((each) => each.through.status)).toEqual(['failed', 'untested', 'failed']);
  });
});
