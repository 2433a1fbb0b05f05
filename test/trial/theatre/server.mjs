// One of the theatre's servers on stdin and stdout: node server.mjs NAME. They keep what is changed in memory.
import { createInterface } from 'node:readline';
import { SERVERS } from './servers.mjs';

const { tools: makeTools, deafAfterMs } = SERVERS[process.argv[2]];
const tools = makeTools();
const lines = createInterface({ input: process.stdin });
let deaf;

lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) })}\n`);
});

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: process.argv[2], version: '1.0.0' },
        },
      };
    case 'tools/list':
      return { result: { tools: Object.entries(tools).map(([name, { run: _run, ...tool }]) => ({ name, ...tool })) } };
    case 'tools/call':
      return { result: call(params) };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: `Unknown method ${method}` } };
  }
}

function call({ name, arguments: args = {} }) {
  if (deafAfterMs !== undefined) goDeafLater();
  try {
    const result = tools[name].run(args);
    return typeof result === 'object' && 'content' in result ? result : textOf(result);
  } catch (fault) {
    return { ...textOf(fault.message), isError: true };
  }
}

function textOf(value) {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

/** It stops listening some time after a call, and lives on, as servers do whose connection has a clock of its own. */
function goDeafLater() {
  clearTimeout(deaf);
  deaf = setTimeout(() => {
    lines.removeAllListeners('line');
    lines.resume();
  }, deafAfterMs);
}
