import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { JsonObject } from '../../src/base/json/json.js';
import type { Observation } from '../../src/base/observe/observation.js';
import { loadConfig } from '../../src/config/load/load-config.js';
import { mountPages } from '../../src/console/mount.js';
import { type Gateway, openGateway, type ReloadState } from '../../src/gateway/gateway.js';
import { MODULES, SECTIONS } from '../../src/modules/modules.js';
import { openHttpServer } from '../../src/server/http/http-server.js';
import { serveStdio } from '../../src/server/stdio/stdio-server.js';
import { load } from '../unit/config/config-folder.js';
import { SERVER_INFO } from './server-clients.js';

/** A gateway in this process with real upstreams, and clients of the SDK for it. Ends with the test. */
export interface LiveGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Of MCP over HTTP. */
  readonly url: string;
  readonly observations: readonly Observation[];
  /** Writes another configuration and has it read. */
  reload(config: object): Promise<ReloadState>;
  /** Connects a client that ends with the gateway. */
  connect(
    front: 'http' | 'stdio',
    era: 'legacy' | 'modern',
    token?: string,
    view?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Client>;
  /** The envelope of an operation's answer. */
  call(client: Client, operation: string, params?: JsonObject): Promise<Envelope>;
}

export interface Envelope {
  readonly success: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly data?: any;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: JsonObject };
  readonly warnings?: readonly JsonObject[];
  readonly _meta?: JsonObject;
  /** The native blocks that follow. */
  readonly blocks: readonly JsonObject[];
}

/**
 * @param files beside the configuration, by name
 * @param settled whether every server must have been tried once; else it serves beside servers that are starting
 */
export async function openLiveGateway(
  config: object,
  files: Readonly<Record<string, string>> = {},
  { settled = true }: { readonly settled?: boolean } = {},
): Promise<LiveGateway> {
  const base = { store: { type: 'memory' }, server: { port: 0 }, endpoint: { mode: 'single' } };
  const { config: loaded } = await load({ ...base, ...config }, { files });
  const cwd = loaded.directory;
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => {
    observations.push(observation);
  };
  const gateway = await openGateway(loaded, {
    observe,
    clientInfo: { name: 'test', version: '1' },
    packageDirectory: process.cwd(),
    modules: MODULES,
    process: 'test',
    names: { wait: 'until tried', keep: false },
    load: async () => (await loadConfig({ env: {}, cwd, sections: SECTIONS })).config,
  });
  if (settled) await gateway.settled;
  const closers: (() => Promise<void>)[] = [];
  const deps = { observe, serverInfo: SERVER_INFO };
  const urlOf = (view: string | undefined): string => (view === undefined ? server.url : `${server.url}/${view}`);
  const server = await openHttpServer(gateway, { ...deps, mount: mountPages });
  return {
    gateway,
    url: server.url,
    observations,
    async reload(next) {
      await writeFile(join(cwd, 'gateway.config.json'), JSON.stringify({ ...base, ...next }));
      return gateway.reload('test');
    },
    async connect(front, era, token, view, headers = {}) {
      const mode = era === 'modern' ? 'auto' : 'legacy';
      const client = new Client({ name: 'test-client', version: '1' }, { versionNegotiation: { mode } });
      if (front === 'http') {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const requestInit = { headers: { ...headers, ...authorization } };
        await client.connect(new StreamableHTTPClientTransport(new URL(urlOf(view)), { requestInit }));
        closers.push(() => client.close());
        return client;
      }
      const [toServer, toClient] = [new PassThrough(), new PassThrough()];
      const stdio = serveStdio((view === undefined ? undefined : gateway.inView(view)) ?? gateway, {
        ...deps,
        input: toServer,
        output: toClient,
      });
      await client.connect(new StdioServerTransport(toClient, toServer));
      closers.push(async () => {
        await client.close();
        toServer.end();
        await stdio.done;
      });
      return client;
    },
    async call(client, operation, params = {}) {
      const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operation, params } });
      const [first, ...blocks] = content as readonly JsonObject[];
      return { ...(JSON.parse(String(first?.['text'])) as Envelope), blocks };
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers) await close();
      await server.close();
      await gateway.close();
      const defect = observations.find(({ kind }) => kind === 'defect');
      if (defect !== undefined) throw new Error(`a defect: ${JSON.stringify(defect)}`);
    },
  };
}
