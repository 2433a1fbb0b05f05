import { expect, it } from 'vitest';
import { Turns } from '../../../../src/lib/turns.js';
import { MessagePace } from '../../../../src/upstream/transport/message-pace.js';

it('a stream of many messages is read on in the next turn, and one of few is not paused', async () => {
  const due: (() => void)[] = [];
  const pace = new MessagePace(new Turns(1, (work) => due.push(work)));
  const events: string[] = [];
  const stream = { pause: () => events.push('pause'), resume: () => events.push('resume') };
  const read = (messages: number): void => {
    for (let count = 0; count < messages; count += 1) pace.note();
    pace.keep(stream);
  };
  read(100);
  read(100);
  expect(events).toEqual([]);
  read(1_000);
  expect(events).toEqual(['pause']);
  due.shift()?.();
  await Promise.resolve();
  expect(events).toEqual(['pause', 'resume']);
  read(100);
  expect(events).toHaveLength(2);
});
