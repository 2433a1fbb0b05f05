import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/base/json/json.js';

/** A tool, and what it gives. */
export interface ServedTool {
  readonly name: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
  /** Its server says that it only reads, unless this is set. */
  readonly writes?: true;
  /** The result as MCP has it: `content`, `structuredContent`, ... */
  readonly answer: (args: JsonObject) => JsonObject | Promise<JsonObject>;
}

export interface ToolServer extends AsyncDisposable {
  readonly url: string;
  /** The calls so far, oldest first. */
  readonly calls: readonly ServedCall[];
}

interface ServedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly headers: IncomingHttpHeaders;
}

/** One text block for each text. */
export function textBlocks(...texts: readonly string[]): JsonObject {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: JsonObject; readonly _meta?: JsonObject };
}

/**
 * An upstream over HTTP with these tools, for answers in forms that other servers do not have.
 * @param introduction members of its answer to `initialize`
 */
export async function startToolServer(
  tools: readonly ServedTool[],
  introduction: JsonObject = {},
): Promise<ToolServer> {
  const calls: ServedCall[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await readBody(request)) as RpcRequest;
    if (message.id === undefined) return void response.writeHead(202).end();
    const { name = '', arguments: args = {}, _meta: meta = {} } = message.params ?? {};
    if (message.method === 'tools/call') calls.push({ name, args, meta, headers: request.headers });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(await answerTo(message, tools, introduction)) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerTo(
  { method, params = {} }: RpcRequest,
  tools: readonly ServedTool[],
  introduction: JsonObject,
): Promise<object> {
  if (method === 'initialize') {
    const serverInfo = { name: 'tools', version: '1.0.0' };
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo, ...introduction } };
  }
  if (method === 'tools/list') {
    const listed = tools.map(({ name, description = 'Lists things.', properties = {}, required = [], writes }) => ({
      name,
      description,
      inputSchema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
      annotations: writes === true ? { readOnlyHint: false, destructiveHint: false } : { readOnlyHint: true },
    }));
    return { result: { tools: listed } };
  }
  const found = tools.find(({ name }) => name === params.name);
  if (method !== 'tools/call' || found === undefined) return { error: { code: -32601, message: 'Method not found' } };
  return { result: await found.answer(params.arguments ?? {}) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
