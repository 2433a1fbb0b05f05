import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { announceRunning, warnOfOtherConfiguration } from '../../../../src/cli/shared/running.js';
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
