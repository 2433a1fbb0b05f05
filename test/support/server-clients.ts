import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { JsonObject } from '../../src/base/json/json.js';
import type { Observation } from '../../src/base/observe/observation.js';
import { openHttpServer } from '../../src/server/http/http-server.js';
import { serveStdio } from '../../src/server/stdio/stdio-server.js';
import type { FakeGateway } from './fake-gateway.js';

export const SERVER_INFO = { name: 'server-under-test', version: '1.2.3' };

export interface CallOptions {
  readonly onprogress?: (progress: JsonObject) => void;
  readonly signal?: AbortSignal;
}

/** What the clients of both SDK lines have in common, as far as the tests of the servers need it. */
export interface GatewayClient {
  listTools(): Promise<JsonObject>;
  callTool(name: string, args: JsonObject, options?: CallOptions): Promise<JsonObject>;
  request(method: string): Promise<unknown>;
  instructions(): string | undefined;
  serverName(): string | undefined;
  /** Resolves at the next `tools/list_changed`; listening has begun when the outer promise resolves. */
  listenForChange(): Promise<{ readonly changed: Promise<void> }>;
  close(): Promise<void>;
}

export interface Connection {
  readonly name: string;
  readonly transport: 'http' | 'stdio';
  readonly era: 'legacy' | 'modern';
  open(gateway: FakeGateway, options?: ClientOptions): Promise<GatewayClient>;
}

export interface ClientOptions {
  /** The client's user: takes the params of `elicitation/create` and gives its result. */
  readonly user?: (params: JsonObject) => JsonObject | Promise<JsonObject>;
  /** The bearer token over HTTP. */
  readonly token?: string;
}

const CLIENT_INFO = { name: 'test-client', version: '1.0.0' };

/** Each way in which a client of the SDKs reaches a server. */
export const CONNECTIONS: readonly Connection[] = [
  {
    name: 'SDK v2, modern, HTTP',
    transport: 'http',
    era: 'modern',
    open: (gateway, options) => openHttp(gateway, newer('auto', options)),
  },
  {
    name: 'SDK v2, legacy, HTTP',
    transport: 'http',
    era: 'legacy',
    open: (gateway, options) => openHttp(gateway, newer('legacy', options)),
  },
  {
    name: 'SDK v1, HTTP',
    transport: 'http',
    era: 'legacy',
    open: (gateway, options) => openHttp(gateway, older(options)),
  },
  {
    name: 'SDK v2, modern, stdio',
    transport: 'stdio',
    era: 'modern',
    open: (gateway, options) => openStdio(gateway, newer('auto', options)),
  },
  {
    name: 'SDK v2, legacy, stdio',
    transport: 'stdio',
    era: 'legacy',
    open: (gateway, options) => openStdio(gateway, newer('legacy', options)),
  },
  {
    name: 'SDK v1, stdio',
    transport: 'stdio',
    era: 'legacy',
    open: (gateway, options) => openStdio(gateway, older(options)),
  },
];

/** A client that is not connected yet. */
interface Dialer extends Omit<GatewayClient, 'close'> {
  dialHttp(url: URL): Promise<() => Promise<void>>;
  dialStdio(input: PassThrough, output: PassThrough): Promise<void>;
  close(): Promise<void>;
}

async function openHttp(gateway: FakeGateway, dialer: Dialer): Promise<GatewayClient> {
  const server = await openHttpServer(gateway, { observe: failOnDefect, serverInfo: SERVER_INFO });
  const endSession = await dialer.dialHttp(new URL(server.url));
  return {
    ...dialer,
    async close() {
      await endSession();
      await dialer.close();
      await server.close();
    },
  };
}

async function openStdio(gateway: FakeGateway, dialer: Dialer): Promise<GatewayClient> {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const deps = { input: toServer, output: toClient, observe: failOnDefect, serverInfo: SERVER_INFO };
  const server = serveStdio(gateway, deps);
  await dialer.dialStdio(toClient, toServer);
  return {
    ...dialer,
    async close() {
      await dialer.close();
      toServer.end();
      await server.done;
    },
  };
}

/** A server reports defects only as observations; this makes a test fail on one. */
function failOnDefect(observation: Observation): void {
  if (observation.kind === 'defect') throw new Error(`defect in ${observation.where}`, { cause: observation.cause });
}

function newer(mode: 'auto' | 'legacy', { user, token }: ClientOptions = {}): Dialer {
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode }, capabilities: capabilitiesOf(user) });
  if (user !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => user(params) as never);
  return {
    async dialHttp(url) {
      const transport = new StreamableHTTPClientTransport(url, authorize(token));
      await client.connect(transport);
      return () => transport.terminateSession();
    },
    dialStdio: (input, output) => client.connect(new StdioServerTransport(input, output)),
    listTools: () => client.listTools() as Promise<JsonObject>,
    callTool: (name, args, options) =>
      client.callTool({ name, arguments: args }, options as object) as Promise<JsonObject>,
    request: (method) => client.request({ method }, ANY_RESULT),
    instructions: () => client.getInstructions(),
    serverName: () => client.getServerVersion()?.name,
    async listenForChange() {
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
      });
      if (mode === 'auto') await client.listen({ toolsListChanged: true });
      return { changed };
    },
    close: () => client.close(),
  };
}

/** Accepts any answer to a method that does not exist. */
const ANY_RESULT = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

function older({ user, token }: ClientOptions = {}): Dialer {
  const client = new OldClient(CLIENT_INFO, { capabilities: capabilitiesOf(user) });
  if (user !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => user(params) as never);
  return {
    async dialHttp(url) {
      const transport = new OldHttpTransport(url, authorize(token));
      await client.connect(transport);
      return () => transport.terminateSession();
    },
    dialStdio: (input, output) => client.connect(new OldStdioTransport(input, output)),
    listTools: () => client.listTools() as Promise<JsonObject>,
    callTool: (name, args, options) =>
      client.callTool({ name, arguments: args }, undefined, options as object) as Promise<JsonObject>,
    request: (method) => client.request({ method } as never, undefined as never),
    instructions: () => client.getInstructions(),
    serverName: () => client.getServerVersion()?.name,
    async listenForChange() {
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
      });
      return { changed };
    },
    close: () => client.close(),
  };
}

function capabilitiesOf(user: ClientOptions['user']) {
  return user === undefined ? {} : { elicitation: {} };
}

function authorize(token: string | undefined) {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}
