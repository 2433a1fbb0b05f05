import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../src/base/json/json.js';

/** What the gateway answers: the envelope, and the whole MCP result around it. */
export interface Answer {
  readonly success: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly data?: any;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: JsonObject };
  readonly warnings?: readonly JsonObject[];
  readonly raw: JsonObject;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls an MCP tool with any arguments. */
  callTool(tool: string, args: unknown): Promise<Answer>;
  /** Calls an operation through a tool. */
  call(tool: string, operation: string, params?: JsonObject): Promise<Answer>;
  /** The same, with a second call that confirms where confirmation is required. */
  callConfirmed(tool: string, operation: string, params?: JsonObject): Promise<Answer>;
  introspect(params: JsonObject): Promise<Answer>;
}

export interface ConnectOptions {
  /** What the client calls itself. */
  readonly name?: string;
  /** Sent as the bearer token of every request. */
  readonly token?: string;
  /** The answer of the client's user; without it the client cannot ask. */
  readonly answer?: (question: string) => ElicitResult | Promise<ElicitResult>;
}

/** The limit of a test ends what hangs. The SDK's own minute would end what is only slow on a busy machine. */
const PATIENCE_MS = 600_000;

/** An SDK client of the given era, connected to the gateway. */
export async function connectClient(
  url: string,
  mode: 'legacy' | 'auto' = 'auto',
  { token, answer, name = 'test' }: ConnectOptions = {},
): Promise<McpClient> {
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  }
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const readTool = tools.find(({ name }) => name.endsWith('_read'))?.name ?? tools[0]?.name ?? '';
  const callTool = async (tool: string, args: unknown): Promise<Answer> => {
    const raw = (await client.callTool(
      { name: tool, arguments: args as JsonObject },
      { timeout: PATIENCE_MS },
    )) as JsonObject;
    return { ...readEnvelope(raw), raw };
  };
  const call: McpClient['call'] = (tool, operation, params = {}) => callTool(tool, { operation, params });
  return {
    client,
    callTool,
    call,
    async callConfirmed(tool, operation, params = {}) {
      const asked = await call(tool, operation, params);
      const token = asked.error?.details?.['confirmation_token'];
      return token === undefined ? asked : call(tool, operation, { ...params, _confirmation: token });
    },
    introspect: (params) => callTool(readTool, { operation: 'introspect', params }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function readEnvelope(raw: JsonObject): Omit<Answer, 'raw'> {
  const [first] = raw['content'] as readonly { readonly type: string; readonly text: string }[];
  return JSON.parse(first?.text ?? 'null') as Omit<Answer, 'raw'>;
}
