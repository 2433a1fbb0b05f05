/**
 * The program that the official suite starts to test a client: it starts the gateway in front of the suite's server, whose URL is
 * the last argument, and uses everything that the gateway offers.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { GATEWAY, makeConfiguration } from './start-servers.mjs';

const { MCP_CONFORMANCE_CONTEXT: context = '{}', MCP_CONFORMANCE_PROTOCOL_VERSION: version = '2025-11-25' } = process.env;

/** A value that the schema takes; a parameter that wants a schema gets one, as the suite looks for what is left of it. */
function valueFor(name, schema, tools) {
  if (name === 'schema') return tools[0].inputSchema;
  if (schema.enum !== undefined) return schema.enum[0];
  return { string: 'test', number: 1, integer: 1, boolean: true, array: [], object: {} }[schema.type] ?? 'test';
}

function callsOf(tools) {
  return tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => ({
    name,
    arguments: Object.fromEntries(required.map((key) => [key, valueFor(key, properties[key] ?? {}, tools)])),
  }));
}

/** What fails is for the suite to judge: it sees what its server received. */
async function attempt(words, run) {
  try {
    return await run();
  } catch (error) {
    console.error(`${words}: ${error.message}`);
    return {};
  }
}

async function useEverything(client) {
  const { tools = [] } = await attempt('tools/list', () => client.listTools());
  for (const call of JSON.parse(context).toolCalls ?? callsOf(tools)) {
    await attempt(call.name, () => client.callTool(call));
  }
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  if (resources !== undefined) {
    const listed = await attempt('resources/list', () => client.listResources());
    for (const { uri } of listed.resources ?? []) await attempt(uri, () => client.readResource({ uri }));
  }
  if (prompts !== undefined) {
    const listed = await attempt('prompts/list', () => client.listPrompts());
    for (const { name } of listed.prompts ?? []) await attempt(name, () => client.getPrompt({ name }));
  }
}

const folder = makeConfiguration({ url: process.argv.at(-1) });
const client = new Client(
  { name: 'suite-driver', version: '1.0.0' },
  {
    versionNegotiation: { mode: version >= '2026' ? 'auto' : 'legacy' },
    capabilities: { elicitation: { form: { applyDefaults: true } } },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
const args = [GATEWAY, 'stdio', '--config', join(folder, 'gateway.config.json')];
try {
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'inherit' }));
  await useEverything(client);
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
