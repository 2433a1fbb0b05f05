import { expect, it } from 'vitest';
import { readUnreadable } from '../../../../src/upstream/transport/stdio.js';

const answer = (id: number | string, result: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, result });

it.each([
  ['two messages', answer(1) + answer('b'), [1, 'b'], /one line/],
  ['two messages with a blank between them', `${answer(1)} ${answer(2)}`, [1, 2], /one line/],
  ['NUL bytes before the message', `\0\0${answer(1)}`, [1], /NUL/],
  ['text in UTF-16', answer(1).replace(/./g, '$&\0'), [1], /NUL/],
  ['a message that is cut off', answer(1, { content: [] }).slice(0, -2), [1], /not valid JSON/],
])('a line with %s tells whose answers it holds, and why there are none', (_name, line, ids, why) => {
  expect(readUnreadable(line)).toEqual({ ids, why: expect.stringMatching(why) });
});

it.each([
  ['words', 'Server listening'],
  ['a request', '{"jsonrpc":"2.0","id":1,"method":"ping"'],
  ['an answer within a text', `log: ${JSON.stringify(answer(1))}`],
])('a line of %s holds no answer', (_name, line) => {
  expect(readUnreadable(line).ids).toEqual([]);
});
