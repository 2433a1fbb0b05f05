import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { runCli } from '../support/run-cli.js';
import { serveGateway } from '../support/served-gateway.js';

const TOOLS = `{
  list_payments: {
    tool: { description: 'List payments.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: 'paid' }] }),
  },
}`;

const DECLARED = { requiresReauth: true, auditContext: ['payments', 'duty: four eyes'] };

it('an operation that requires reauthentication runs for no rule and no token, and its records hold its context', async () => {
  await using gateway = await serveGateway({
    policy: { rules: [{ name: 'all', match: { operation: 'list_payments' }, decision: 'allow' }] },
    mcpServers: { bank: inlineServer(TOOLS, { operations: { list_payments: DECLARED } }) },
  });
  await using client = await connectClient(gateway.url);
  const refused = await client.call('mcp_aql_read', 'list_payments');
  expect(refused).toMatchObject({ success: false });
  expect(JSON.stringify(refused)).not.toContain('paid');
  expect(refused.error?.message).toMatch(/person|operator/);

  const { data } = await client.introspect({ query: 'operations', name: 'list_payments', include: ['danger'] });
  expect(data.operation.danger).toMatchObject({ requires_reauth: true, audit_context: DECLARED.auditContext });

  const file = join(gateway.directory, 'gateway.config.json');
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  await ended;
  const { stdout } = await runCli(
    ['audit', 'search', '--json', '--operation', 'bank__list_payments', '--config', file],
    {
      cwd: gateway.directory,
    },
  );
  const [record] = stdout.split('\n').filter((line) => line.includes('"decision"'));
  expect(JSON.parse(record ?? '{}')).toMatchObject({ context: DECLARED.auditContext });
});
