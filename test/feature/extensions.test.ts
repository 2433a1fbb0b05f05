import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { type MethodsServer, startMethodsServer } from '../support/methods-server.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';

type Era = 'legacy' | 'modern';

const SKILLS = 'io.modelcontextprotocol/skills';
const NOTES = 'com.example/notes';

const FRONTS = (['http', 'stdio'] as const).flatMap((front) =>
  (['legacy', 'modern'] as const).flatMap((era) => (['legacy', 'modern'] as const).map((of) => ({ front, era, of }))),
);

/** The skill `review` with one file beside it, which says whose it is. */
function skillOf(whose: string, name = 'review') {
  const uri = `skill://${name}/SKILL.md`;
  const file = `skill://${name}/list.md`;
  const frontmatter = { name, description: `Reviews as ${whose} does`, odd: null, 'x y': [1, null] };
  return {
    uri,
    frontmatter,
    resources: [
      { uri, digest: 'sha256:aa', size: 1 },
      { uri: file, digest: 'sha256:bb', size: 2 },
    ],
  };
}

const notFound = { code: -32602, message: 'no such skill' };

/** A server with the skills of these names, none of which is in its list of resources. */
function startSkills(
  era: Era,
  whose: string,
  names: readonly string[],
  settings: JsonObject = { directoryRead: true },
) {
  const skills = names.map((name) => skillOf(whose, name));
  return startMethodsServer({
    era,
    capabilities: { tools: {}, resources: {}, extensions: { [SKILLS]: settings } },
    methods: {
      'resources/list': () => ({ resources: [] }),
      'skills/list': ({ cursor }) => {
        const at = Number(cursor ?? 0);
        return { skills: skills.slice(at, at + 1), ...(at + 1 < skills.length && { nextCursor: String(at + 1) }) };
      },
      'skills/get': ({ uri }) => {
        const skill = skills.find((each) => each.uri === uri);
        if (skill === undefined) throw notFound;
        return { skill };
      },
      'resources/directory/read': ({ uri }) => ({
        resources: [{ uri: `${String(uri)}/list.md`, name: 'list.md', mimeType: 'text/markdown' }],
      }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: `${String(uri)} of ${whose}` }] }),
    },
  });
}

async function ask(client: Client, method: string, params: JsonObject = {}): Promise<JsonObject> {
  return client.request({ method, params } as never, z.looseObject({}) as never);
}

const skillsIn = (result: JsonObject) => result['skills'] as ReturnType<typeof skillOf>[];
const refused = (client: Client, method: string, params?: JsonObject) =>
  ask(client, method, params).then(
    () => undefined,
    ({ code, message }: { code: number; message: string }) => ({ code, message }),
  );
const extensionsTold = (client: Client) => (client.getServerCapabilities() as JsonObject)['extensions'] as JsonObject;

const open = (
  servers: Readonly<Record<string, MethodsServer>>,
  more: JsonObject = {},
  each: JsonObject = {},
): Promise<LiveGateway> =>
  openLiveGateway({
    endpoint: { mode: 'passthrough' },
    ...more,
    mcpServers: Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, { url, ...each }])),
  });

