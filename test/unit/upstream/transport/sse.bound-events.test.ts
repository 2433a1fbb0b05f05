import { expect, it } from 'vitest';
import { boundEvents } from '../../../../src/upstream/transport/sse.js';

/** What passes of a stream that arrives in pieces, and the ids of what was dropped. */
async function pass(stream: string, pieces: number) {
  const dropped: unknown[] = [];
  const bytes = Buffer.from(stream);
  const size = Math.ceil(bytes.length / pieces);
  const chunks = Array.from({ length: pieces }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  const bounded = ReadableStream.from(chunks).pipeThrough(boundEvents(100, (id) => void dropped.push(id)));
  let text = '';
  for await (const part of bounded) text += Buffer.from(part).toString();
  return { text, dropped };
}

const event = (data: string): string => `event: message\ndata: ${data}\n\n`;
const answer = (id: number, size: number): string => `{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(size)}"}`;

it.each([1, 2, 7, 200])(
  'drops the event that is too long, names its request, and passes the others (%i pieces)',
  async (pieces) => {
    const stream = `: hello\n\n${event(answer(1, 10))}${event(answer(2, 5_000))}${event(answer(3, 10))}`;
    const { text, dropped } = await pass(stream, pieces);
    expect(dropped).toEqual([2]);
    expect(text).toBe(`: hello\n\n${event(answer(1, 10))}${event(answer(3, 10))}`);
  },
);

it('adds up the lines of one event', async () => {
  const lines = ['{"jsonrpc":"2.0","id":7,', '"result":[', ...Array.from({ length: 20 }, () => '"0123456789",'), '1]}'];
  const { text, dropped } = await pass(event(lines.join('\ndata: ')) + event(answer(8, 1)), 3);
  expect(dropped).toEqual([7]);
  expect(text).toBe(event(answer(8, 1)));
});

it('finds the id behind the result, and line ends of both kinds', async () => {
  const late = `data: {"result":"${'x'.repeat(500)}","id":9,"jsonrpc":"2.0"}\r\n\r\n`;
  const { text, dropped } = await pass(`${late}data: ok\r\n\r\n`, 4);
  expect(dropped).toEqual([9]);
  expect(text).toContain('data: ok');
});
