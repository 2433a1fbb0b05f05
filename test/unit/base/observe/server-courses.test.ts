import { describe, expect, it } from 'vitest';
import type { Observation, UpstreamState } from '../../../../src/base/observe/observation.js';
import { Minutes, ServerCourses } from '../../../../src/base/observe/server-courses.js';

const MINUTE = 60_000;

function open() {
  let time = 100 * MINUTE;
  const courses = new ServerCourses(() => time);
  return {
    pass: (minutes: number) => {
      time += minutes * MINUTE;
    },
    enter: (state: UpstreamState) => courses.observe({ kind: 'upstream-state', upstream: 'a', state, message: '' }),
    call: (code: Extract<Observation, { kind: 'call' }>['code'], durationMs = 10) =>
      courses.observe({
        kind: 'call',
        operation: 'a__x',
        upstream: 'a',
        category: 'READ',
        code,
        durationMs,
        sessionId: 's',
      }),
    states: () => courses.of('a').minutes.map(({ state }) => state),
    read: () => courses.of('a'),
  };
}

describe('the half hour of a server', () => {
  it('says minute by minute whether it could be called, and since when it is as it is', () => {
    const server = open();
    server.enter('starting');
    expect(new Set(server.states())).toEqual(new Set(['unknown']));
    server.enter('ready');
    server.pass(2);
    server.enter('waiting');
    server.enter('starting');
    server.enter('waiting');
    server.pass(2);
    server.enter('ready');
    server.pass(1);
    expect(server.states().slice(-6)).toEqual(['up', 'up', 'shaken', 'down', 'shaken', 'up']);
    expect(server.read()).toMatchObject({ since: 104 * MINUTE, failures: 0 });
    server.enter('failed');
    expect(server.read()).toMatchObject({ since: 105 * MINUTE, failures: 1 });
    server.pass(60);
    expect(new Set(server.states())).toEqual(new Set(['down']));
  });

  it('counts what it answered and failed, refusals of the gateway apart, and forgets what is older', () => {
    const server = open();
    server.call('OK', 10);
    server.call('OK', 900);
    server.call('INTERNAL_ERROR', 10);
    server.call('VALIDATION_UNKNOWN_PARAM');
    const now = server.read().minutes.at(-1);
    expect(now).toMatchObject({ ok: 2, failed: 1 });
    expect([(now?.median ?? 0) >= 10, (now?.median ?? 0) < 20, (now?.p95 ?? 0) >= 900]).toEqual([true, true, true]);
    server.pass(29);
    expect(server.read().minutes[0]).toMatchObject({ ok: 2, failed: 1 });
    server.pass(1);
    server.call('OK');
    expect(
      server
        .read()
        .minutes.map(({ ok }) => ok)
        .filter((ok) => ok > 0),
    ).toEqual([1]);
  });

  it('counts names over half an hour, the most frequent first', () => {
    let time = 100 * MINUTE;
    const names = new Minutes(() => time);
    for (const name of ['READ', 'DELETE', 'READ']) names.add(name);
    time += 20 * MINUTE;
    names.add('DELETE');
    expect(names.tallies()).toEqual([
      { name: 'READ', count: 2 },
      { name: 'DELETE', count: 2 },
    ]);
    time += 15 * MINUTE;
    expect(names.tallies()).toEqual([{ name: 'DELETE', count: 1 }]);
  });
});
