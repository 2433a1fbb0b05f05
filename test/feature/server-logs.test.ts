import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { runCli } from '../support/run-cli.js';
import { BINARY } from '../support/served-gateway.js';

const TOOLS = `{
  get_it: { tool: { inputSchema: { type: 'object', properties: { line: { type: 'string' } } } }, run: ({ line }) => { process.stderr.write(line + '\\n'); return { content: [{ type: 'text', text: 'ok' }] }; } },
}`;

it('follows what a server writes to standard error, and prints what it has written', async () => {
  await using gateway = await hostGateway({ mcpServers: { 'My Server': inlineServer(TOOLS) } });
  await using client = await connectClient(gateway.url);
  const config = ['--config', join(gateway.directory, 'gateway.config.json')];
  const child = spawn(process.execPath, [BINARY, 'logs', 'my_server', '--follow', ...config]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // It reads on from here: nothing has been printed yet.
  await once(child.stderr, 'data');
  for (const line of ['first line', 'second line']) {
    await client.call('mcp_aql_read', 'get_it', { line });
    expect((await lines.next()).value).toContain(line);
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);

  const printed = await runCli(['logs', 'My Server', '-n', '1', ...config], { cwd: gateway.directory });
  expect([printed.code, printed.stdout]).toEqual([0, expect.stringMatching(/^[^\n]*second line\n$/)]);
});

it('names the servers that there are where there is none of that name', async () => {
  await using gateway = await hostGateway({ mcpServers: { demo: inlineServer(TOOLS) } });
  const config = ['--config', join(gateway.directory, 'gateway.config.json')];
  const { code, stderr } = await runCli(['logs', 'other', ...config], { cwd: gateway.directory });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Configured: demo')]);
});
