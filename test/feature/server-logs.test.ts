import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { runCli } from '../support/run-cli.js';
import { BINARY, serveGateway } from '../support/served-gateway.js';

const TOOLS = `{
  get_it: { run: ({ line }) => { process.stderr.write(line + '\\n'); return { content: [{ type: 'text', text: 'ok' }] }; } },
}`;

it('prints what a server has written to standard error, and follows it', async () => {
  await using gateway = await serveGateway({
    log: { level: 'debug' },
    mcpServers: { 'My Server': inlineServer(TOOLS) },
  });
  await using client = await connectClient(gateway.url);
  const write = (line: string) => client.call('mcp_aql_read', 'get_it', { line });
  await write('first line');
  await gateway.logged('first line');
  const config = ['--config', join(gateway.directory, 'gateway.config.json')];
  const printed = await runCli(['logs', 'My Server', ...config], { cwd: gateway.directory });
  expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('first line')]);

  const child = spawn(process.execPath, [BINARY, 'logs', 'my_server', '--follow', '-n', '1', ...config]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toContain('first line');
  await write('second line');
  expect((await lines.next()).value).toContain('second line');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('names the servers that there are where there is none of that name', async () => {
  await using gateway = await serveGateway({ mcpServers: { demo: inlineServer(TOOLS) } });
  const config = ['--config', join(gateway.directory, 'gateway.config.json')];
  const { code, stderr } = await runCli(['logs', 'other', ...config], { cwd: gateway.directory });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Configured: demo')]);
});
