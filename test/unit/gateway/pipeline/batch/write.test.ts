import { expect, it } from 'vitest';
import type { ContentBlock } from '../../../../../src/base/protocol/result.js';
import { writeContent } from '../../../../../src/gateway/pipeline/batch/write.js';

const LONG = `${'"\\\n\u2028x'.repeat(30_000)}\u{1f600}`.repeat(2);
const TEXT_OF = (block: ContentBlock) => JSON.stringify(block);
const BLOCKS: readonly ContentBlock[] = Array.from({ length: 3_000 }, (_, id) => ({ type: 'image', data: `${id}` }));

it('writes a long answer as the bytes of the content that its text and blocks are, with pauses between its parts', async () => {
  const parts = ['{"a":', LONG, '}', '\u{1f600}'.repeat(70_000), ''];
  let pauses = 0;
  const { text, written = [] } = await writeContent(parts, BLOCKS.map(TEXT_OF), async () => {
    pauses += 1;
  });
  expect(text).toBe(parts.join(''));
  expect(JSON.parse(Buffer.concat(written).toString('utf8'))).toEqual([{ type: 'text', text }, ...BLOCKS]);
  // Few pieces, none of which is long.
  expect(written.length).toBeLessThan(30);
  expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(1_000_000);
  expect(pauses).toBeGreaterThan(BLOCKS.length);
});

it('leaves a short answer to be written with what is around it', async () => {
  expect(await writeContent(['{', '}'], BLOCKS.slice(0, 9).map(TEXT_OF), () => undefined)).toEqual({ text: '{}' });
});

it('writes a picture beside a short answer once, in a turn of its own', async () => {
  const picture = { type: 'image', data: 'A'.repeat(9_000_000) };
  const asked: unknown[] = [];
  const { written = [] } = await writeContent(['{', '}'], [TEXT_OF(picture)], async (isAlone) => {
    asked.push(isAlone);
  });
  expect(JSON.parse(Buffer.concat(written).toString('utf8'))).toEqual([{ type: 'text', text: '{}' }, picture]);
  expect(asked).toEqual([undefined, undefined, true]);
});
