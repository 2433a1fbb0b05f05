import { expect, it } from 'vitest';
import { layOutMessage, levelOf } from '../../../../src/base/observe/log-observer.js';
import { type Observation, observeWith } from '../../../../src/base/observe/observation.js';
import type { ErrorCode } from '../../../../src/base/protocol/error-table.js';

it.each([
  ['an ordinary message', 'get_item: OK in 1.2 ms', 'get_item: OK in 1.2 ms'],
  ['terminal control characters as escapes', 'x\u001b[2J\u009b31m\r: OK', 'x\\u001b[2J\\u009b31m\\u000d: OK'],
  ['characters that reorder a line as escapes', 'abc\u202edcb', 'abc\\u202edcb'],
  ['a line break with indentation', 'x\n[03:00:00] INFO: all is well', 'x\n    [03:00:00] INFO: all is well'],
])('the log shows %s', (_what, message, expected) => {
  expect(layOutMessage(message)).toBe(expected);
});

it.each<[ErrorCode | 'OK', string]>([
  ['OK', 'debug'],
  ['VALIDATION_MISSING_PARAM', 'info'],
  ['PERMISSION_DENIED', 'warn'],
  ['INTERNAL_ERROR', 'error'],
])('a call that ends with %s is logged as %s, as the error table says', (code, level) => {
  const call = { operation: 'get_item', upstream: 'demo', category: 'READ', durationMs: 1, sessionId: 's' };
  expect(levelOf({ kind: 'call', ...call, code })).toBe(level);
});

it('every sink gets every observation', () => {
  const [one, other]: [Observation[], Observation[]] = [[], []];
  const observe = observeWith([(seen) => one.push(seen), (seen) => other.push(seen)]);
  const observation: Observation = { kind: 'notice', level: 'info', message: 'started' };
  observe(observation);
  expect([one, other]).toEqual([[observation], [observation]]);
});
