import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tools/call exactly as received. */
export interface ReceivedCall {
  readonly name: string;
  readonly arguments: unknown;
}

export interface ReplayServer extends AsyncDisposable {
  /** The MCP endpoint that replays one catalogue. */
  urlOf(catalogue: string): string;
  /** Every call that reached it, oldest first. */
  readonly calls: readonly ReceivedCall[];
}

/**
 * Serves captured tool lists over Streamable HTTP, one path for each catalogue, and answers each call with what it received.
 * It uses plain JSON-RPC without the SDK, so that nothing is validated, dropped or reordered.
 */
export async function startReplayServer(catalogues: ReadonlyMap<string, readonly unknown[]>): Promise<ReplayServer> {
  const calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(await readBody(request)) as RpcRequest;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === 'tools/call') {
      calls.push({ name: message.params?.name ?? '', arguments: message.params?.arguments });
    }
    const answer = answerTo(message, catalogues.get(name) ?? []);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    urlOf: (catalogue) => `http://127.0.0.1:${port}/${encodeURIComponent(catalogue)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly cursor?: string };
}

const PAGE = 40;

function answerTo({ method, params = {} }: RpcRequest, tools: readonly unknown[]): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'replay', version: '1.0.0' };
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') {
    const from = Number(params.cursor ?? 0);
    const more = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
    return { result: { tools: tools.slice(from, from + PAGE), ...more } };
  }
  if (method === 'tools/call') {
    const structuredContent = { name: params.name, arguments: params.arguments };
    return { result: { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent } };
  }
  return { error: { code: -32601, message: 'Method not found' } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
