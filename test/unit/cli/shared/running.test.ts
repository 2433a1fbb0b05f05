import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { announceRunning, Reloads, warnOfOtherConfiguration } from '../../../../src/cli/shared/running.js';
import { digestConfigFiles } from '../../../../src/config/config-files.js';
import { loadConfig } from '../../../../src/config/load/load-config.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { makeFolder } from '../../config/config-folder.js';

it('warns while a gateway has other files in force than those of now, with its reason, and no longer when it has ended', async () => {
  const cwd = makeFolder({ 'gateway.config.json': {} });
  const { config } = await loadConfig({ env: {}, cwd });
  const ask = async (): Promise<string> => {
    const terminal = { out: new PassThrough(), err: new PassThrough() };
    await warnOfOtherConfiguration(config, terminal);
    return String(terminal.err.read() ?? '');
  };
  const reload = { at: '', outcome: 'refused', problem: 'a reason' } as const;
  const gateway = { ...createFakeGateway({ status: { reload } }), config };
  const digest = await digestConfigFiles(config);
  const address = 'http://127.0.0.1:3333/mcp';
  const running = announceRunning(gateway, { address, digest });
  expect(await ask()).toBe('');
  writeFileSync(join(cwd, 'gateway.config.json'), '{"policy": {"readOnly": true}}');
  expect(await ask()).toMatch(/3333\/mcp \(process \d+\) has another configuration in force: .* because a reason/);
  running.end();
  expect(await ask()).toBe('');
});

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
