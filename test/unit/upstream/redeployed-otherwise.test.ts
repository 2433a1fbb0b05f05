import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as OlderServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
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

const NAMES = Object.keys(FORMS);
const PAIRS = NAMES.flatMap((before) => NAMES.map((after) => [before, after] as const));

describe('a server that is redeployed as one of another kind', () => {
  it.each(PAIRS)('(%s, then %s) is used at once, and each call runs once', async (before, after) => {
    const ran: string[] = [];
    let handle = await FORMS[before]!('before', ran);
    const served = await listen((request, response) => handle(request, response), 0);
    await using opened = openPool(
      anUpstream({ type: 'http', url: served.url, headers: {} }, { connectTimeoutMs: 10_000 }),
    );
    await opened.settled;
    expect(textOf(await opened.call('any'))).toBe('before');
    handle = await FORMS[after]!('after', ran);
    expect(textOf(await opened.call('any'))).toBe('after');
    expect(textOf(await opened.call('any'))).toBe('after');
    expect(ran).toEqual(['before', 'after', 'after']);
    await opened.pool.close();
    await served.close();
  });
});
