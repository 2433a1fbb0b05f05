import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

function methods(source: string) {
  return { command: process.execPath, args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, source] };
}

const WELL = methods(`{
  capabilities: { resources: {}, prompts: {} },
  'resources/list': () => ({ resources: [{ uri: 'note://well', name: 'well' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'well://{id}', name: 'well' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'well' }] }),
}`);

const serving = (lists: { resources?: object; templates?: object; prompts?: object }) =>
  methods(`{
    capabilities: { resources: {}, prompts: {} },
    'resources/list': () => ({ resources: [${JSON.stringify(lists.resources ?? { uri: 'odd:', name: 'odd' })}] }),
    'resources/templates/list': () => ({ resourceTemplates: [${JSON.stringify(lists.templates ?? { uriTemplate: 'odd:{x}', name: 'odd' })}] }),
    'prompts/list': () => ({ prompts: [${JSON.stringify(lists.prompts ?? { name: 'odd' })}] }),
    'prompts/get': ({ arguments: args }) => ({ messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(args) } }] }),
  }`);

const resource = (more: object) => ({ resources: { uri: 'odd:', name: 'odd', ...more } });
const template = (more: object) => ({ templates: { uriTemplate: 'odd:{x}', name: 'odd', ...more } });
const prompt = (more: object) => ({ prompts: { name: 'odd', ...more } });

/** The client of the SDK refuses a list as a whole where one entry is not as MCP defines it. */
async function listAll(client: Client): Promise<readonly string[]> {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  return [...resources, ...resourceTemplates, ...prompts].map(({ name }) => name);
}

it.each([
  ['nulls in annotations', resource({ annotations: { audience: null, priority: null, lastModified: null } }), []],
  ['an audience that is no list', resource({ annotations: { audience: 'user' } }), ['annotations.audience']],
  ['unknown roles', template({ annotations: { audience: ['user', 'robot'] } }), ['annotations.audience']],
  ['a priority out of bounds', resource({ annotations: { priority: 5 } }), ['annotations.priority']],
  ['no point in time', resource({ annotations: { lastModified: 'yesterday' } }), ['annotations.lastModified']],
  ['icons without a source', resource({ icons: [{ src: null }, { src: 'data:,', sizes: '48x48' }] }), ['icons']],
  ['nulls in arguments', prompt({ arguments: [{ name: 'x', required: null, description: null }] }), []],
  ['a text for a switch', prompt({ arguments: [{ name: 'x', required: 'yes' }] }), ['arguments.required']],
  ['a null for an argument', prompt({ arguments: [null, { name: 'x' }] }), ['arguments']],
  ['an argument without a name', prompt({ arguments: [{ description: 'x' }] }), ['arguments']],
  ['nulls in what MCP does not define', template({ later: { deep: [{ is: null }] } }), []],
])('%s cost nobody a list, and one diagnostic names what was changed', async (_what, lists, told) => {
  await using live = await openLiveGateway({ mcpServers: { well: WELL, odd: serving(lists) } });
  const client = await live.connect('http', 'legacy');
  expect(await listAll(client)).toEqual(['well', 'odd', 'well', 'odd', 'well', 'odd']);
  const messages = live.observations.flatMap((each) => (each.kind === 'diagnostic' ? [each.message] : []));
  expect(messages).toEqual(
    told.map((path) => expect.stringContaining(`has a '${path}' of the wrong type, which is mended or left out`)),
  );
});

it('what is right beside an odd member stays', async () => {
  const lists = {
    ...resource({ annotations: { audience: 'user', priority: 0.5 } }),
    ...prompt({ arguments: [{ name: 'x', required: null }, 7, { name: 'y', required: true }] }),
  };
  await using live = await openLiveGateway({ mcpServers: { odd: serving(lists) } });
  const client = await live.connect('http', 'legacy');
  const { resources } = await client.listResources();
  expect(resources[0]?.annotations).toEqual({ audience: ['user'], priority: 0.5 });
  const { prompts } = await client.listPrompts();
  expect(prompts[0]?.arguments).toEqual([{ name: 'x' }, { name: 'y', required: true }]);
});

const HIDDEN = `seen\u200b\u202e${String.fromCodePoint(0xe0069, 0xe0067)}`;

it.each(['single', 'semantic', 'passthrough'])(
  'the texts of lists are cleaned in mode %s, natively and in the operations, and what requests repeat is exact',
  async (mode) => {
    const texts = { title: HIDDEN, description: `${HIDDEN}${'x'.repeat(30_000)}`, later: [HIDDEN] };
    const name = 'no\u200dte';
    const lists = {
      ...resource({ ...texts, uri: 'odd:\u200d', name: HIDDEN }),
      ...template({ ...texts, name: HIDDEN }),
      ...prompt({ ...texts, name, arguments: [{ name, description: HIDDEN }] }),
    };
    await using live = await openLiveGateway({ mcpServers: { odd: serving(lists) }, endpoint: { mode } });
    const client = await live.connect('http', 'legacy');
    const native = [
      ...(await client.listResources()).resources,
      ...(await client.listResourceTemplates()).resourceTemplates,
      ...(await client.listPrompts()).prompts,
    ];
    expect(native[0]).toMatchObject({ uri: 'odd:\u200d', name: 'seen' });
    expect(native[2]).toMatchObject({ name, arguments: [{ name, description: 'seen' }] });
    for (const entry of native) {
      expect(entry).toMatchObject({ title: 'seen' });
      expect(entry.description).toHaveLength(4_000);
    }
    const args = { [name]: 'v' };
    const { messages } = await client.getPrompt({ name, arguments: args });
    expect(messages[0]?.content).toMatchObject({ text: JSON.stringify(args) });
    if (mode !== 'single') return;
    const listed = [
      ...(await live.call(client, 'list_resources')).data,
      ...(await live.call(client, 'list_resources', { templates: true })).data,
      ...(await live.call(client, 'list_prompts')).data,
    ];
    for (const entry of listed) {
      expect(entry).toMatchObject({ title: 'seen', later: ['seen'] });
      expect(entry.description).toHaveLength(4_000);
    }
  },
);
