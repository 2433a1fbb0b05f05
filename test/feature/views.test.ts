import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { callMessage, initializeMessage, sendHttp } from '../support/raw-http.js';
import { type ServedTool, startToolServer, textBlocks } from '../support/tool-server.js';

const TOKENS = {
  reader: 'reader-has-a-long-token',
  writer: 'writer-has-a-long-token',
  guest: 'guest-has-a-long-token',
};

const clients = Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }]));

/** Which notes there are depends on who reads, as the view says by its rules. */
const TOOLS: readonly ServedTool[] = [
  {
    name: 'list_notes',
    properties: { folder: { type: 'string' } },
    answer: ({ folder }) => textBlocks(JSON.stringify([{ id: 1, folder: folder ?? 'public' }])),
  },
  { name: 'create_note', properties: { text: { type: 'string' } }, writes: true, answer: () => textBlocks('created') },
  { name: 'delete_note', properties: { id: { type: 'string' } }, writes: true, answer: () => textBlocks('deleted') },
  {
    name: 'list_rows',
    answer: () => textBlocks(JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, text: 'x'.repeat(80) })))),
  },
];

const VIEWS = {
  reading: {
    description: 'The notes of the team.',
    operations: { categories: ['READ'] },
    clients: ['reader'],
    policy: {
      rules: [
        {
          match: { operation: 'list_notes', params: { folder: { equals: 'private' } } },
          decision: 'deny',
          reason: 'only writers read them',
        },
      ],
    },
  },
  writing: { clients: ['writer'], mode: 'semantic' },
  writing_too: { clients: ['writer'] },
  open: { operations: { include: 'list_rows' } },
};

