import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { LineWriter } from '../../../../src/server/stdio/lines.js';

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