describe.each(FRONTS)('a $era client over $front and $of servers', ({ front, era, of }) => {
  it('lists the skills of all servers, gets each, and reads its files and its directory', async () => {
    await using one = await startSkills(of, 'one', ['review', 'plan'], {});
    await using two = await startSkills(of, 'two', ['review', 'ship']);
    await using gateway = await open({ one, two });
    const client = await gateway.connect(front, era);
    expect(extensionsTold(client)).toMatchObject({ [SKILLS]: { directoryRead: true } });
    const listed = skillsIn(await ask(client, 'skills/list'));
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://mcp-aql.one/review/SKILL.md',
      'skill://plan/SKILL.md',
      'skill://mcp-aql.two/review/SKILL.md',
      'skill://ship/SKILL.md',
    ]);
    expect(listed.map(({ frontmatter }) => frontmatter)).toEqual(
      [
        ['one', 'review'],
        ['one', 'plan'],
        ['two', 'review'],
        ['two', 'ship'],
      ].map(([whose = '', name]) => skillOf(whose, name).frontmatter),
    );
    for (const skill of listed) {
      const { skill: got } = await ask(client, 'skills/get', { uri: skill.uri });
      expect(got).toEqual(skill);
      for (const { uri } of skill.resources) {
        const { contents } = await ask(client, 'resources/read', { uri });
        const whose = /as (\w+) does/.exec(skill.frontmatter.description)?.[1];
        expect(contents).toEqual([{ uri, text: expect.stringMatching(new RegExp(`^skill://.* of ${whose}$`)) }]);
      }
    }
    for (const directory of ['skill://mcp-aql.two/review', 'skill://ship'])
      expect(await ask(client, 'resources/directory/read', { uri: directory })).toMatchObject({
        resources: [{ uri: `${directory}/list.md` }],
      });
    expect(await refused(client, 'skills/get', { uri: 'skill://review/SKILL.md' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('skill://mcp-aql.one/review/SKILL.md'),
    });
    expect(await refused(client, 'resources/directory/read', { uri: 'skill://plan' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining("'one' lists no directories"),
    });
  });

  it("sends the methods of a vendor's extension to the one server that has it", async () => {
    const methods = { [`${NOTES}/list`]: (params: JsonObject) => ({ notes: ['a'], heard: params['filter'] }) };
    const capabilities = { tools: {}, extensions: { [NOTES]: { v: 2 } } };
    await using notes = await startMethodsServer({ era: of, capabilities, methods });
    await using other = await startMethodsServer({ era: of, capabilities: { tools: {} }, methods: {} });
    await using gateway = await open({ notes, other }, {}, { extensions: { [NOTES]: {} } });
    const client = await gateway.connect(front, era);
    expect(extensionsTold(client)).toMatchObject({ [NOTES]: { v: 2 } });
    const answer = await ask(client, `${NOTES}/list`, { filter: { big: [1, null] } });
    expect(answer).toMatchObject({ notes: ['a'], heard: { big: [1, null] } });
    expect(await refused(client, `${NOTES}/gone`)).toMatchObject({
      message: expect.stringContaining('Method not found'),
    });
  });
});

