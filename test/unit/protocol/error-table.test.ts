import { expect, it } from 'vitest';
import { describeFailure } from '../../../src/protocol/error-table.js';

it.each([
  ["TypeError: Cannot read '/srv/app/src/x.js'", "Cannot read '[path]'"],
  ['Access denied: /data/private/a.txt not in /data/files', 'Access denied: [path] not in [path]'],
  ['open C:\\Users\\me\\secret.txt failed', 'open [path] failed'],
  ['GET https://api.example.org/v1/items/7 failed', 'GET https://api.example.org/v1/items/7 failed'],
  ['use and/or, 1/2 or /help', 'use and/or, 1/2 or /help'],
  ['first line\nsecond line', 'first line'],
  [' \n', 'the upstream reported a failure without saying why'],
  ['x'.repeat(300), `${'x'.repeat(199)}…`],
])('the failure %j is quoted in one line without paths and class names', (words, quoted) => {
  expect(describeFailure('INTERNAL_ERROR', words)).toBe(`Internal error: '${quoted}'`);
});
