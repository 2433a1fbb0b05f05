import { expect, it } from 'vitest';
import { Reloads } from '../../../../src/cli/shared/running.js';

/** Reloads of files that say `before` at the start, and who asked for each. */
function openReloads(outcome: 'applied' | 'refused' = 'applied') {
  const files = { digest: 'before' };
  const causes: string[] = [];
  const reloads = new Reloads({
    digest: files.digest,
    readDigest: async () => files.digest,
    reload: async (by) => {
      causes.push(by);
      return { outcome };
    },
  });
  return { files, causes, reloads };
}

it('a change of the files that a signal follows is read once, for the signal', async () => {
  const { files, causes, reloads } = openReloads();
  files.digest = 'after';
  await Promise.all([reloads.ask('SIGHUP'), reloads.noticeChange()]);
  await reloads.noticeChange();
  expect([causes, reloads.inForce]).toEqual([['SIGHUP'], 'after']);
});

it('a change after a signal is read, and a signal is followed without a change', async () => {
  const { files, causes, reloads } = openReloads();
  await reloads.ask('SIGHUP');
  files.digest = 'after';
  await reloads.noticeChange();
  expect(causes).toEqual(['SIGHUP', 'its files have changed']);
});

it('files that were refused are not in force, and are read again only when they change', async () => {
  const { files, causes, reloads } = openReloads('refused');
  files.digest = 'faulty';
  await reloads.ask('SIGHUP');
  await reloads.noticeChange();
  expect([causes, reloads.inForce]).toEqual([['SIGHUP'], 'before']);
});
