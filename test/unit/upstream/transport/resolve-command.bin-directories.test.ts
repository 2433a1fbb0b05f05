import { expect, it } from 'vitest';
import { listBinDirectories } from '../../../../src/upstream/transport/resolve-command.js';

it('looks beside each folder and upward, nearest first, each once', () => {
  expect(listBinDirectories(['/a/b', '/a/c'])).toEqual([
    '/a/b/node_modules/.bin',
    '/a/node_modules/.bin',
    '/node_modules/.bin',
    '/a/c/node_modules/.bin',
  ]);
});
