import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { announceRunning, warnOfOtherConfiguration } from '../../../src/cli/running.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { makeFolder } from '../config/config-folder.js';

it('warns while a gateway runs with other files than those of now, and no longer when it has ended', async () => {
  const cwd = makeFolder({ 'gateway.config.json': {} });
  const { config } = await loadConfig({ env: {}, cwd });
  const ask = async (): Promise<string> => {
    const terminal = { out: new PassThrough(), err: new PassThrough() };
    await warnOfOtherConfiguration(config, terminal);
    return String(terminal.err.read() ?? '');
  };
  const running = await announceRunning(config, 'http://127.0.0.1:3333/mcp', () => undefined);
  expect(await ask()).toBe('');
  writeFileSync(join(cwd, 'gateway.config.json'), '{"policy": {"readOnly": true}}');
  expect(await ask()).toContain(`http://127.0.0.1:3333/mcp (process ${process.pid}) was started with another`);
  running.end();
  expect(await ask()).toBe('');
});
