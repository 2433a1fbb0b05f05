import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveGateway } from '../support/served-gateway.js';

/** Makes of a folder a file of the same name. */
function replaceByFile(folder: string): void {
  rmSync(`${folder}.away`, { recursive: true, force: true });
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
}

it('SIGTERM ends a gateway with exit code 0 whose data directory is damaged, and the log says what could not be closed', async () => {
  await using gateway = await serveGateway({ mcpServers: {} });
  for (const folder of ['running', 'audit']) replaceByFile(join(gateway.directory, '.mcp-aql', folder));
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(gateway.stderr()).toContain('stopped');
});

it('a gateway whose output and log nobody reads any more serves on, and stops in order', async () => {
  await using gateway = await serveGateway({ mcpServers: {} });
  gateway.process.stdout?.destroy();
  gateway.process.stderr?.destroy();
  for (let count = 0; count < 3; count += 1) {
    gateway.process.kill('SIGHUP');
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200);
  }
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
