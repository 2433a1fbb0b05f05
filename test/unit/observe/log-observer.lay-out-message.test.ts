import { expect, it } from 'vitest';
import { layOutMessage } from '../../../src/observe/log-observer.js';

it.each([
  ['what people wrote', 'get_item: OK in 1.2 ms', 'get_item: OK in 1.2 ms'],
  ['what steers a terminal', 'x\u001b[2J\u009b31m\r: OK', 'x\\u001b[2J\\u009b31m\\u000d: OK'],
  ['what reorders a line', 'abc\u202edcb', 'abc\\u202edcb'],
  ['a line that looks like another message', 'x\n[03:00:00] INFO: all is well', 'x\n    [03:00:00] INFO: all is well'],
])('shows %s', (_what, message, shown) => {
  expect(layOutMessage(message)).toBe(shown);
});