async function open(more: object = {}): Promise<LiveGateway> {
  const server = await startToolServer(TOOLS);
  const live = await openLiveGateway({ clients, mcpServers: { notes: { url: server.url } }, views: VIEWS, ...more });
  return {
    ...live,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function namesIn(live: LiveGateway, client: Client): Promise<readonly string[]> {
  const { data } = await live.call(client, 'introspect', { query: 'operations' });
  return data.operations.map(({ name }: { readonly name: string }) => name).sort();
}

async function callTool(
  client: Client,
  name: string,
  args: JsonObject,
): Promise<{ readonly success: boolean; readonly error?: JsonObject }> {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse(String((content as readonly JsonObject[])[0]?.['text']));
}

const as = (who: keyof typeof TOKENS, more: object = {}) => ({ authorization: `Bearer ${TOKENS[who]}`, ...more });

describe('clients that are bound to views', () => {
  it.each(['legacy', 'modern'] as const)('see other operations, and other data of one server (%s)', async (era) => {
    await using live = await open();
    const reader = await live.connect('http', era, TOKENS.reader, 'reading');
    const writer = await live.connect('http', era, TOKENS.writer, 'writing');
    expect(await namesIn(live, reader)).toEqual(['introspect', 'list_notes', 'list_rows']);
    expect((await writer.listTools()).tools.map(({ name }) => name)).toContain('mcp_aql_create');
    expect((await reader.listTools()).tools.map(({ name }) => name)).toEqual(['mcp_aql']);
    expect(reader.getInstructions()).toMatch(/^The notes of the team\./);

    expect((await live.call(reader, 'list_notes')).data).toEqual([{ id: 1, folder: 'public' }]);
    const denied = await live.call(reader, 'list_notes', { folder: 'private' });
    expect(denied.error).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining('only writers') });
    const args = { operation: 'list_notes', params: { folder: 'private' } };
    expect(await callTool(writer, 'mcp_aql_read', args)).toMatchObject({ data: [{ folder: 'private' }] });

    const hidden = await live.call(reader, 'create_note', { text: 'x' });
    const unknown = await live.call(reader, 'paint_house', { text: 'x' });
    expect(hidden.error?.code).toBe('NOT_FOUND_OPERATION');
    expect(JSON.stringify(hidden.error)).not.toMatch(/delete_note|mcp_aql_create/);
    expect(unknown.error?.code).toBe(hidden.error?.code);
  });

  it('are refused everywhere else, with the addresses of their views', async () => {
    await using live = await open();
    const post = (path: string, who: keyof typeof TOKENS) =>
      sendHttp(`${live.url}${path}`, { headers: as(who), body: initializeMessage() });
    const refused = await post('', 'writer');
    expect([refused.status, refused.json.error.message]).toEqual([
      403,
      'Forbidden: this client sees /mcp/writing, /mcp/writing_too alone.',
    ]);
    for (const path of ['/reading', '/open', '/nothing']) expect((await post(path, 'writer')).status).toBe(403);
    expect((await post('/writing', 'writer')).status).toBe(200);
  });

  it('have views of their own: to others these do not exist', async () => {
    await using live = await open();
    const post = (path: string, headers: Record<string, string>) =>
      sendHttp(`${live.url}${path}`, { headers, body: initializeMessage() });
    const [bound, none] = [await post('/reading', as('guest')), await post('/nothing', as('guest'))];
    expect([bound.status, bound.json.error.message]).toEqual([none.status, none.json.error.message]);
    expect(bound.json.error.message).toBe(
      'Not found: there is no such view for this client. It may use /mcp, /mcp/open.',
    );
    expect([(await post('', as('guest'))).status, (await post('/open', as('guest'))).status]).toEqual([200, 200]);
    const unknown = await post('/nothing', {});
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('may be served their view on the plain address', async () => {
    await using live = await open({ server: { port: 0, defaultView: 'reading' } });
    const reader = await live.connect('http', 'legacy', TOKENS.reader);
    expect(await namesIn(live, reader)).toEqual(['introspect', 'list_notes', 'list_rows']);
    const { status } = await sendHttp(live.url, { headers: as('guest'), body: initializeMessage() });
    expect(status).toBe(404);
  });
});

describe('what belongs to one view', () => {
  const destroy = { operation: 'delete_note', params: { id: '1' } };
  const config = { policy: { rules: [{ match: { operation: 'delete_note' }, decision: 'confirm' }] } };

  it('does not confirm a call in another: a token is bound to its view', async () => {
    await using live = await open(config);
    const here = await live.connect('http', 'modern', TOKENS.writer, 'writing_too');
    const there = await live.connect('http', 'modern', TOKENS.writer, 'writing');
    const asked = await callTool(here, 'mcp_aql', destroy);
    const token = (asked.error?.['details'] as JsonObject | undefined)?.['confirmation_token'];
    const confirmed = { operation: 'delete_note', params: { id: '1', _confirmation: token } };
    expect(await callTool(there, 'mcp_aql_delete', confirmed)).toMatchObject({
      success: false,
      error: { code: 'TOKEN_INVALID' },
    });
    expect(await callTool(here, 'mcp_aql', confirmed)).toMatchObject({ success: true });
  });

  it('is not read on in another: neither handles, cursors nor sessions', async () => {
    await using live = await open({ results: { maxTokens: 2_500 } });
    const here = await live.connect('http', 'modern', TOKENS.writer, 'writing_too');
    const there = await live.connect('http', 'modern', TOKENS.writer, 'writing');
    const first = await live.call(here, 'list_rows', { first: 10 });
    const after = String(first.data?.pageInfo?.endCursor ?? '');
    expect(after).not.toBe('');
    const next = { operation: 'list_rows', params: { first: 10, after } };
    expect(await callTool(here, 'mcp_aql', next)).toMatchObject({ success: true });
    expect(await callTool(there, 'mcp_aql_read', next)).toMatchObject({ success: false });

    const opened = await sendHttp(`${live.url}/writing`, { headers: as('writer'), body: initializeMessage() });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const call = (path: string) =>
      sendHttp(`${live.url}${path}`, { headers: as('writer', session), body: callMessage(1) });
    expect([(await call('/writing_too')).status, (await call('/writing')).status]).toEqual([404, 200]);
  });
});

describe('the rules of a view', () => {
  it('never allow what the gateway denies; a rule of the policy may, for one view', async () => {
    await using live = await open({
      policy: {
        rules: [
          { match: { operation: 'create_note' }, decision: 'deny' },
          { match: { view: 'writing', operation: 'list_rows' }, decision: 'deny', reason: 'too many' },
        ],
      },
    });
    const { gateway } = live;
    const decide = (name: string | undefined, operation: string): string => {
      const shown = name === undefined ? gateway : gateway.inView(name);
      const found = shown?.operations().find((each) => each.operation.name === operation)?.operation;
      if (shown === undefined || found === undefined) return 'not there';
      return shown.explainPolicy({ operation: found, params: {} }).decision.effect;
    };
    expect([
      decide(undefined, 'list_rows'),
      decide('writing', 'list_rows'),
      decide('writing_too', 'list_rows'),
    ]).toEqual(['allow', 'deny', 'allow']);
    expect([decide('writing', 'create_note'), decide('reading', 'create_note')]).toEqual(['deny', 'not there']);
    const rows = gateway
      .inView('writing')
      ?.operations()
      .find(({ operation }) => operation.name === 'list_rows')?.operation;
    if (rows === undefined) throw new Error('no list_rows');
    expect(gateway.explainPolicy({ operation: rows, params: {} }).rules.map(({ why }) => why)).toContainEqual(
      expect.stringContaining("the call is in no view, and would have to be in 'writing'"),
    );
  });
});

describe('views of a changed configuration', () => {
  it('are in force at once: a removed one ends, an added one is there, a changed one shows and admits others', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = { count: 0 };
    const held: ServedTool = {
      name: 'list_slowly',
      answer: async () => {
        begun.count += 1;
        await released;
        return textBlocks('[]');
      },
    };
    await using server = await startToolServer([...TOOLS, held]);
    const config = { clients, mcpServers: { notes: { url: server.url } } };
    await using live = await openLiveGateway({ ...config, views: VIEWS });
    const writer = await live.connect('http', 'legacy', TOKENS.writer, 'writing_too');
    const modern = await live.connect('http', 'modern', TOKENS.writer, 'writing_too');
    const reader = await live.connect('http', 'legacy', TOKENS.reader, 'reading');
    const guest = await live.connect('http', 'legacy', TOKENS.guest, 'open');
    const changed = new Promise((resolve) => {
      reader.setNotificationHandler('notifications/tools/list_changed', resolve);
    });
    const calls = [writer, modern].map((client) => live.call(client, 'list_slowly'));
    await expect.poll(() => begun.count).toBe(2);

    const { writing_too: _removed, ...views } = VIEWS;
    const state = await live.reload({
      ...config,
      views: {
        ...views,
        reading: { ...VIEWS.reading, mode: 'semantic', operations: { include: ['list_rows'] } },
        open: { ...VIEWS.open, clients: ['writer'] },
        added: { clients: ['writer'], upstreams: 'notes' },
      },
    });
    expect(state).toMatchObject({
      outcome: 'applied',
      changes: "views 'reading', 'writing_too', 'open', 'added'; policy",
    });
    await changed;
    expect(await callTool(reader, 'mcp_aql_read', { operation: 'list_notes' })).toMatchObject({
      error: { code: 'NOT_FOUND_OPERATION' },
    });
    const added = await live.connect('http', 'modern', TOKENS.writer, 'added');
    expect(await namesIn(live, added)).toContain('create_note');
    const refused = 'this client sees /mcp/writing, /mcp/open, /mcp/added alone';
    await expect(live.call(writer, 'list_notes')).rejects.toThrow(refused);
    await expect(live.call(guest, 'list_rows')).rejects.toThrow('there is no such view for this client');

    release();
    expect((await Promise.all(calls)).map(({ success }) => success)).toEqual([true, true]);
    const ended = () => live.observations.filter((each) => each.kind === 'session' && each.event === 'closed').length;
    await expect.poll(ended).toBe(1);
    await live.reload({ ...config, server: { port: 0, defaultView: 'reading' }, views: VIEWS });
    await live.connect('http', 'modern', TOKENS.reader);
    expect(
      (await live.call(await live.connect('http', 'legacy', TOKENS.writer, 'writing_too'), 'list_notes')).success,
    ).toBe(true);
  });
});

it('serves a view over stdio', async () => {
  await using live = await open();
  const client = await live.connect('stdio', 'legacy', undefined, 'open');
  expect(await namesIn(live, client)).toEqual(['introspect', 'list_rows']);
  expect((await live.call(client, 'list_notes')).error?.code).toBe('NOT_FOUND_OPERATION');
});

it('says at the start which view shows nothing, and which is cut by its token budget', async () => {
  await using live = await open({
    views: {
      small: { mode: 'semantic', tokenBudget: 450 },
      none: { upstreams: 'nothing' },
      fits: { tokenBudget: 5_000 },
    },
  });
  const notices = live.observations.flatMap((each) => (each.kind === 'notice' ? [each.message] : []));
  expect(notices).toContainEqual("The view 'none' has no operation of the servers that are connected.");
  expect(notices).toContainEqual(
    expect.stringMatching(/^The tools of view 'small' are shown in less space .* mode 'single'/),
  );
  expect(notices.join(' ')).not.toContain("'fits'");
  expect(live.gateway.inView('small')?.shown().mode).toBe('single');
});
