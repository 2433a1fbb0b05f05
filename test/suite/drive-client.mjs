/**
 * The program that the official suite starts to test a client: it starts the gateway in front of the suite's server, whose URL is
 * the last argument, and uses everything that the gateway offers.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connectAccount } from './connect-account.mjs';
import { freePort, GATEWAY, makeConfiguration, startGateway } from './start-servers.mjs';

const {
  MCP_CONFORMANCE_CONTEXT: context = '{}',
  MCP_CONFORMANCE_PROTOCOL_VERSION: version = '2025-11-25',
  MCP_CONFORMANCE_SCENARIO: SCENARIO = '',
} = process.env;

/** Below the 30 seconds that the suite gives a client. */
const PATIENCE_MS = 15_000;

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

/**
 * A server that connects late is announced. One that asks for an authorization that the gateway cannot get never connects, but one
 * that does not take the account any more connects with another: `regain` connects it.
 */
async function listTools(client, { refused, regain }) {
  const announced = new Promise((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', resolve);
    setTimeout(resolve, PATIENCE_MS).unref();
  });
  const { tools = [] } = await attempt('tools/list', () => client.listTools());
  if (tools.length > 0) return tools;
  const isRefused = await Promise.race([announced.then(() => false), refused.then(() => true)]);
  if (isRefused && regain !== undefined) {
    await attempt('connect', regain);
    await announced;
  }
  return (await attempt('tools/list', () => client.listTools())).tools ?? [];
}

/** Reads the gateway's log: passes it on, and resolves `refused` when the server answers 401. */
function watchLog(log) {
  const refused = new Promise((resolve) => {
    log.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      if (/HTTP 401/.test(text)) resolve();
    });
  });
  return { refused };
}

/** Confirms a call that the gateway wants confirmed: the suite's servers say nothing of what their tools do. */
async function callConfirmed(client, call) {
  const result = await client.callTool(call);
  const [, token] = /"confirmation_token":"([^"]+)"/.exec(result.isError ? result.content[0].text : '') ?? [];
  return token === undefined ? result : client.callTool({ name: call.name, arguments: { _confirmation: token } });
}

/** Where a call is refused for what its user has granted, the user grants it, once, and the call is sent again. */
async function callWithAccess(client, call) {
  const result = await callConfirmed(client, call);
  const [, page] = /"url":"([^"]+)"/.exec(result.isError ? result.content[0].text : '') ?? [];
  if (page === undefined) return result;
  await connectAccount(page);
  return callConfirmed(client, call);
}

async function useEverything(client, log) {
  const tools = await listTools(client, log);
  for (const call of JSON.parse(context).toolCalls ?? callsOf(tools)) {
    await attempt(call.name, () => callWithAccess(client, call));
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

const url = process.argv.at(-1);
const client = new Client(
  { name: 'suite-driver', version: '1.0.0' },
  {
    versionNegotiation: { mode: version >= '2026' ? 'auto' : 'legacy' },
    capabilities: { elicitation: { form: { applyDefaults: true } } },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));

/** The suite's server belongs to no user: the gateway speaks to its only client over stdio. */
async function useOverStdio() {
  // The suite's server counts each request of another revision as a fault: `auto` would look at what a session offers, too.
  const folder = makeConfiguration({ url, ...(version === '2026-07-28' ? { protocol: version } : {}) });
  const args = [GATEWAY, 'stdio', '--config', join(folder, 'gateway.config.json')];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'pipe' });
  try {
    const log = watchLog(transport.stderr);
    await client.connect(transport);
    await useEverything(client, log);
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The suite's server wants the authorization of a user, who connects an account on the gateway's page. */
async function useWithAccount() {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(context);
  const credentials = { type: 'perUser', ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) };
  const gateway = await startGateway({ url, credentials }, await freePort());
  const regain = () => connectAccount(new URL('/connect/suite', gateway.url).href);
  try {
    await attempt('connect', regain);
    const log = { ...watchLog(gateway.child.stderr), regain };
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    await useEverything(client, log);
  } finally {
    await client.close();
    await gateway.stop();
  }
}

await (SCENARIO.startsWith('auth/') ? useWithAccount() : useOverStdio());