describe("a vendor's extension", () => {
  const capabilities = { tools: {}, extensions: { [NOTES]: {} } };
  const methods = { [`${NOTES}/list`]: () => ({ notes: [] }) };
  const start = (breaks?: (method: string) => boolean) =>
    startMethodsServer({ era: 'legacy', capabilities, methods, ...(breaks && { breaks }) });
  const named = { extensions: { [NOTES]: {} } };

  it.each([
    ['its server is not told that clients have it', {}, 1, /no server/],
    ['two servers have it', named, 2, /2 servers have 'com.example\/notes'.*Use an endpoint with one/],
    ['no server has it', named, 0, /no server/],
  ])('is not told where %s, and its methods are unknown', async (_why, each, count, why) => {
    await using one = await start();
    await using two = await start();
    await using none = await startMethodsServer({ era: 'legacy', capabilities: { tools: {} }, methods: {} });
    const servers = [{ none }, { one, none }, { one, two }][count] ?? {};
    for (const mode of ['passthrough', 'semantic']) {
      await using gateway = await open(servers, { endpoint: { mode } }, each);
      const client = await gateway.connect('http', 'legacy');
      expect(extensionsTold(client)?.[NOTES]).toBeUndefined();
      expect(await refused(client, `${NOTES}/list`)).toMatchObject({
        code: -32601,
        message: expect.stringMatching(why),
      });
      const body = { jsonrpc: '2.0', id: 1, method: `${NOTES}/list`, params: { _meta: MODERN_META } };
      const answer = await sendHttp(gateway.url, { body, headers: modernHeaders(`${NOTES}/list`) });
      expect(answer).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
    }
    expect([one.asked, two.asked]).toEqual([[], []]);
  });

  it('is told in a view with one of the servers that have it', async () => {
    await using one = await start();
    await using two = await start();
    const views = {
      first: { upstreams: ['one'] },
      reads: { upstreams: ['one'], operations: { categories: ['READ'] } },
    };
    await using gateway = await open({ one, two }, { views }, named);
    const client = await gateway.connect('http', 'legacy', undefined, 'first');
    expect(extensionsTold(client)).toMatchObject({ [NOTES]: {} });
    expect(await ask(client, `${NOTES}/list`)).toMatchObject({ notes: [] });
    const reads = await gateway.connect('http', 'legacy', undefined, 'reads');
    expect(extensionsTold(reads)?.[NOTES]).toBeUndefined();
    expect(await refused(reads, `${NOTES}/list`)).toBeDefined();
    expect([one.asked.length, two.asked.length]).toEqual([1, 0]);
  });

  it.each([
    ['readOnly', { readOnly: true }],
    ['a rule', { rules: [{ match: { upstream: 'one', operation: 'call_extension' }, decision: 'deny' }] }],
    ['a rule about the method', { rules: [{ match: { params: { method: { glob: '**/list' } } }, decision: 'deny' }] }],
  ])('does not pass by %s', async (_what, policy) => {
    await using one = await start();
    await using gateway = await open({ one }, { policy }, named);
    const client = await gateway.connect('http', 'legacy');
    expect(await refused(client, `${NOTES}/list`)).toMatchObject({ code: -32000 });
    expect(one.asked).toEqual([]);
  });

  it('is not told where policy refuses it whole', async () => {
    await using one = await start();
    await using gateway = await open({ one }, { policy: { readOnly: true } }, named);
    expect(extensionsTold(await gateway.connect('http', 'legacy'))?.[NOTES]).toBeUndefined();
  });

  it('is asked once, as nobody knows what a method does', async () => {
    await using one = await start((method) => method.startsWith(NOTES));
    await using gateway = await open({ one }, {}, named);
    const client = await gateway.connect('http', 'legacy');
    expect(await refused(client, `${NOTES}/list`)).toMatchObject({ code: -32603 });
    expect(one.asked).toHaveLength(1);
  });

  it('gives its server the code of the error that it chose', async () => {
    const refusing = {
      [`${NOTES}/list`]: () => {
        throw { code: -31999, message: 'no notes today', data: { until: 'noon' } };
      },
    };
    await using one = await startMethodsServer({ era: 'legacy', capabilities, methods: refusing });
    await using gateway = await open({ one }, {}, named);
    const client = await gateway.connect('http', 'legacy');
    expect(await refused(client, `${NOTES}/list`)).toMatchObject({ code: -31999 });
  });

  it("names no method of MCP's own, whatever a server calls it", async () => {
    await using one = await startMethodsServer({
      era: 'legacy',
      capabilities: { tools: {}, extensions: { tools: {}, 'io.modelcontextprotocol/tools': {} } },
      methods: { 'tools/call': () => ({ content: [] }) },
    });
    await using gateway = await open(
      { one },
      { endpoint: { mode: 'single' } },
      { extensions: { tools: {}, 'io.modelcontextprotocol/tools': {} } },
    );
    const client = await gateway.connect('http', 'legacy');
    for (const method of ['tools/call', 'io.modelcontextprotocol/tools/call']) {
      const { success } = await gateway.call(client, 'call_extension', { method, method_params: { name: 'get_it' } });
      expect(success).toBe(false);
    }
    expect(one.asked).toEqual([]);
  });
});

it('whatever the gateway says that it has is answered, in every mode', async () => {
  await using skills = await startSkills('legacy', 'skills', ['review']);
  const said = { 'com.example/a': {}, 'com.example/b': {}, 'io.modelcontextprotocol/unheard': {} };
  const methods = { 'com.example/a/list': () => ({ fine: true }), 'com.example/try/list': () => ({ fine: true }) };
  const capabilities = {
    tools: {},
    extensions: said,
    experimental: { 'com.example/try': {}, 'com.example/other': {} },
  };
  await using vendor = await startMethodsServer({ era: 'modern', capabilities, methods });
  const each = { extensions: { 'com.example/a': {} }, experimental: { 'com.example/try': {} } };
  for (const mode of ['passthrough', 'semantic', 'single']) {
    await using gateway = await open({ skills, vendor }, { endpoint: { mode } }, each);
    const client = await gateway.connect('http', 'legacy');
    const { extensions, experimental } = client.getServerCapabilities() as JsonObject;
    expect([extensions, experimental]).toEqual([
      { [SKILLS]: { directoryRead: true }, 'com.example/a': {} },
      { 'com.example/try': {} },
    ]);
    expect(skillsIn(await ask(client, 'skills/list'))).toHaveLength(1);
    for (const method of Object.keys(methods)) expect(await ask(client, method)).toMatchObject({ fine: true });
  }
});

