import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { isJsonObject, type JsonObject, parseObject } from '../base/json/json.js';
import type { Answer } from './evidence.js';

/** A connection to a running gateway, as any client has it: nothing is known but what comes over the wire. */
export interface Probe {
  /** Names of the MCP tools. */
  readonly tools: readonly string[];
  readonly server: { readonly name: string; readonly version: string };
  /** Calls an MCP tool with any arguments. */
  send(tool: string, args: unknown): Promise<Answer>;
  introspect(params: JsonObject): Promise<Answer>;
  close(): Promise<void>;
}

/** Connects to a gateway. Rejects where there is none, or where no tool answers `introspect`. */
export async function connectProbe(url: string, token: string | undefined): Promise<Probe> {
  const client = new Client(
    { name: 'mcp-aql-conformance', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: {}, jsonSchemaValidator: new AjvJsonSchemaValidator() },
  );
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  const send: Probe['send'] = async (tool, args) =>
    readAnswer(await client.callTool({ name: tool, arguments: args as JsonObject }));
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  try {
    const introspectTool = await findIntrospectTool(names, send);
    return {
      tools: names,
      server: { name, version },
      send,
      introspect: (params) => send(introspectTool, { operation: 'introspect', params }),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The envelope in a tool's result; what is no envelope becomes a failure that no clause accepts. */
function readAnswer(result: unknown): Answer {
  const content = isJsonObject(result) && Array.isArray(result['content']) ? result['content'] : [];
  const first: unknown = content[0];
  const text = isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : '';
  const envelope = parseObject(text);
  if (typeof envelope?.['success'] === 'boolean') {
    return { ...envelope, success: envelope['success'] };
  }
  return { success: false, no_envelope: text.slice(0, 200) };
}

async function findIntrospectTool(tools: readonly string[], send: Probe['send']): Promise<string> {
  const byChance = [...tools].sort((a, b) => Number(/read/.test(b)) - Number(/read/.test(a)));
  for (const tool of byChance) {
    const answer = await send(tool, { operation: 'introspect', params: { query: 'operations', name: 'introspect' } });
    if (answer.success) return tool;
  }
  throw new Error(`None of the ${tools.length} tools of this server answers 'introspect': it is no MCP-AQL endpoint`);
}
