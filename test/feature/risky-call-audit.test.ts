import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

const TOOLS = `{
  git_push: {
    tool: {
      description: 'Push commits to a remote.',
      inputSchema: { type: 'object', properties: { branch: { type: 'string' }, force: { type: 'boolean' } } },
    },
    run: () => ({ content: [{ type: 'text', text: 'pushed' }] }),
  },
}`;

it('a call whose argument destroys is on record with its danger, before and after it runs; a harmless one of the tool is not', async () => {
  await using gateway = await serveGateway({
    mcpServers: {
      git: inlineServer(TOOLS, { operations: { git_push: { category: 'EXECUTE', danger: 'reversible' } } }),
    },
  });
  await using client = await connectClient(gateway.url);
  expect((await client.call('mcp_aql_execute', 'git_push', { branch: 'main' })).success).toBe(true);
  const forced = await client.callConfirmed('mcp_aql_execute', 'git_push', { branch: 'main', force: true });
  expect(forced.success).toBe(true);
  const file = join(gateway.directory, 'gateway.config.json');
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  await ended;
  const { stdout } = await runCli(['audit', 'search', '--json', '--operation', 'git__git_push', '--config', file], {
    cwd: gateway.directory,
  });
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const seen = records.map(({ type, outcome, code }) => [type, outcome ?? code]);
  expect(seen).toContainEqual(['decision', 'confirmation_required']);
  expect(seen).toContainEqual(['decision', 'confirmed']);
  expect(seen).toContainEqual(['call', 'OK']);
  for (const record of records.filter(({ type }) => type === 'decision' || type === 'call')) {
    expect(record).toMatchObject({ danger: 'destructive', parameters: { force: true } });
  }
});
