/** One client: measures calls that come one after the other, or keeps many in flight until it is ended. */
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';

const [, , url, token] = process.argv;
const agent = new Agent({ keepAlive: true });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headers = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'mcp_aql',
};

const call = (args) =>
  new Promise((resolve, reject) => {
    const params = { name: 'mcp_aql', _meta: meta, arguments: args };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const sent = request(`${url}/mcp`, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`));
      answer.on('end', resolve).resume();
    });
    sent.on('error', reject).end(body);
  });

async function measure(args, calls) {
  const times = [];
  for (let made = 0; made < calls; made += 1) {
    const began = performance.now();
    await call(args);
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  return { p50: times[Math.floor(calls / 2)], p99: times[Math.floor(calls * 0.99)] };
}

async function flood(args) {
  for (;;) await call(args);
}

process.on('message', async ({ args, calls, inFlight = 0 }) => {
  if (calls !== undefined) return process.send(await measure(args, calls));
  // Its own work must not take the processor from the client that is measured.
  setPriority(10);
  for (let index = 0; index < inFlight; index += 1) void flood(args);
  setTimeout(() => process.send('begun'), 500);
});
process.on('disconnect', () => process.exit());
