import { expect, it } from 'vitest';
import { layOutMessage } from '../../../src/observe/log-observer.js';

it.each([
  ['an ordinary message', 'get_item: OK in 1.2 ms', 'get_item: OK in 1.2 ms'],
  ['terminal control characters as escapes', 'x\u001b[2J\u009b31m\r: OK', 'x\\u001b[2J\\u009b31m\\u000d: OK'],
  ['characters that reorder a line as escapes', 'abc\u202edcb', 'abc\\u202edcb'],
  ['a line break with indentation', 'x\n[03:00:00] INFO: all is well', 'x\n    [03:00:00] INFO: all is well'],
])('the log shows %s', (_what, message, expected) => {
  expect(layOutMessage(message)).toBe(expected);
});
