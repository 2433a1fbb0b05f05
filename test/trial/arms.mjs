import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openGateway } from './gateway.mjs';

/**
 * One way to reach the servers: `definitions` is what a model has in its context before its first call, `call(step)` gives
 * `{request, first, text, pictures, refusal}`: what was sent, the first block of the answer, all texts that a model reads of it, how many
 * pictures are beside them, and why it is no success.
 * @param mode `semantic`, `single` or `programs`: five semantic tools, and programs over their operations
 */
export async function openGatewayArm(servers, world, mode) {
  const isWithPrograms = mode === 'programs';
  const more = isWithPrograms ? { programs: { enabled: true } } : {};
  const gateway = await openGateway(world.root, servers, isWithPrograms ? 'semantic' : mode, more);
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
export async function openOwnArm(servers) {
  const clients = new Map();
  const toolsByServer = new Map();
  const connect = async (name) => {
    const client = new Client({ name: 'trial', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ ...servers[name], stderr: 'ignore' }));
    clients.set(name, client);
    return client;
  };
  for (const name of Object.keys(servers)) toolsByServer.set(name, (await (await connect(name)).listTools()).tools);
  return {
    toolsByServer,
    definitions: JSON.stringify([...toolsByServer.values()].flat()),
    call: async ([name, tool, args]) => {
      const answer = await callTool(clients.get(name), tool, args, () => undefined).catch(readSilence);
      if (answer.refusal === 'no answer') {
        await clients.get(name).close();
        await connect(name);
      }
      return answer;
    },
    close: () => Promise.all([...clients.values()].map((client) => client.close())),
  };
}

async function callTool(client, name, args, readWhy) {
  const request = { name, arguments: args };
  const { content, isError } = await client.callTool(request);
  const texts = content.filter(({ type }) => type !== 'image').map((block) => block.text ?? JSON.stringify(block));
  const first = content[0]?.text ?? '';
  const refusal = readWhy(first) ?? (isError === true ? 'failed' : undefined);
  return { request, first, text: texts.join('\n'), pictures: content.length - texts.length, refusal };
}

/** A server that has gone deaf is started anew by its client's user. */
function readSilence(fault) {
  return { request: {}, first: '', text: String(fault.message), pictures: 0, refusal: 'no answer' };
}

/** The code of an envelope that is no success; of a batch, of what halted it or of its first item that failed. */
function readRefusal(text) {
  const { success, error, halted_at: halted, results = [] } = JSON.parse(text);
  const failed = halted ?? results.find(({ result }) => !result.success);
  return success && failed === undefined ? undefined : (error ?? failed?.result.error)?.code;
}
