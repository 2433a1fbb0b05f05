import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describeServers, openGateway } from './gateway.mjs';

/**
 * One way to reach the servers: `definitions` is what a model has in its context before its first call, `call(step)` gives
 * `{request, first, text, refusal}`: what was sent, the first block of the answer, all that a model reads of it, and why it is no success.
 */
export async function openGatewayArm(bin, world, mode) {
  const gateway = await openGateway(world.root, describeServers(bin, world), mode);
  const { tools } = await gateway.client.listTools();
  return {
    definitions: JSON.stringify(tools) + (gateway.client.getInstructions() ?? ''),
    call: ({ family, request }) => {
      const tool = mode === 'single' ? 'mcp_aql' : `mcp_aql_${family}`;
      return callTool(gateway.client, tool, request, readRefusal);
    },
    close: gateway.close,
  };
}

/** The servers' own tools, as a client without the gateway has them. */
export async function openOwnArm(bin, world) {
  const clients = new Map();
  const toolsByServer = new Map();
  for (const [name, server] of Object.entries(describeServers(bin, world))) {
    const client = new Client({ name: 'trial', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
    clients.set(name, client);
    toolsByServer.set(name, (await client.listTools()).tools);
  }
  return {
    toolsByServer,
    definitions: JSON.stringify([...toolsByServer.values()].flat()),
    call: ([name, tool, args]) => callTool(clients.get(name), tool, args, () => undefined),
    close: () => Promise.all([...clients.values()].map((client) => client.close())),
  };
}

async function callTool(client, name, args, readWhy) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => block.text ?? JSON.stringify(block)).join('\n');
  const first = content[0]?.text ?? '';
  const refusal = readWhy(first) ?? (isError === true ? 'failed' : undefined);
  return { request: { name, arguments: args }, first, text, refusal };
}

/** The code of an envelope that is no success; of a batch, of its first item that failed. */
function readRefusal(text) {
  const { success, error, results = [] } = JSON.parse(text);
  const failed = results.find(({ result }) => !result.success);
  return success && failed === undefined ? undefined : (error ?? failed?.result.error)?.code;
}
