import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dangerEntry, startDangerUpstream } from '../support/danger-upstream.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function readJournal(directory: string): Promise<string> {
  const folder = join(directory, '.mcp-aql', 'audit');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

it('the answer, the log, the access log and the audit trail know one call by one id, which is the trace id that the client sent', async () => {
  await using upstream = await startDangerUpstream();
  await using gateway = await serveGateway(
    {
      log: { level: 'debug', format: 'json', access: 'access.log' },
      audit: { calls: 'all' },
      mcpServers: { demo: dangerEntry(upstream) },
    },
    {},
  );
  await using client = await connectClient(gateway.url);
  const own = await client.callTool('mcp_aql_execute', { operation: 'do_safe', params: { path: '/a' } });
  expect(own.raw['_meta']).toMatchObject({ 'mcp-aql/request_id': expect.stringMatching(/^[0-9a-f]{32}$/) });

  const traced = await client.client.callTool({
    name: 'mcp_aql_execute',
    arguments: { operation: 'do_safe', params: { path: '/a' } },
    _meta: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
  });
  expect(traced._meta).toMatchObject({ 'mcp-aql/request_id': TRACE });
  await gateway.logged(`"requestId":"${TRACE}"`);
  await client[Symbol.asyncDispose]();
  gateway.process.kill('SIGTERM');
  await new Promise((resolve) => gateway.process.once('exit', resolve));
  expect(await readFile(join(gateway.directory, 'access.log'), 'utf8')).toContain(`"requestId":"${TRACE}"`);
  expect(await readJournal(gateway.directory)).toContain(`"request":"${TRACE}"`);
});
