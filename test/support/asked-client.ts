import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../src/base/json/json.js';
import type { Answer } from './mcp-client.js';
import { BINARY } from './served-gateway.js';

/** What a client of a test is asked, and answers. Its capabilities follow from the answers that it has. */
export interface AskedUser {
  /** The params of `elicitation/create`, in; its result, out. */
  readonly elicit?: (params: JsonObject, signal: AbortSignal | undefined) => JsonObject | Promise<JsonObject>;
  readonly modes?: { readonly form?: object; readonly url?: object };
  readonly sample?: (params: JsonObject) => JsonObject | Promise<JsonObject>;
  readonly roots?: () => JsonObject;
}

export interface AskedClient extends AsyncDisposable {
  call(operation: string, params?: JsonObject, signal?: AbortSignal): Promise<Answer>;
  /** Several operations in one batch. */
  batch(operations: readonly JsonObject[], signal?: AbortSignal): Promise<JsonObject>;
  readonly client: Client | OldClient;
}

/** Where the gateway is: an address, or the configuration of one on stdio. */
export type Target = { readonly url: string; readonly token?: string } | { readonly configFile: string };

/** The SDK lines and eras that clients of the gateway come in. */
export const CLIENT_KINDS = ['SDK v2 modern', 'SDK v2 legacy', 'SDK v1'] as const;

export type ClientKind = (typeof CLIENT_KINDS)[number];

const INFO = { name: 'asked', version: '1.0.0' };

export function capabilitiesOf({ elicit, modes = { form: {}, url: {} }, sample, roots }: AskedUser) {
  return {
    ...(elicit === undefined
      ? {}
      : { elicitation: modes as { form?: Record<string, never>; url?: Record<string, never> } }),
    ...(sample === undefined ? {} : { sampling: { tools: {} } }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
}

export async function connectAsked(kind: ClientKind, target: Target, user: AskedUser = {}): Promise<AskedClient> {
  const client = kind === 'SDK v1' ? await connectOld(target, user) : await connectNew(kind, target, user);
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name.endsWith('_execute'))?.name ?? tools[0]?.name ?? '';
  const send = async (args: JsonObject, signal?: AbortSignal): Promise<JsonObject> => {
    const options = { timeout: 600_000, ...(signal === undefined ? {} : { signal }) };
    const params = { name: tool, arguments: args };
    const raw = await (client instanceof OldClient
      ? client.callTool(params, undefined, options)
      : client.callTool(params, options));
    return raw as JsonObject;
  };
  return {
    client,
    async call(operation, params = {}, signal) {
      const raw = await send({ operation, params }, signal);
      return { ...JSON.parse(textOf(raw)), raw };
    },
    batch: async (operations, signal) => JSON.parse(textOf(await send({ operations }, signal))),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function textOf({ content }: JsonObject): string {
  return (content as readonly { readonly text: string }[])[0]?.text ?? 'null';
}

async function connectNew(kind: ClientKind, target: Target, user: AskedUser): Promise<Client> {
  const mode = kind === 'SDK v2 modern' ? 'auto' : 'legacy';
  const client = new Client(INFO, { versionNegotiation: { mode }, capabilities: capabilitiesOf(user) });
  const { elicit, sample, roots } = user;
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicit(params, mcpReq.signal) as never);
  }
  if (sample !== undefined) client.setRequestHandler('sampling/createMessage', ({ params }) => sample(params) as never);
  if (roots !== undefined) client.setRequestHandler('roots/list', () => roots() as never);
  await client.connect(
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url), headersOf(target))
      : new StdioClientTransport({ ...program(target.configFile), stderr: 'ignore' }),
  );
  return client;
}

async function connectOld(target: Target, user: AskedUser): Promise<OldClient> {
  const client = new OldClient(INFO, { capabilities: capabilitiesOf(user) });
  const { elicit, sample, roots } = user;
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => elicit(params, signal) as never);
  }
  if (sample !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sample(params) as never);
  if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, () => roots() as never);
  const transport =
    'url' in target
      ? new OldHttpTransport(new URL(target.url), headersOf(target))
      : new OldStdioTransport({ ...program(target.configFile), stderr: 'ignore' });
  await client.connect(transport as never);
  return client;
}

function headersOf({ token }: { readonly token?: string }) {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

function program(configFile: string) {
  return { command: process.execPath, args: [BINARY, 'stdio', '--config', configFile] };
}
