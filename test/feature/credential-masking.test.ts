import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';
import { serveGateway } from '../support/served-gateway.js';

const SECRET = 'upstream-credential-"0f9e8d7c"';

/** Repeats the credential that the gateway gave it, in every place where a server can. */
const TOOLS = `(() => {
  const secret = process.env.API_TOKEN;
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  return {
    get_text: { run: () => text('the token is ' + secret + '.') },
    get_json: { run: () => text(JSON.stringify({ headers: { authorization: 'Bearer ' + secret } })) },
    get_structured: { run: () => ({ ...text('x'), structuredContent: { list: [{ value: secret }], [secret]: 'as a name' } }) },
    get_failure: { run: () => ({ ...text('refused: ' + secret), isError: true }) },
    get_progress: {
      tool: { description: 'Gets with ' + secret, inputSchema: { type: 'object', properties: { key: { type: 'string', default: secret } } } },
      run: async (_args, { send }, meta) => {
        send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: 1, message: 'with ' + secret } });
        return text('x');
      },
    },
    get_error: { run: () => { process.stderr.write('FATAL ' + secret + '\\n'); return { error: { code: -32000, message: 'bad ' + secret, data: { secret } } }; } },
  };
})()`;

it('a credential that the gateway gives to a server comes back neither in answers nor in errors, logs or status', async () => {
  await using gateway = await serveGateway({
    log: { level: 'debug' },
    endpoint: { passthrough: true },
    mcpServers: { demo: inlineServer(TOOLS, { env: { API_TOKEN: SECRET } }) },
  });
  await using client = await connectClient(gateway.url);
  const answers: string[] = [];
  const { tools } = await client.client.listTools();
  const described = await client.introspect({ query: 'operations', name: 'get_progress' });
  const onprogress = (update: object): unknown => answers.push(JSON.stringify(update));
  await client.client.callTool({ name: 'get_progress', arguments: {} }, { onprogress });
  answers.push(JSON.stringify(tools.find(({ name }) => name === 'get_progress')), JSON.stringify(described.raw));
  expect(answers).toHaveLength(3);
  for (const name of ['get_text', 'get_json', 'get_structured', 'get_failure', 'get_error']) {
    answers.push(JSON.stringify((await client.call('mcp_aql_read', name)).raw));
  }
  await gateway.logged('FATAL');
  const ready = await (await fetch(gateway.url.replace('/mcp', '/readyz'))).text();
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  await ended;
  const kept = await readFile(join(gateway.directory, '.mcp-aql/logs/demo.log'), 'utf8');
  for (const shown of [...answers, gateway.stderr(), kept, ready]) expect(shown).not.toContain('0f9e8d7c');
  for (const answer of answers) expect(answer).toContain('[credential]');
});
