import { expect, it } from 'vitest';
import { type FolderOwner, listBinDirectories } from '../../../../src/upstream/transport/resolve-command.js';

const OURS: FolderOwner = { uid: 1000, writableByAll: false };

it('programs are looked for beside the configuration and in every folder above it, nearest first', () => {
  expect(listBinDirectories(['/a/b', '/a/c'], () => OURS)).toEqual([
    '/a/b/node_modules/.bin',
    '/a/node_modules/.bin',
    '/node_modules/.bin',
    '/a/c/node_modules/.bin',
  ]);
});

it.each<[string, FolderOwner | undefined]>([
  ['another user has made', { uid: 4711, writableByAll: false }],
  ['all users may write to', { uid: 1000, writableByAll: true }],
  ['is not there, so that anybody could make it', undefined],
])('no program is taken from a folder above that %s', (_what, shared) => {
  const ownerOf = (folder: string) => (folder.startsWith('/tmp/node_modules') ? shared : OURS);
  const directories = listBinDirectories(['/tmp/project'], ownerOf);
  expect(directories).toEqual(['/tmp/project/node_modules/.bin', '/node_modules/.bin']);
});

it('a folder above that the owner of the configuration has made counts, whoever runs the gateway', () => {
  const ownerOf = (): FolderOwner => ({ uid: 4711, writableByAll: false });
  expect(listBinDirectories(['/srv/project/gateway'], ownerOf)).toContain('/srv/project/node_modules/.bin');
});
