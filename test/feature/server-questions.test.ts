import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.js';
import { type AskingServer, serveAskingHttp, serveAskingModernHttp } from '../fixtures/servers/asking.mjs';
import { type AskedClient, CLIENT_KINDS, connectAsked, type Target } from '../support/asked-client.js';
import { makeDirectory, REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';

const STDIO = { command: process.execPath, args: [join(REPOSITORY, 'test/fixtures/servers/asking-server.mjs')] };

const runs: string[] = [];
const onRun = (tool: string): void => void runs.push(tool);
let servers: AskingServer[] = [];
let gateway: ServedGateway;
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
      piped: STDIO,
      legacy: { url: legacy },
      modern: { url: modern },
      unrelated: { url: unrelated },
      silent: { ...STDIO, asks: { elicitation: 'deny', sampling: 'deny', roots: 'deny' } },
    },
  };
  gateway = await serveGateway(config);
  directory = await makeDirectory();
  configFile = join(directory.path, 'gateway.config.json');
  await writeFile(configFile, JSON.stringify(config));
}, 60_000);

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
  }, 60_000);
  afterAll(() => client?.[Symbol.asyncDispose]());

  it.each(UPSTREAMS)('answers what %s asks: forms, pages, texts and roots', async (upstream) => {
    asked.length = 0;
    elicit = (params) => {
      asked.push(params);
      return params['mode'] === 'url' ? { action: 'accept' } : accept({ name: 'Ann' });
    };
    const before = runs.length;
    expect(await client.call(`${upstream}__ask_form`)).toMatchObject({ data: { form: accept({ name: 'Ann' }) } });
    expect(await client.call(`${upstream}__ask_page`)).toMatchObject({ data: { page: { action: 'accept' } } });
    expect(await client.call(`${upstream}__get_model_text`)).toMatchObject({ data: { model: MODEL_ANSWER } });
    expect(await client.call(`${upstream}__ask_roots`)).toMatchObject({ data: { roots: ROOTS } });
    expect(await client.call(`${upstream}__ask_both`)).toMatchObject({
      data: { form: accept({ name: 'Ann' }), model: MODEL_ANSWER },
    });
    expect(asked.slice(0, 3)).toMatchObject([
      { message: `The server '${upstream}' asks: What is your name?` },
      {
        message: `The server '${upstream}' asks you to open a page of pay.example: Please pay`,
        url: 'https://pay.example/checkout',
      },
      { messages: [{ content: { text: 'Say hello' } }] },
    ]);
    expect(asked[2]).not.toHaveProperty('includeContext');
    if (way === 'http' && upstream === 'legacy') expect(runs.slice(before)).toHaveLength(5);
  });

  it.each(UPSTREAMS)('passes on to %s that the user declines, or closes the question', async (upstream) => {
    for (const action of ['decline', 'cancel']) {
      elicit = () => ({ action });
      expect(await client.call(`${upstream}__ask_form`)).toMatchObject({ data: { form: { action } } });
    }
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

describe.each(CLIENT_KINDS)('%s that cannot be asked', (kind) => {
  it.each(UPSTREAMS)('is told what %s asked for', async (upstream) => {
    await using client = await connectAsked(kind, targets.http());
    const { success, error } = await client.call(`${upstream}__ask_form`);
    expect(success).toBe(false);
    expect(JSON.stringify(error)).toMatch(/input in a form, which this client|elicitation, which this client/);
  });
});
