import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type AskingServer, serveAskingHttp, serveAskingModernHttp } from '../fixtures/servers/asking.mjs';
import { type AskedClient, CLIENT_KINDS, connectAsked, type Target } from '../support/asked-client.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { waitFor } from '../support/patience.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

const STDIO = { command: process.execPath, args: [join(REPOSITORY, 'test/fixtures/servers/asking-server.mjs')] };

const runs: string[] = [];
const onRun = (tool: string): void => void runs.push(tool);
let servers: AskingServer[] = [];
let gateway: RunningGateway;
let directory: Awaited<ReturnType<typeof makeDirectory>>;
let configFile: string;

beforeAll(async () => {
  servers = [
    await serveAskingHttp({ onRun }),
    await serveAskingModernHttp({ onRun }),
    await serveAskingHttp({ unrelated: true }),
  ];
  const [legacy, modern, unrelated] = servers.map(({ url }) => url);
  const config = {
    endpoint: { mode: 'single' },
    audit: { calls: 'all' },
    mcpServers: {
      piped: { ...STDIO, asks: { roots: 'allow' } },
      legacy: { url: legacy, asks: { roots: 'allow' } },
      modern: { url: modern },
      unrelated: { url: unrelated },
      silent: { ...STDIO, asks: { elicitation: 'deny', sampling: 'deny', roots: 'deny' } },
    },
  };
  gateway = await hostGateway(config);
  directory = await makeDirectory();
  configFile = join(directory.path, 'gateway.config.json');
  await writeFile(configFile, JSON.stringify(config));
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await directory?.[Symbol.asyncDispose]();
  for (const server of servers) await server.close();
});

const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content });

