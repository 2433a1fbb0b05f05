import { expect, it } from 'vitest';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

const [OMAR, OLGA] = ['operator-omar-has-a-long-token', 'operator-olga-has-a-long-token'];

it.each([
  ['operator/*', [OMAR, OLGA], []],
  ['operator/olga', [OLGA], [OMAR]],
])(
  'a rule that denies %s keeps what these try in the console from running, and nobody else',
  async (user, denied, allowed) => {
    await using server = await startToolServer([{ name: 'list_notes', answer: () => textBlocks('a note') }]);
    await using gateway = await hostGateway({
      endpoint: { mode: 'single' },
      mcpServers: { notes: { url: server.url } },
      policy: {
        approvals: { operator: true, operators: { omar: { token: OMAR }, olga: { token: OLGA } } },
        rules: [{ name: 'clients-call', match: { user }, decision: 'deny', reason: 'operators decide, clients call' }],
      },
    });
    const attempt = async (token: string): Promise<string> => {
      const visitor = new ConsoleVisitor(gateway.url);
      await visitor.signIn(token);
      const { location } = await visitor.submit('try?operation=notes__list_notes', 'try/call');
      return (await visitor.get(location?.replace('../', '') ?? '')).html;
    };
    for (const token of denied) expect(await attempt(token)).toContain('operators decide, clients call');
    expect(server.calls).toEqual([]);
    for (const token of allowed) expect(await attempt(token)).toContain('a note');
    await using client = await connectClient(gateway.url);
    expect((await client.call('mcp_aql', 'list_notes')).data).toBe('a note');
  },
);