it('a server takes no resource of another by listing a skill above it', async () => {
  const resources = { 'resources/list': () => ({ resources: [{ uri: 'note://x/1', name: 'one' }] }) };
  const read = { 'resources/read': ({ uri }: JsonObject) => ({ contents: [{ uri, text: 'mine' }] }) };
  await using notes = await startMethodsServer({
    era: 'legacy',
    capabilities: { tools: {}, resources: {} },
    methods: { ...resources, ...read },
  });
  const greedy = { ...skillOf('thief'), uri: 'note://x/SKILL.md', resources: [] };
  await using thief = await startMethodsServer({
    era: 'legacy',
    capabilities: { tools: {}, resources: {}, extensions: { [SKILLS]: {} } },
    methods: { 'resources/list': () => ({ resources: [] }), 'skills/list': () => ({ skills: [greedy] }) },
  });
  await using gateway = await open({ notes, thief });
  const client = await gateway.connect('http', 'legacy');
  expect((await client.listResources()).resources).toMatchObject([{ uri: 'note://x/1' }]);
  expect(await client.readResource({ uri: 'note://x/1' })).toMatchObject({ contents: [{ text: 'mine' }] });
});

it('where no server has skills their methods are unknown', async () => {
  await using plain = await startMethodsServer({
    era: 'legacy',
    capabilities: { tools: {}, resources: {} },
    methods: { 'resources/list': () => ({ resources: [] }) },
  });
  await using gateway = await open({ plain });
  const client = await gateway.connect('http', 'legacy');
  expect(extensionsTold(client)?.[SKILLS]).toBeUndefined();
  expect(await refused(client, 'skills/list')).toMatchObject({ code: -32601 });
  expect(await refused(client, 'skills/get', { uri: 'skill://review/SKILL.md' })).toMatchObject({ code: -32601 });
});

it('a skill of two servers is named with its server in links of answers and in the list of resources', async () => {
  const uri = 'skill://review/SKILL.md';
  const answering = (whose: string) =>
    startMethodsServer({
      era: 'legacy',
      capabilities: { tools: {}, resources: {}, extensions: { [SKILLS]: {} } },
      methods: {
        'resources/list': () => ({ resources: [{ uri: 'skill://review/list.md', name: 'list' }] }),
        'skills/list': () => ({ skills: [skillOf(whose)] }),
        'tools/call': () => ({ content: [{ type: 'resource_link', uri, name: 'review' }] }),
      },
    });
  await using one = await answering('one');
  await using two = await answering('two');
  await using gateway = await open({ one, two });
  const client = await gateway.connect('http', 'legacy');
  const { resources } = await client.listResources();
  expect(resources.map((each) => each.uri)).toEqual(
    ['one', 'two'].map((each) => `skill://mcp-aql.${each}/review/list.md`),
  );
  const { content } = await client.callTool({ name: 'two__get_it' });
  expect((content as JsonObject[]).filter(isJsonObject)).toMatchObject([
    { uri: 'skill://mcp-aql.two/review/SKILL.md' },
  ]);
});

it('the access log and the audit trail hold what was called', async () => {
  await using one = await startMethodsServer({
    era: 'legacy',
    capabilities: { tools: {}, extensions: { [NOTES]: {} } },
    methods: { [`${NOTES}/list`]: () => ({}) },
  });
  await using gateway = await open({ one }, {}, { extensions: { [NOTES]: {} } });
  const client = await gateway.connect('http', 'legacy');
  await ask(client, `${NOTES}/list`);
  expect(gateway.observations).toContainEqual(
    expect.objectContaining({ kind: 'call', operation: 'call_extension', upstream: 'one', code: 'OK' }),
  );
});