const MODEL_ANSWER = { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm', stopReason: 'endTurn' };

const ROOTS = { roots: [{ uri: 'file:///work', name: 'work' }] };

const targets: Readonly<Record<'http' | 'stdio', () => Target>> = {
  http: () => ({ url: gateway.url }),
  stdio: () => ({ configFile }),
};

const UPSTREAMS = ['piped', 'legacy', 'modern'] as const;

const WAYS = CLIENT_KINDS.flatMap((kind) => (['http', 'stdio'] as const).map((way) => ({ kind, way })));

describe.each(WAYS)('$kind over $way', ({ kind, way }) => {
  let client: AskedClient;
  let elicit: (params: JsonObject) => JsonObject = () => ({ action: 'cancel' });
  const asked: JsonObject[] = [];
  beforeAll(async () => {
    client = await connectAsked(kind, targets[way](), {
      elicit: (params) => elicit(params),
      sample: (params) => {
        asked.push(params);
        return MODEL_ANSWER;
      },
      roots: () => ROOTS,
    });
    for (const upstream of UPSTREAMS) {
      await waitFor(async () => expect((await client.call(`${upstream}__show_capabilities`)).success).toBe(true), {
        interval: 500,
      });
    }
  });
  afterAll(() => client?.[Symbol.asyncDispose]());

  it.each(UPSTREAMS)('passes on to %s that the user declines, or closes the question', async (upstream) => {
    for (const action of ['decline', 'cancel']) {
      elicit = () => ({ action });
      expect(await client.call(`${upstream}__ask_form`)).toMatchObject({ data: { form: { action } } });
    }
  });

  it.each(UPSTREAMS)('answers what %s asks before it gives a prompt or a resource', async (upstream) => {
    elicit = () => accept({ name: 'Ann' });
    const answer = JSON.stringify(accept({ name: 'Ann' }));
    const uri = `mcp-aql://${upstream}/asking://name`;
    const name = `${upstream}__asking`;
    expect((await client.client.getPrompt({ name })).messages).toMatchObject([
      { content: { text: `Greet ${answer}` } },
    ]);
    expect((await client.client.readResource({ uri })).contents).toMatchObject([{ uri, text: answer }]);
    expect(JSON.stringify(await client.call('get_prompt', { name }))).toContain('Greet');
    expect((await client.call('read_resource', { uri })).data).toEqual(accept({ name: 'Ann' }));
  });

  it.each(UPSTREAMS)('answers question after question of %s in one call', async (upstream) => {
    elicit = ({ message }) => accept({ name: String(message) });
    expect(await client.call(`${upstream}__ask_twice`)).toMatchObject({
      data: {
        first: accept({ name: `The server '${upstream}' asks: First?` }),
        second: accept({ name: `The server '${upstream}' asks: Second?` }),
      },
    });
  });
});

// Before calls are cancelled: as long as one may go on, it is not certain whose question it is.
it.each(['SDK v2 legacy', 'SDK v1'] as const)(
  "servers learn that the roots of a client have changed before that client's next call, and no other client is asked: %s",
  async (kind) => {
    let roots: JsonObject = ROOTS;
    const asked = { own: 0, others: 0 };
    await using client = await connectAsked(kind, targets.http(), {
      roots: () => {
        asked.own += 1;
        return roots;
      },
    });
    await using other = await connectAsked(kind, targets.http(), {
      roots: () => {
        asked.others += 1;
        return ROOTS;
      },
    });
    for (const upstream of ['piped', 'legacy']) {
      roots = ROOTS;
      await client.client.sendRootsListChanged();
      expect(await client.call(`${upstream}__known_roots`)).toMatchObject({ data: ROOTS });
      roots = { roots: [{ uri: 'file:///elsewhere', name: upstream }] };
      await client.client.sendRootsListChanged();
      expect(await client.call(`${upstream}__known_roots`)).toMatchObject({ data: roots });
      const before = asked.own;
      expect(await client.call(`${upstream}__known_roots`)).toMatchObject({ data: roots });
      await other.call(`${upstream}__known_roots`);
      expect(asked).toEqual({ own: before, others: 0 });
    }
  },
);

describe.each(CLIENT_KINDS)('%s that cannot be asked', (kind) => {
  it.each(UPSTREAMS)('is told what %s asked for', async (upstream) => {
    await using client = await connectAsked(kind, targets.http());
    const { success, error } = await client.call(`${upstream}__ask_form`);
    expect(success).toBe(false);
    expect(JSON.stringify(error)).toMatch(/input in a form, which this client|elicitation, which this client/);
  });
});

describe.each(CLIENT_KINDS)('%s', (kind) => {
  const newGate = () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it.each(UPSTREAMS)('gets its own questions while another client is asked by %s', async (upstream) => {
    const gate = newGate();
    const seen: string[] = [];
    const user = (name: string) => ({
      elicit: async ({ message }: JsonObject) => {
        seen.push(`${name}: ${message}`);
        if (name === 'Ann') await gate.opened;
        return accept({ name });
      },
    });
    await using ann = await connectAsked(kind, targets.http(), user('Ann'));
    await using bob = await connectAsked('SDK v1', targets.http(), user('Bob'));
    const first = ann.call(`${upstream}__ask_form`, { message: 'for Ann' });
    await waitFor(() => expect(seen).toHaveLength(1));
    const second = await bob.call(`${upstream}__ask_form`, { message: 'for Bob' });
    gate.open();
    expect(await first).toMatchObject({ data: { form: accept({ name: 'Ann' }) } });
    // Over one pipe it is not certain whose question it is while both calls run.
    if (upstream === 'piped') expect(JSON.stringify(second.error)).toContain('without saying for which of its calls');
    else expect(second).toMatchObject({ data: { form: accept({ name: 'Bob' }) } });
    expect(seen.filter((line) => line.startsWith('Ann') === line.includes('for Bob'))).toEqual([]);
  });

  it('ends the question when its call is cancelled', async () => {
    const closed = newGate();
    const abort = new AbortController();
    await using client = await connectAsked(kind, targets.http(), {
      elicit: async (_params, signal) => {
        signal?.addEventListener('abort', closed.open);
        abort.abort();
        await closed.opened;
        return { action: 'cancel' };
      },
    });
    await expect(client.call('legacy__ask_form', {}, abort.signal)).rejects.toThrow();
    // A modern client closes its dialog itself.
    if (kind !== 'SDK v2 modern') await closed.opened;
    closed.open();
  });
});

it('a question that comes on no stream of a call is answered where only one call is in flight', async () => {
  await using client = await connectAsked('SDK v1', targets.http(), { elicit: () => accept({ name: 'Ann' }) });
  expect(await client.call('unrelated__ask_form')).toMatchObject({ data: { form: accept({ name: 'Ann' }) } });
});

it('a server that may not ask is told so from the beginning, and the audit trail holds no content', async () => {
  const secret = 'content-of-the-answer';
  await using client = await connectAsked('SDK v1', targets.http(), { elicit: () => accept({ name: secret }) });
  expect((await client.call('piped__show_capabilities')).data).toMatchObject({ elicitation: { form: {}, url: {} } });
  expect((await client.call('silent__show_capabilities')).data).toEqual({});
  expect((await client.call('silent__ask_form')).success).toBe(false);
  await client.call('legacy__ask_form');
  const folder = join(gateway.directory, '.mcp-aql', 'audit');
  const read = async (): Promise<string> => {
    const files = await readdir(folder);
    return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('');
  };
  await waitFor(async () => expect(await read()).toMatch(/"type":"question","upstream":"legacy"[^\n]*"accept"/));
  const journal = await read();
  expect(journal).not.toContain(secret);
  expect(journal).not.toContain('What is your name');
});

it.each(CLIENT_KINDS)('a call that waits for answers runs, is charged and is recorded once: %s', async (kind) => {
  const [legacy] = servers;
  const limits = [{ name: 'two', metric: 'requests_per_day', hard_stop: 2 }];
  await using own = await hostGateway({
    endpoint: { mode: 'single' },
    audit: { calls: 'all' },
    quotas: { limits },
    mcpServers: { legacy: { url: legacy?.url } },
  });
  await using client = await connectAsked(kind, { url: own.url }, { elicit: () => accept({ name: 'Ann' }) });
  const before = runs.length;
  expect((await client.call('legacy__ask_twice')).success).toBe(true);
  expect((await client.call('legacy__ask_twice')).success).toBe(true);
  expect((await client.call('legacy__ask_twice')).error?.code).toBe('RATE_LIMIT_QUOTA_EXHAUSTED');
  expect(runs.slice(before)).toEqual(['ask_twice', 'ask_twice']);
  await waitFor(async () => {
    const folder = join(own.directory, '.mcp-aql', 'audit');
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
    const calls = texts.join('').match(/"operation":"(?:legacy__)?ask_twice"/g) ?? [];
    expect(calls).toHaveLength(3);
  });
});

it('the items of a batch are asked about like single calls', async () => {
  await using client = await connectAsked('SDK v2 modern', targets.http(), {
    elicit: ({ message }) => accept({ name: String(message) }),
  });
  const operations = ['legacy__ask_form', 'modern__ask_twice', 'piped__ask_form'].map((operation) => ({ operation }));
  const answer = await client.batch(operations);
  expect(JSON.stringify(answer)).toContain("The server 'legacy' asks: What is your name?");
  expect(JSON.stringify(answer)).toContain("The server 'modern' asks: Second?");
  expect(JSON.stringify(answer)).toContain("The server 'piped' asks: What is your name?");
});

it.each(CLIENT_KINDS)(
  'a cancelled batch ends the item in flight at its server, and starts no other: %s',
  async (kind) => {
    await using client = await connectAsked(kind, targets.http());
    for (const upstream of ['legacy', 'modern']) {
      const before = runs.length;
      const abort = new AbortController();
      const batch = client.batch(
        [{ operation: `${upstream}__wait_for`, params: { name: kind } }, { operation: `${upstream}__log_lines` }],
        abort.signal,
      );
      const ended = expect(batch).rejects.toThrow();
      await waitFor(() => expect(runs.slice(before)).toEqual(['wait_for']));
      abort.abort();
      await ended;
      await waitFor(() => expect(runs.slice(before)).toEqual(['wait_for', 'cancelled']));
      await client.call(`${upstream}__show_capabilities`);
      expect(runs.slice(before)).toEqual(['wait_for', 'cancelled', 'show_capabilities']);
    }
  },
);

describe('log messages', () => {
  it.each(['SDK v2 legacy', 'SDK v1'] as const)('reach the session whose call causes them: %s', async (kind) => {
    await using client = await connectAsked(kind, targets.http());
    await using other = await connectAsked(kind, targets.http());
    await client.client.setLoggingLevel('info');
    await other.client.setLoggingLevel('debug');
    const lines = await collectLogs(client);
    const others = await collectLogs(other);
    for (const upstream of ['piped', 'legacy']) {
      await client.call(`${upstream}__log_lines`, { level: 'warning', count: 2 });
      await client.call(`${upstream}__log_lines`, { level: 'debug' });
      await waitFor(() => expect(lines.filter(({ logger }) => logger === `${upstream}/worker`)).toHaveLength(2));
    }
    expect(lines[0]).toEqual({ level: 'warning', logger: 'piped/worker', data: 'line 1' });
    lines.length = 0;
    const logged = (upstream: string, level: string) => ({ operation: `${upstream}__log_lines`, params: { level } });
    await client.batch([logged('piped', 'error'), logged('piped', 'debug'), logged('legacy', 'critical')]);
    await waitFor(() => expect(lines.map(({ level }) => level)).toEqual(['error', 'critical']));
    expect(others).toEqual([]);
  });

  it('are not sent to a session that has not asked for them', async () => {
    await using client = await connectAsked('SDK v1', targets.http());
    const lines = await collectLogs(client);
    await client.call('piped__log_lines', { level: 'emergency' });
    expect(lines).toEqual([]);
  });
});

it('log messages reach a client of 2026-07-28 that names a level with its request, which may be a batch', async () => {
  const call = { operation: 'modern__log_lines', params: { level: 'warning', count: 2 } };
  const linesOf = async (level: string, sent: JsonObject): Promise<number> => {
    const _meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': level };
    const { text } = await sendHttp(gateway.url, {
      headers: modernHeaders('tools/call', 'mcp_aql'),
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'mcp_aql', arguments: sent, _meta } },
    });
    return text.match(/"notifications\/message"/g)?.length ?? 0;
  };
  const batch = { operations: [call, { ...call, params: { level: 'debug' } }, call] };
  expect([await linesOf('info', call), await linesOf('error', call), await linesOf('info', batch)]).toEqual([2, 0, 4]);
});

