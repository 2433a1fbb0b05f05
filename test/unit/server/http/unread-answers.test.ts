import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { UnreadAnswers } from '../../../../src/server/http/unread-answers.js';

const MEGABYTE = 1_048_576;

function answerOf(megabytes: number) {
  return Object.assign(new EventEmitter(), {
    headersSent: true,
    writableLength: megabytes * MEGABYTE,
    socket: new Socket(),
  });
}

it('ends the connections for which most waits to be read, until what waits is within the bound', () => {
  const answers = [2, 5, 3, 1].map(answerOf);
  const unread = new UnreadAnswers({ unreadTimeoutMs: 60_000, maxUnreadBytes: 4 * MEGABYTE }, () => answers);
  unread.look();
  unread.close();
  expect(answers.map(({ socket }) => socket.destroyed)).toEqual([false, true, true, false]);
});

it('watches only connections for which something waits, each until its answer has ended', () => {
  const [whole, part] = [answerOf(0), answerOf(1)];
  const unread = new UnreadAnswers({ unreadTimeoutMs: 60_000, maxUnreadBytes: 4 * MEGABYTE }, () => [whole, part]);
  unread.look();
  unread.close();
  expect([whole.socket.timeout, part.socket.timeout]).toEqual([undefined, 60_000]);
  part.emit('close');
  expect([part.socket.timeout, part.socket.listenerCount('timeout')]).toEqual([0, 0]);
});
