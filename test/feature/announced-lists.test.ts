import { describe, expect, it } from 'vitest';
import { inlineServer, methodsServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';

/** Says in the same breath as it answers that it has another tool, and counts how often its list is read. */
const TOOLSETS = methodsServer(`{
  capabilities: { tools: { listChanged: true } },
  'tools/list': (_, server) => {
    server.lists = (server.lists ?? 0) + 1;
    if (server.restless) server.send({ method: 'notifications/tools/list_changed' });
    const tool = (name, properties = {}) =>
      ({ name, inputSchema: { type: 'object', properties, additionalProperties: false }, annotations: { readOnlyHint: true } });
    const sets = Array.from({ length: server.sets ?? 0 }, (_, index) => tool('get_set' + index));
    const flag = { type: 'boolean' };
    const parameters = Object.fromEntries(Array.from({ length: server.sets ?? 0 }, (_, index) => ['field' + index, flag]));
    return { tools: [{ ...tool('start_more', { restless: flag }), annotations: {} }, tool('get_lists'), tool('get_fields', parameters), ...sets] };
  },
  'tools/call': ({ name, arguments: args = {} }, server) => {
    if (name === 'start_more') {
      server.sets = (server.sets ?? 0) + 1;
      server.restless = args.restless;
      server.send({ method: 'notifications/tools/list_changed' });
    }
    return { content: [{ type: 'text', text: name === 'get_lists' ? String(server.lists) : 'ran ' + name }] };
  },
}`);

describe('a tool that its server has announced', () => {
  it.each(['single', 'passthrough'])('can be called at once, however many are announced in a row: %s', async (mode) => {
    await using live = await openLiveGateway({ endpoint: { mode }, mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    const call = async (name: string, params = {}): Promise<string> => {
      const args = mode === 'single' ? { operation: name, params } : params;
      return JSON.stringify(await client.callTool({ name: mode === 'single' ? 'mcp_aql' : name, arguments: args }));
    };
    for (let set = 0; set < 8; set += 1) {
      await call('start_more');
      expect(await call(`get_set${set}`)).toContain(`ran get_set${set}`);
    }
  });

  it('has the parameters that it has now, though the known schema refuses them', async () => {
    await using live = await openLiveGateway({ mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    for (let set = 0; set < 4; set += 1) {
      await live.call(client, 'start_more');
      expect(await live.call(client, 'get_fields', { [`field${set}`]: true })).toMatchObject({
        data: 'ran get_fields',
      });
    }
  });

  it('can be called by a later item of the batch that made it, and by a program', async () => {
    await using live = await openLiveGateway({ programs: { enabled: true }, mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    const names = ['start_more', 'get_set0', 'start_more', 'get_set1', 'start_more', 'get_set2'];
    const operations = names.map((operation) => ({ operation }));
    const batch = JSON.stringify(await client.callTool({ name: 'mcp_aql', arguments: { operations } }));
    for (const set of [0, 1, 2]) expect(batch).toContain(`ran get_set${set}`);
    const code = "await aql.call('start_more', {}); return await aql.call('get_set3', {});";
    expect(await live.call(client, 'run_program', { code })).toMatchObject({ success: true });
  });

  it('is found by introspection at once', async () => {
    await using live = await openLiveGateway({ mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    for (let set = 0; set < 4; set += 1) {
      await live.call(client, 'start_more');
      const { data } = await live.call(client, 'introspect', { query: 'operations', name: `get_set${set}` });
      expect(data.operation).toMatchObject({ name: `get_set${set}` });
    }
  });

  it('has its list read once for each piece of news, whoever guesses names', async () => {
    await using live = await openLiveGateway({ mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    await live.call(client, 'start_more');
    await live.call(client, 'start_more');
    const lists = async (): Promise<number> => Number((await live.call(client, 'get_lists')).data);
    await live.call(client, 'get_guess');
    const before = await lists();
    await Promise.all(Array.from({ length: 50 }, (_, guess) => live.call(client, `get_guess${guess}`)));
    expect(await lists()).toBe(before);
  });

  it('has its list read no more than so often for guesses, where its server says with each reading that it has changed', async () => {
    await using live = await openLiveGateway({ mcpServers: { sets: TOOLSETS } });
    const client = await live.connect('http', 'legacy');
    await live.call(client, 'start_more', { restless: true });
    for (let guess = 0; guess < 120; guess += 1) await live.call(client, `get_guess${guess}`);
    expect(Number((await live.call(client, 'get_lists')).data)).toBeLessThan(60);
    const { error } = await live.call(client, 'get_guess');
    expect(error?.message).toContain("'sets' (its list has changed and is being read)");
  });
});

describe('a list that does not come, though its server has announced it', () => {
  it('is told as unread by the refusal, which does not wait for ever', async () => {
    const slow = inlineServer(`{
      start_more: { tool: { annotations: { readOnlyHint: true } }, run: (_, server) => {
        const write = process.stdout.write.bind(process.stdout);
        process.stdout.write = (text) => text.includes('"tools"') ? true : write(text);
        server.send({ method: 'notifications/tools/list_changed' });
        return { content: [{ type: 'text', text: 'ok' }] };
      } },
    }`);
    await using live = await openLiveGateway({ mcpServers: { slow } });
    const client = await live.connect('http', 'legacy');
    await live.call(client, 'start_more');
    const { error } = await live.call(client, 'get_new');
    expect(error?.message).toContain("'slow' (its list has changed and is being read)");
  });
});

describe('resources and prompts that their server has announced', () => {
  it('are found at once, though several are announced in a row', async () => {
    const lists = (own: string) => `
      capabilities: { resources: { listChanged: true }, prompts: { listChanged: true }, tools: {} },
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/list': (_, { count = 0 }) => ({ resources: Array.from({ length: count }, (_, id) => ({ uri: '${own}://' + id, name: 'n' })) }),
      'prompts/list': (_, { count = 0 }) => ({ prompts: Array.from({ length: count }, (_, id) => ({ name: '${own}' + id })) }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'read ' + uri }] }),
      'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'filled ' + name } }] }),`;
    const grows = methodsServer(`{ ${lists('grows')}
      'tools/list': () => ({ tools: [{ name: 'start_more', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
      'tools/call': (_, server) => {
        server.count = (server.count ?? 0) + 1;
        for (const kind of ['resources', 'prompts']) server.send({ method: 'notifications/' + kind + '/list_changed' });
        return { content: [{ type: 'text', text: 'ok' }] };
      },
    }`);
    await using live = await openLiveGateway({ mcpServers: { grows, still: methodsServer(`{ ${lists('still')} }`) } });
    const client = await live.connect('http', 'legacy');
    for (let id = 0; id < 4; id += 1) {
      await live.call(client, 'start_more');
      expect(await live.call(client, 'read_resource', { uri: `grows://${id}` })).toMatchObject({ success: true });
      expect(await live.call(client, 'get_prompt', { name: `grows${id}` })).toMatchObject({ success: true });
    }
  });
});
