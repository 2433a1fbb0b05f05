import { expect, it } from 'vitest';
import type { ContentBlock } from '../../../../../src/base/protocol/result.js';
import { runAtOnce } from '../../../../../src/base/turns/turns.js';
import { writeContent } from '../../../../../src/gateway/pipeline/batch/write.js';

const LONG = `${'"\\\n\u2028x'.repeat(30_000)}\u{1f600}`.repeat(2);
const BLOCKS: readonly ContentBlock[] = Array.from({ length: 3_000 }, (_, id) => ({ type: 'image', data: `${id}` }));

it('writes a long answer as the bytes of the content that its text and blocks are, in steps of some thousand characters', () => {
  const parts = ['{"a":', LONG, '}', '\u{1f600}'.repeat(70_000), ''];
  const work = writeContent(parts, BLOCKS);
  let stops = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) {
      const { text, written = [] } = step.value;
      expect(text).toBe(parts.join(''));
      expect(JSON.parse(Buffer.concat(written).toString('utf8'))).toEqual([{ type: 'text', text }, ...BLOCKS]);
      // Few pieces, none of which is long.
      expect(written.length).toBeLessThan(30);
      expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(1_000_000);
      break;
    }
    stops += 1;
  }
  expect(stops).toBeGreaterThan(BLOCKS.length + LONG.length / 100_000);
});

it('leaves a short answer to be written with what is around it', () => {
  expect(runAtOnce(writeContent(['{', '}'], BLOCKS))).toEqual({ text: '{}' });
});
