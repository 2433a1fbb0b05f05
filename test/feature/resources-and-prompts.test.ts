import { readdir, readFile } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

const SERVERS = `${REPOSITORY}test/fixtures/servers/`;

function methods(source: string, more: object = {}) {
  return { command: process.execPath, args: [`${SERVERS}methods-server.mjs`, source], ...more };
}

/** Two resources, one of which other servers have too, a template, and prompts. */
function notes(own: string): string {
  return `{
    capabilities: { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, completions: {} },
    'resources/list': () => ({ resources: [
      { uri: 'note://shared', name: 'shared', icons: [{ src: 'data:,' }], _meta: { odd: 1 }, later: ['kept'] },
      { uri: 'note://${own}', name: '${own}', description: 'Only here', mimeType: 'application/json' },
    ] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: '${own}://{id}', name: 'by id' }] }),
    'resources/read': ({ uri }, server) => {
      if (uri.endsWith('gone')) throw { code: -32002, message: 'no such note' };
      if (uri.endsWith('picture')) return { contents: [{ uri, mimeType: 'image/png', blob: 'aGk=' }] };
      if (uri.endsWith('change')) server.send({ method: 'notifications/resources/updated', params: { uri: 'note://shared' } });
      if (uri.endsWith('relist')) {
        server.more = [{ name: 'more' }];
        server.send({ method: 'notifications/prompts/list_changed' });
      }
      const text = JSON.stringify({ uri, by: '${own}', items: [{ n: 1 }, { n: 2 }] });
      return { contents: [{ uri, text, mimeType: 'application/json' }], _meta: { from: '${own}' }, extra: true };
    },
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'prompts/list': (_, { more = [] }) => ({ prompts: [
      ...more,
      { name: 'shared' }, { name: 'ask_${own}', title: 'Ask', arguments: [{ name: 'who', required: true }] },
    ] }),
    'prompts/get': ({ name, arguments: args = {} }) => ({
      description: name,
      messages: [
        { role: 'user', content: { type: 'text', text: name + ' of ${own} for ' + args.who } },
        { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
      ],
      _meta: { a: 1 },
    }),
    'completion/complete': ({ ref, argument, context }) => ({
      completion: { values: [ref.name ?? ref.uri, argument.value, '${own}', JSON.stringify(context ?? null)], total: 9 },
    }),
  }`;
}

const TWO = { mcpServers: { alpha: methods(notes('alpha')), beta: methods(notes('beta')) } };

