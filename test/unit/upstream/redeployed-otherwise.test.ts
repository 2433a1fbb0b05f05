import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as OlderServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, openPool, textOf } from './opened-pool.js';

const INFO = { name: 'redeployed', version: '1' };
const OPTIONS = { capabilities: { tools: { listChanged: true } } };
const listOf = (name: string) => ({ tools: [{ name, inputSchema: { type: 'object' as const } }] });
const answerOf = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function olderServer(name: string, ran: string[]): OlderServer {
  const server = new OlderServer(INFO, OPTIONS);
  server.setRequestHandler(ListToolsRequestSchema, () => listOf(name));
  server.setRequestHandler(CallToolRequestSchema, () => {
    ran.push(name);
    return answerOf(name);
  });
  return server;
}

/** What servers of the official SDKs are like, each as a life of its own. */
const FORMS: Readonly<Record<string, (name: string, ran: string[]) => Promise<RequestListener>>> = {
  /** One transport for all, as in most tutorials. */
  'one session': async (name, ran) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
    await olderServer(name, ran).connect(transport);
    return (request, response) => void transport.handleRequest(request, response);
  },
  'no sessions': async (name, ran) => async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const transport = new StreamableHTTPServerTransport({});
    await olderServer(name, ran).connect(transport);
    await transport.handleRequest(request, response);
  },
  /** Its sessions are known to each of its lives. */
  'kept sessions': async (name, ran) => async (request, response) => {
    if (request.method === 'GET')
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\n\n');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const transport = new StreamableHTTPServerTransport({});
    await olderServer(name, ran).connect(transport);
    response.setHeader('mcp-session-id', 'kept');
    await transport.handleRequest(request, response);
  },
  '2026-07-28': async (name, ran) => {
    const make = () => {
      const server = new Server(INFO, OPTIONS);
      server.setRequestHandler('tools/list', () => listOf(name));
      server.setRequestHandler('tools/call', () => {
        ran.push(name);
        return answerOf(name);
      });
      return server;
    };
    return toNodeHandler(createMcpHandler(make, { legacy: 'reject' })) as RequestListener;
  },
};

/** Each in the place of the one before. */
async function deploy(form: string) {
  const ran: string[] = [];
  const standing = new Set<ServerResponse>();
  const start = (next: string, name: string) => FORMS[next]!(name, ran);
  let handle = await start(form, 'before');
  const served = await listen((request, response) => {
    if (request.method === 'GET') standing.add(response);
    handle(request, response);
  }, 0);
  const config = anUpstream({ type: 'http', url: served.url, headers: {} });
  const opened = openPool(config);
  await opened.settled;
  return {
    opened,
    ran,
    standing,
    async redeploy(next: string) {
      handle = await start(next, 'after');
    },
    tools: () =>
      opened.lists
        .get('one')
        ?.at(-1)
        ?.map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await opened.pool.close();
      await served.close();
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

const NAMES = Object.keys(FORMS);
const PAIRS = NAMES.flatMap((before) => NAMES.map((after) => [before, after] as const));

describe('a server that is redeployed as one of another kind', () => {
  it.each(PAIRS)('(%s, then %s) is used at once, and each call runs once', async (before, after) => {
    await using server = await deploy(before);
    const { opened, ran } = server;
    expect(textOf(await opened.call('any'))).toBe('before');
    await server.redeploy(after);
    expect(textOf(await opened.call('any'))).toBe('after');
    expect(textOf(await opened.call('any'))).toBe('after');
    expect(ran).toEqual(['before', 'after', 'after']);
  });
});

describe('a server of 2025-11-25', () => {
  it('that has no stream for news is asked for its tools with the first call after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    await using server = await deploy('no sessions');
    await server.redeploy('no sessions');
    await server.opened.call('any');
    expect(server.tools()).toEqual(['before']);
    await vi.advanceTimersByTimeAsync(60_000);
    await server.opened.call('any');
    await server.opened.until(() => server.opened.news.includes('one list prompts'));
    expect(server.tools()).toEqual(['after']);
  });

  it('whose stream for news ended is asked for its tools when it is open again', async () => {
    await using server = await deploy('kept sessions');
    await expect.poll(() => server.standing.size).toBe(1);
    await server.redeploy('kept sessions');
    for (const response of server.standing) response.end();
    await server.opened.until(() => server.opened.news.includes('one list prompts'));
    expect(server.tools()).toEqual(['after']);
    expect(server.opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });
});