async function collectLogs({ client }: AskedClient): Promise<JsonObject[]> {
  const lines: JsonObject[] = [];
  if (client instanceof Client) {
    client.setNotificationHandler('notifications/message', ({ params }) => void lines.push(params));
  } else {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void lines.push(params));
  }
  return lines;
}

it.each(['SDK v2 legacy', 'SDK v1'] as const)(
  'a question that %s does not answer in time ends its call with one answer, and the next call is served',
  async (kind) => {
    const legacy = servers[0]?.url;
    await using own = await hostGateway({
      endpoint: { mode: 'single' },
      server: { questionTimeoutMs: 1_000 },
      mcpServers: { legacy: { url: legacy }, piped: STDIO },
    });
    await using client = await connectAsked(kind, { url: own.url }, { elicit: () => new Promise(() => undefined) });
    for (const upstream of ['legacy', 'piped']) {
      await waitFor(async () => expect((await client.call(`${upstream}__show_capabilities`)).success).toBe(true), {
        interval: 200,
      });
      const unanswered = await client.call(`${upstream}__ask_form`);
      expect(unanswered).toMatchObject({ success: false, error: { code: expect.any(String) } });
      expect(unanswered.error?.message).toMatch(/No answer within 1 s/);
      expect((await client.call(`${upstream}__show_capabilities`)).success).toBe(true);
    }
  },
);