const FRONTS = [
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const;

/** An expression that ends its process where it has been run before. */
function startsOnce(mark: string): string {
  const fs = "process.getBuiltinModule('node:fs')";
  return `${fs}.existsSync('${mark}') ? process.exit(1) : ${fs}.writeFileSync('${mark}', '')`;
}

async function failureOf(work: Promise<unknown>): Promise<{ code: number; message: string; data: JsonObject }> {
  return work.then(
    (result) => {
      throw new Error(`not refused: ${JSON.stringify(result)}`);
    },
    (error: { code: number; message: string; data: JsonObject }) => error,
  );
}

const audited = (live: LiveGateway): readonly (readonly [string, string, string])[] =>
  live.observations.flatMap((each) =>
    each.kind === 'call' ? [[each.operation, each.upstream, each.code] as const] : [],
  );

describe.each(FRONTS)('resources and prompts over %s in the %s era', (front, era) => {
  it('are listed with every member, those of several servers under names that say whose they are', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect(front, era);
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'mcp-aql://alpha/note://shared',
      'note://alpha',
      'mcp-aql://beta/note://shared',
      'note://beta',
    ]);
    expect(resources[0]).toMatchObject({ name: 'shared', icons: [{ src: 'data:,' }], _meta: { odd: 1 } });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['alpha://{id}', 'beta://{id}']);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['alpha__shared', 'ask_alpha', 'beta__shared', 'ask_beta']);
  });

  it('are read under each name that belongs to one server, with the members of its result', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect(front, era);
    const uri = 'mcp-aql://beta/note://shared';
    const read = await client.readResource({ uri });
    expect(read).toMatchObject({ _meta: { from: 'beta' }, contents: [{ uri, mimeType: 'application/json' }] });
    for (const [asked, by] of [
      ['note://alpha', 'alpha'],
      ['beta://7', 'beta'],
      ['mcp-aql://alpha/beta://7', 'alpha'],
    ] as const) {
      const { contents } = await client.readResource({ uri: asked });
      expect(JSON.parse(String((contents[0] as { text: string }).text))).toMatchObject({ by });
    }
    const prompt = await client.getPrompt({ name: 'ask_beta', arguments: { who: 'me' } });
    expect(prompt).toMatchObject({ description: 'ask_beta', _meta: { a: 1 } });
    expect(prompt.messages[0]?.content).toEqual({ type: 'text', text: 'ask_beta of beta for me' });
    const { messages } = await client.getPrompt({ name: 'alpha__shared', arguments: { who: 'x' } });
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'shared of alpha for x' });
    expect(audited(live)).toContainEqual(['read_resource', 'beta', 'OK']);
    expect(audited(live)).toContainEqual(['get_prompt', 'alpha', 'OK']);
  });

  it('are refused with the next step where no one server is meant', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect(front, era);
    const shared = await failureOf(client.readResource({ uri: 'note://shared' }));
    expect(shared.message).toContain("'mcp-aql://alpha/note://shared', 'mcp-aql://beta/note://shared'");
    expect(shared.code).toBe(-32602);
    expect((await failureOf(client.getPrompt({ name: 'shared' }))).message).toContain(
      "'alpha__shared', 'beta__shared'",
    );
    const gone = await failureOf(client.readResource({ uri: 'alpha://gone' }));
    expect(gone).toMatchObject({ data: { uri: 'alpha://gone' } });
    const elsewhere = 'mcp-aql://beta/alpha://gone';
    expect(await failureOf(client.readResource({ uri: elsewhere }))).toMatchObject({ data: { uri: elsewhere } });
    expect((await failureOf(client.getPrompt({ name: 'nothing' }))).message).toContain("'nothing'");
  });

  it('complete the arguments of prompts and the variables of templates', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect(front, era);
    const argument = { name: 'who', value: 'a' };
    const ofPrompt = await client.complete({ ref: { type: 'ref/prompt', name: 'beta__shared' }, argument });
    expect(ofPrompt.completion).toEqual({ values: ['shared', 'a', 'beta', 'null'], total: 9 });
    const context = { arguments: { x: 'y' } };
    const ref = { type: 'ref/resource', uri: 'alpha://{id}' } as const;
    const { completion } = await client.complete({ ref, argument, context });
    expect(completion.values).toEqual(['alpha://{id}', 'a', 'alpha', '{"arguments":{"x":"y"}}']);
  });

  it('tell those who subscribed, and only those, of a changed resource', async () => {
    await using live = await openLiveGateway(TWO);
    const [client, other] = [await live.connect(front, era), await live.connect(front, era)];
    const uri = 'mcp-aql://alpha/note://shared';
    const heard = newsOf(client);
    const others = newsOf(other);
    await subscribe(client, era, uri);
    await subscribe(other, era, 'note://beta');
    await client.readResource({ uri: 'alpha://change' });
    expect(await heard.next()).toBe(`updated ${uri}`);
    await client.readResource({ uri: 'alpha://relist' });
    expect(await heard.next()).toBe('prompts');
    expect(await others.next()).toBe('prompts');
  });
});

interface News {
  next(): Promise<string>;
}

