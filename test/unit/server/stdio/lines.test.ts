import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { LineReader, LineWriter } from '../../../../src/server/stdio/lines.js';

it('all lines of one turn go out in one write', async () => {
  const writes: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      writes.push(String(chunk));
      done();
    },
  });
  const lines = new LineWriter(output, () => undefined);
  for (const turn of [['a', 'b', 'c'], ['d']]) {
    for (const line of turn) lines.write(line);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(writes).toEqual(['a\nb\nc\n', 'd\n']);
});

it('reads past a byte order mark and blank lines, however the bytes arrive', () => {
  const read: string[] = [];
  const events = { onLine: (bytes: Buffer) => read.push(bytes.toString('utf8')), onOverlong: () => undefined };
  const reader = new LineReader(100, events);
  for (const byte of Buffer.from('\ufeff{"a":1}\n \t\r\n\n{"b":2}\r\n')) reader.push(Buffer.of(byte));
  expect(read.map((line) => JSON.parse(line))).toEqual([{ a: 1 }, { b: 2 }]);
});
