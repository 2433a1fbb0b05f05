import { expect, it } from 'vitest';
import { joinPieces } from '../../../../src/base/json/pieces.js';
import { LargeMessage } from '../../../../src/base/protocol/large-answer.js';
import { EventReader, type ServerEvent } from '../../../../src/upstream/transport/event-reader.js';

type Read = readonly [data: string, id: string | undefined, type: string];

const textOf = ({ data }: ServerEvent): string =>
  (data instanceof LargeMessage ? data.join() : joinPieces(data)).toString('utf8');

function readAll(chunks: readonly Buffer[], maxBytes = 100_000_000) {
  const events: Read[] = [];
  const retries: number[] = [];
  const reader = new EventReader(
    {
      onEvent: (event) => events.push([textOf(event), event.id, event.type]),
      onRetry: (ms) => retries.push(ms),
      onTooLong: () => {
        throw new RangeError('too long');
      },
    },
    maxBytes,
  );
  const lines = chunks.reduce((sum, chunk) => sum + reader.read(chunk), 0);
  return { events, retries, lines };
}

const STREAM = [
  '\ufeffdata: first\n\n',
  ': a comment\r\nretry: 1500\r\nretry: soon\r\n\r\n',
  'id: 1\u00e9\nevent: message\ndata:no space\ndata:  two spaces\ndata\ndata: \u{1f600}\n\n',
  'id: 2\ndata:\n\n',
  'id: 3\n\n',
  'id: a\0b\ndata: without\r\r',
  'event: other\rdata: x\r\runknown_field_of_a_long_name: data: y\ndataset: z\n\n',
  'data: never ended\n',
].join('');

const EVENTS: readonly Read[] = [
  ['first', undefined, ''],
  ['no space\n two spaces\n\n\u{1f600}', '1\u00e9', 'message'],
  ['', '2', ''],
  ['', '3', ''],
  ['without', undefined, ''],
  ['x', undefined, 'other'],
];

it.each([1, 2, 3, 5, 7, 64, 100_000])(
  'reads the same events, however the stream is cut: chunks of %i bytes',
  (size) => {
    const bytes = Buffer.from(STREAM);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(readAll(chunks)).toMatchObject({ events: EVENTS, retries: [1500] });
  },
);

it('gathers millions of short lines as they come, in memory of about their bytes', () => {
  const chunk = Buffer.from('data:\n'.repeat(10_000));
  const short = Buffer.from('data:x\n'.repeat(10_000));
  const { events, lines } = readAll([...Array(100).fill(chunk), ...Array(60).fill(short), Buffer.from('\n')]);
  expect(lines).toBe(1_600_001);
  expect(events).toEqual([[`${'\n'.repeat(1_000_000)}${Array(600_000).fill('x').join('\n')}`, undefined, '']]);
});

it('takes a long line in the pieces in which it comes', () => {
  const part = Buffer.alloc(50_000, 'y');
  const { events } = readAll([Buffer.from('data: '), ...Array(40).fill(part), Buffer.from('\n\n')]);
  expect(events).toEqual([['y'.repeat(2_000_000), undefined, '']]);
});

it('ends at data that are too long, and not at many short events or at long lines of other fields', () => {
  expect(() => readAll([Buffer.from('data: abc\n'), Buffer.from('data: def\n')], 6)).toThrow('too long');
  expect(() => readAll([Buffer.from('data: abcdefg')], 6)).toThrow('too long');
  const others = readAll([Buffer.from(`: ${'c'.repeat(500)}\n${'data: abcde\n\n'.repeat(3)}`)], 6);
  expect(others.events).toHaveLength(3);
});