function newsOf(client: Client): News {
  const heard: string[] = [];
  let wake = (): void => undefined;
  const note = (what: string): void => {
    heard.push(what);
    wake();
  };
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => note(`updated ${params.uri}`));
  client.setNotificationHandler('notifications/prompts/list_changed', () => note('prompts'));
  return {
    async next() {
      for (;;) {
        const first = heard.shift();
        if (first !== undefined) return first;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

async function subscribe(client: Client, era: string, uri: string): Promise<void> {
  // A list that nobody has asked for is no news.
  await client.listPrompts();
  if (era === 'legacy') await client.subscribeResource({ uri });
  else {
    const { honoredFilter } = await client.listen({
      resourceSubscriptions: [uri, 'note://nothing'],
      promptsListChanged: true,
    });
    expect(honoredFilter.resourceSubscriptions).toContain(uri);
  }
}

describe('resources and prompts as operations', () => {
  it('are lists like any other, that are filtered, paged and cut to fields', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect('http', 'modern');
    const all = await live.call(client, 'list_resources');
    expect(all.data[0]).toEqual({
      uri: 'mcp-aql://alpha/note://shared',
      name: 'shared',
      later: ['kept'],
      upstream: 'alpha',
    });
    const some = await live.call(client, 'list_resources', {
      upstream: 'beta',
      filter: { name: { equals: 'beta' } },
      fields: ['uri'],
    });
    expect(some.data.items).toEqual([{ uri: 'note://beta' }]);
    const templates = await live.call(client, 'list_resources', { templates: true, first: 1 });
    expect(JSON.stringify(templates.data)).toContain('alpha://{id}');
    const prompts = await live.call(client, 'list_prompts', { upstream: 'alpha' });
    expect(prompts.data.map(({ name }: JsonObject) => name)).toEqual(['alpha__shared', 'ask_alpha']);
  });

  it('give texts as data, pictures as blocks, and prompts as messages', async () => {
    await using live = await openLiveGateway(TWO);
    const client = await live.connect('http', 'legacy');
    const read = await live.call(client, 'read_resource', { uri: 'note://beta' });
    expect(read.data).toEqual({ uri: 'note://beta', by: 'beta', items: [{ n: 1 }, { n: 2 }] });
    const part = await live.call(client, 'read_resource', { uri: 'note://beta', filter: { n: { gt: 1 } } });
    expect(JSON.stringify(part.data)).toContain('[{"n":2}]');
    const picture = await live.call(client, 'read_resource', { uri: 'alpha://picture' });
    expect(picture.blocks).toEqual([{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]);
    const prompt = await live.call(client, 'get_prompt', { name: 'ask_alpha', arguments: { who: 7 } });
    expect(prompt.data.messages).toEqual([
      { role: 'user', text: 'ask_alpha of alpha for 7' },
      { role: 'user', content: { type: 'image', mimeType: 'image/png', block: 1 } },
    ]);
    expect(prompt.blocks).toEqual([{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]);
    const misspelt = await live.call(client, 'get_prompt', {
      name: 'ask_alpha',
      arguments: { who: 'me', whom: 'you' },
    });
    expect(misspelt.error).toMatchObject({
      code: 'VALIDATION_UNKNOWN_PARAM',
      message: "The prompt 'ask_alpha' has no argument 'whom'. It takes 'who'",
    });
    const values = await live.call(client, 'complete', { prompt: 'ask_beta', argument: 'who', value: 'b' });
    expect(values.data).toMatchObject({ values: ['ask_beta', 'b', 'beta', 'null'], total: 9 });
    const both = await live.call(client, 'complete', { argument: 'who' });
    expect(both.error?.message).toContain("Give either 'prompt'");
  });

  it('are refused, left out of lists and recorded by the upstream that they belong to', async () => {
    const rules = [
      { name: 'closed', match: { upstream: 'beta', operation: ['read_resource', 'list_prompts'] }, decision: 'deny' },
    ];
    await using live = await openLiveGateway({ ...TWO, policy: { rules } });
    const client = await live.connect('http', 'modern');
    const denied = await live.call(client, 'read_resource', { uri: 'note://beta' });
    expect(denied.error).toMatchObject({ code: 'PERMISSION_DENIED', details: { rule: 'closed' } });
    expect((await live.call(client, 'read_resource', { uri: 'note://alpha' })).success).toBe(true);
    const native = await failureOf(client.readResource({ uri: 'note://beta' }));
    expect(native.message).toBe(denied.error?.message);
    expect(audited(live)).toContainEqual(['read_resource', 'beta', 'PERMISSION_DENIED']);
    const listed = await live.call(client, 'list_prompts');
    expect(listed.data.map(({ upstream }: JsonObject) => upstream)).toEqual(['alpha', 'alpha']);
    expect(listed.warnings).toMatchObject([{ code: 'LIST_INCOMPLETE_WARNING' }]);
    const { prompts } = await client.listPrompts();
    expect(prompts).toHaveLength(2);
  });

  it('are there only where a server has them', async () => {
    await using live = await openLiveGateway({ mcpServers: { bare: methods('{}') } });
    const client = await live.connect('http', 'modern');
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
    expect((await live.call(client, 'read_resource', { uri: 'a://b' })).error?.code).toBe('NOT_FOUND_OPERATION');
    expect(live.gateway.operations().map(({ operation }) => operation.name)).not.toContain('complete');
  });
});

describe('a server with resources', () => {
  it('that is away keeps its names, and the answer says when it is tried again', async () => {
    const source = `{
      capabilities: { resources: { listChanged: true } },
      'resources/list': () => ({ resources: [{ uri: 'a://1', name: 'one' }] }),
      'resources/read': () => process.exit(1),
    }`;
    await using directory = await makeDirectory();
    const mark = `${directory.path}/started`;
    const guarded = source.replace('{', `{ ...(${startsOnce(mark)}),`);
    await using live = await openLiveGateway({
      mcpServers: {
        gone: methods(guarded),
        other: methods("{ capabilities: { resources: {} }, 'resources/list': () => ({ resources: [] }) }"),
      },
    });
    const client = await live.connect('http', 'modern');
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'a://1' }]);
    await failureOf(client.readResource({ uri: 'a://1' }));
    const { data } = await failureOf(client.readResource({ uri: 'a://1' }));
    expect(data).toMatchObject({ error: { details: { upstream: 'gone', reason: 'unavailable', outcome: 'not_run' } } });
    const listed = await live.call(client, 'list_resources');
    expect(listed.data).toMatchObject([{ uri: 'a://1', upstream: 'gone' }]);
    expect(listed.warnings).toMatchObject([{ code: 'LIST_STALE_WARNING' }]);
  });

  it('of hundreds gives them in one page', async () => {
    const source = `{
      capabilities: { resources: {} },
      'resources/list': () => ({ resources: Array.from({ length: 250 }, (_, n) => ({ uri: 'a://' + n, name: 'n' })) }),
    }`;
    await using live = await openLiveGateway({ mcpServers: { many: methods(source) } });
    const client = await live.connect('http', 'legacy');
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
      sizes.push(page.resources.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([250]);
    const wrong = await failureOf(client.request({ method: 'resources/list', params: { cursor: 'mine' } }));
    expect(wrong.code).toBe(-32602);
    const first = await live.call(client, 'list_resources', { first: 10 });
    expect(first.data.items).toHaveLength(10);
  });

  it('whose text is large gives it in parts to a model, and whole to a client', async () => {
    const source = `{
      capabilities: { resources: {} },
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'line\\n'.repeat(200_000) }] }),
    }`;
    await using live = await openLiveGateway({ mcpServers: { large: methods(source) } });
    const client = await live.connect('http', 'modern');
    const { contents } = await client.readResource({ uri: 'a://1' });
    expect((contents[0] as { text: string }).text).toHaveLength(1_000_000);
    const cut = await live.call(client, 'read_resource', { uri: 'a://1' });
    expect(cut.warnings).toMatchObject([{ code: 'VALIDATION_TRUNCATED_WARNING' }]);
    expect(JSON.stringify(cut).length).toBeLessThan(200_000);
  });
});

describe('a large list or answer that is no call of a tool', () => {
  const source = (own: string) => `{
    capabilities: { resources: {}, prompts: {} },
    'resources/list': () => ({
      resources: Array.from({ length: 9_000 }, (_, n) => ({ uri: '${own}://' + n, name: 'n' + n, description: 'd'.repeat(60) })),
    }),
    'resources/read': ({ uri }) => ({
      contents: Array.from({ length: 30_000 }, (_, n) => ({ uri: uri + '/' + n, text: 'text ' + n, _meta: { n } })),
    }),
    'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
    'prompts/get': () => ({
      messages: Array.from({ length: 30_000 }, (_, n) => ({ role: 'user', content: { type: 'text', text: 'say ' + n } })),
    }),
  }`;

  it('is queried, cut and read on as any answer is', async () => {
    await using live = await openLiveGateway({
      mcpServers: { one: methods(source('one')), two: methods(source('two')) },
    });
    const client = await live.connect('http', 'modern');
    // Nobody waits for long: what is not read by then is missing, and a warning says so.
    const list = async () => {
      const asked = { filter: { name: 'n8999' }, fields: ['uri', 'upstream'] };
      return (await live.call(client, 'list_resources', asked)).data.items;
    };
    await expect.poll(list).toEqual([
      { uri: 'one://8999', upstream: 'one' },
      { uri: 'two://8999', upstream: 'two' },
    ]);
    const read = await live.call(client, 'read_resource', { uri: 'one://1' });
    expect(read.warnings).toMatchObject([{ code: 'VALIDATION_TRUNCATED_WARNING' }]);
    expect(read.data.content.slice(0, 2)).toEqual([
      { type: 'text', uri: 'one://1/0', text: 'text 0', _meta: { n: 0 } },
      { type: 'text', uri: 'one://1/1', text: 'text 1', _meta: { n: 1 } },
    ]);
    const prompt = await live.call(client, 'get_prompt', { name: 'two__p' });
    expect(prompt.data.messages[1]).toEqual({ role: 'user', text: 'say 1' });
  });
});

describe('what goes over the wire for resources and prompts', () => {
  const requests: readonly JsonObject[] = [
    { method: 'resources/list' },
    { method: 'resources/templates/list' },
    { method: 'resources/read', params: { uri: 'note://alpha' } },
    { method: 'resources/read', params: { uri: 'alpha://gone' } },
    { method: 'resources/read', params: { uri: 'note://shared' } },
    { method: 'resources/read', params: {} },
    { method: 'prompts/list' },
    { method: 'prompts/get', params: { name: 'ask_alpha', arguments: { who: 'me' } } },
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'ask_beta' }, argument: { name: 'who', value: '' } },
    },
  ];
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  async function post(url: string, message: JsonObject, headers: Record<string, string>) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
    const text = await response.text();
    const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
    return { headers: response.headers, answer: JSON.parse(json ?? 'null') as JsonObject };
  }

  it('is pinned in the legacy era', async () => {
    await using live = await openLiveGateway(TWO);
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const opened = await post(live.url, { method: 'initialize', params }, {});
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const answers = [];
    for (const request of requests) answers.push({ request, answer: (await post(live.url, request, session)).answer });
    await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot('../pins/resources-legacy.json');
  });

  it('is pinned in the modern era', async () => {
    await using live = await openLiveGateway(TWO);
    const answers = [];
    for (const request of requests) {
      const params = (request['params'] ?? {}) as JsonObject;
      const headers: Record<string, string> = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': String(request['method']),
      };
      const name = params['uri'] ?? (request['method'] === 'prompts/get' ? params['name'] : undefined);
      if (typeof name === 'string') headers['mcp-name'] = name;
      const { answer } = await post(live.url, { ...request, params: { ...params, _meta: envelope } }, headers);
      answers.push({ request, answer });
    }
    await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot('../pins/resources-modern.json');
  });
});

