import type { Client } from '@modelcontextprotocol/client';

/** Everything that a client is answered who asks for all there is. */
export async function askForAll(client: Client, mode: string): Promise<string> {
  const tool = mode === 'single' ? 'mcp_aql' : 'mcp_aql_read';
  const call = async (operation: string, params: object = {}) => {
    const { content } = await client.callTool({ name: tool, arguments: { operation, params } });
    const [first] = content as readonly { readonly text?: string }[];
    const { error: _repeatsTheName, ...answer } = JSON.parse(first?.text ?? '{}') as { readonly error?: unknown };
    return answer;
  };
  const operations = ['list_resources', 'list_prompts', 'get_annabel_diary', 'get_bertram_letters'];
  const answers = [
    client.getInstructions(),
    client.getServerCapabilities(),
    await client.listTools(),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
  ];
  if (mode !== 'passthrough') {
    for (const query of ['operations', 'upstreams', 'quota_status', 'types'])
      answers.push(await call('introspect', { query }));
    answers.push(await call('introspect', { query: 'upstreams', name: 'diaries' }));
    answers.push(await call('introspect', { query: 'operations', search: 'what somebody wrote' }));
    for (const operation of operations) answers.push(await call(operation));
    answers.push(await call('list_resources', { templates: true }));
  }
  return JSON.stringify(answers);
}
