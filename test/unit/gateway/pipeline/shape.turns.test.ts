import { expect, it } from 'vitest';
import { charactersOf, takeTurn } from '../../../../src/gateway/pipeline/shape.js';

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row ${id}` }));
const TEXT = 'x'.repeat(100_000);

it.each([
  ['of objects', { items: ROWS }],
  ['of texts alone', { text: TEXT }],
  ['of texts within lists', { texts: [TEXT] }],
])('a large answer of structured content %s is read in a turn of its own', async (_name, structuredContent) => {
  const turn = takeTurn(charactersOf({ content: [], structuredContent }));
  expect(turn).toBeInstanceOf(Promise);
  await turn;
});

it('a large answer of many small blocks is read in a turn of its own', async () => {
  const content = Array.from({ length: 3_000 }, () => ({ type: 'text', text: '' }));
  const turn = takeTurn(charactersOf({ content }));
  expect(turn).toBeInstanceOf(Promise);
  await turn;
});

it('a small answer waits for no turn', () => {
  expect(takeTurn(charactersOf({ content: [{ type: 'text', text: 'done' }], structuredContent: { a: 1 } }))).toBe(
    undefined,
  );
});
