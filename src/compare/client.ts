import {
  Client,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { UpstreamEndpoint } from '../config/gateway-config.js';
import { childEnvironment, resolveCommand } from '../upstream/transport/resolve-command.js';
import type { Era, Listed, Lists, Outcome, PlannedCall } from './comparison.js';

/** The longest time of one request. */
const REQUEST_MS = 60_000;

/** Answers are compared: whether they fit their schemas is the same on both ways. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: <T>(): JsonSchemaValidator<T> => {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

/** A client of the official SDK, as agents have it: without abilities of its own. */
export class PlainClient {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(transport: Transport, era: Era): Promise<PlainClient> {
    const mode = era === 'legacy' ? 'legacy' : 'auto';
    const client = new Client(
      { name: 'compare', version: '1.0.0' },
      { versionNegotiation: { mode }, jsonSchemaValidator: NO_VALIDATOR },
    );
    await client.connect(transport, { timeout: REQUEST_MS });
    return new PlainClient(client);
  }

  async lists(): Promise<Lists> {
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    const client = this.#client;
    return {
      tools: await readPages(tools, 'name', (cursor) => client.listTools(cursor).then((page) => [page, page.tools])),
      resources: await readPages(resources, 'uri', (cursor) =>
        client.listResources(cursor).then((page) => [page, page.resources]),
      ),
      templates: await readPages(resources, 'uriTemplate', (cursor) =>
        client.listResourceTemplates(cursor).then((page) => [page, page.resourceTemplates]),
      ),
      prompts: await readPages(prompts, 'name', (cursor) =>
        client.listPrompts(cursor).then((page) => [page, page.prompts]),
      ),
    };
  }

  call({ tool, arguments: args }: PlannedCall): Promise<Outcome> {
    return outcomeOf(() => this.#client.callTool({ name: tool, arguments: args }, { timeout: REQUEST_MS }));
  }

  read(uri: string): Promise<Outcome> {
    return outcomeOf(() => this.#client.readResource({ uri }, { timeout: REQUEST_MS }));
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

async function outcomeOf(ask: () => Promise<object>): Promise<Outcome> {
  const began = performance.now();
  const took = (): number => performance.now() - began;
  try {
    const result = (await ask()) as JsonObject;
    return { result, tookMs: took() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), tookMs: took() };
  }
}

/** A server that hands out cursors without end is read so far. */
const MOST_PAGES = 200;

type ReadPage = (
  cursor: { cursor: string } | undefined,
) => Promise<[{ readonly nextCursor?: string | undefined }, readonly object[]]>;

/** All pages of a list; empty where the server does not offer it, or refuses it although it says that it does. */
async function readPages(capability: unknown, key: string, read: ReadPage): Promise<Listed> {
  const listed = new Map<string, JsonObject>();
  if (capability === undefined) return listed;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await read(cursor === undefined ? undefined : { cursor }).catch(() => undefined);
    if (answer === undefined) break;
    const [{ nextCursor }, items] = answer;
    for (const item of items) if (isJsonObject(item)) listed.set(String(item[key]), item);
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return listed;
}

/** The transport of the SDK to a server as the gateway's configuration has it. */
export async function transportTo(endpoint: UpstreamEndpoint, binDirectories: readonly string[]): Promise<Transport> {
  if (endpoint.type === 'stdio') {
    const env = childEnvironment(endpoint.env);
    const { file, args } = await resolveCommand(endpoint, { binDirectories, env });
    return new StdioClientTransport({ command: file, args: [...args], env, cwd: endpoint.cwd, stderr: 'ignore' });
  }
  const url = new URL(endpoint.url);
  const requestInit = { headers: { ...endpoint.headers } };
  return new OVER_HTTP[endpoint.type](url, { requestInit });
}

const OVER_HTTP = { http: StreamableHTTPClientTransport, sse: SSEClientTransport };

/** The transport to a face of the gateway. */
export function transportToUrl(url: string): Transport {
  return new StreamableHTTPClientTransport(new URL(url));
}
