import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { behaviourServer } from '../support/behaviours.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

const CONFIG = { mcpServers: { demo: behaviourServer() } };

it('a configuration that changed since the start is told in the log, and by commands that read it', async () => {
  await using gateway = await serveGateway(CONFIG);
  const file = join(gateway.directory, 'gateway.config.json');
  const rules = [{ name: 'nothing', match: { operation: 'echo' }, decision: 'deny' }];
  await writeFile(file, JSON.stringify({ ...CONFIG, policy: { rules } }));
  await gateway.logged('The configuration has changed since the start: restart to apply the change.');
  const explained = await runCli(['policy', 'explain', 'demo__echo', '--config', file], { cwd: gateway.directory });
  expect(explained.stderr).toContain('was started with another configuration; restart it to apply this one');
});

it.skipIf(process.platform === 'win32')('SIGHUP changes nothing, and the log says so', async () => {
  await using gateway = await serveGateway(CONFIG);
  gateway.process.kill('SIGHUP');
  await gateway.logged('SIGHUP changes nothing');
  expect((await fetch(gateway.url.replace('/mcp', '/readyz'))).status).toBe(200);
});