it('the audit journal says of which server a resource was read', async () => {
  await using directory = await makeDirectory();
  const audit = { enabled: true, calls: 'all', directory: directory.path };
  await using live = await openLiveGateway({ ...TWO, audit });
  const client = await live.connect('http', 'legacy');
  await client.readResource({ uri: 'note://beta' });
  const readJournals = async (): Promise<readonly string[]> => {
    const files = (await readdir(directory.path)).filter((name) => name.endsWith('.jsonl'));
    const texts = await Promise.all(files.map((name) => readFile(`${directory.path}/${name}`, 'utf8')));
    return texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('"read_resource"'));
  };
  await expect.poll(readJournals).toHaveLength(1);
  const [record = '{}'] = await readJournals();
  expect(JSON.parse(record)).toMatchObject({ upstream: 'beta', parameters: { uri: 'note://beta' } });
});

describe('policy about resources', () => {
  it('sees the URI as its server has it, however a caller writes it', async () => {
    const rules = [
      {
        name: 'secret',
        match: { operation: 'read_resource', params: { uri: { glob: 'note://alp*' } } },
        decision: 'deny',
      },
    ];
    await using live = await openLiveGateway({ ...TWO, policy: { rules } });
    const client = await live.connect('http', 'modern');
    for (const uri of ['note://alpha', 'mcp-aql://alpha/note://alpha', 'mcp-aql://alpha/note://alpha']) {
      expect((await live.call(client, 'read_resource', { uri })).error?.code).toBe('PERMISSION_DENIED');
      expect((await failureOf(client.readResource({ uri }))).message).toContain('Permission denied');
    }
    expect((await live.call(client, 'read_resource', { uri: 'note://beta' })).success).toBe(true);
  });

  it('asks, and the token alone runs the call that was asked about', async () => {
    const rules = [{ name: 'ask', match: { upstream: 'beta', operation: 'read_resource' }, decision: 'confirm' }];
    await using live = await openLiveGateway({ ...TWO, policy: { rules } });
    const client = await live.connect('http', 'modern');
    const asked = await live.call(client, 'read_resource', { uri: 'note://beta' });
    expect(asked.error?.code).toBe('CONFIRMATION_REQUIRED');
    const token = asked.error?.details?.['confirmation_token'];
    const read = await live.call(client, 'read_resource', { _confirmation: token });
    expect(read.data).toMatchObject({ by: 'beta' });
    const again = await live.call(client, 'read_resource', { _confirmation: token });
    expect(again.success).toBe(false);
  });
});

it('news of a part of a resource reaches those who subscribed to the whole', async () => {
  const source = `{
    capabilities: { resources: { subscribe: true } },
    'resources/subscribe': ({ uri }, { send }) => {
      for (const part of ['', '/1', '/1']) send({ method: 'notifications/resources/updated', params: { uri: uri + part } });
      return {};
    },
  }`;
  await using live = await openLiveGateway({ mcpServers: { one: methods(source) } });
  const client = await live.connect('stdio', 'legacy');
  const heard = newsOf(client);
  await client.subscribeResource({ uri: 'a://b' });
  expect([await heard.next(), await heard.next()]).toEqual(['updated a://b', 'updated a://b/1']);
});
