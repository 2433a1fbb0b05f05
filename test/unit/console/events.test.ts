import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EventStreams } from '../../../src/console/events.js';
import { OperatorSessions } from '../../../src/console/operator-sessions.js';

it('ends the stream of a session that has ended, and writes no news to it', async () => {
  const sessions = new OperatorSessions();
  const id = sessions.open({ operator: 'omar', counts: () => true });
  const session = sessions.find(id);
  if (session === undefined) throw new Error('the session is open');
  sessions.end(id);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const faults: unknown[] = [];
  response.on('error', (fault) => faults.push(fault));
  const observed: unknown[] = [];
  const streams = new EventStreams(
    (observation) => observed.push(observation),
    async () => 'counters',
  );
  const page = { path: 'a', title: 'A', section: 'a', pulse: () => 'new', show: async () => undefined };
  expect(streams.open({ page, state: 'what was shown', counters: '' }, session, response)).toBe(true);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect([response.writableEnded, faults, observed]).toEqual([true, [], []]);
});
