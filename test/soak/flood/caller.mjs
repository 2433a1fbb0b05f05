/** One process of clients: measures calls that come one after the other, keeps many in flight until it is ended, or counts the calls of several. */
import { Agent, request } from 'node:http';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const [, , url, token] = process.argv;
const agent = new Agent({ keepAlive: true });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headersOf = (client) => ({
  authorization: `Bearer ${client}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'mcp_aql',
});

const own = headersOf(token);

/** A page of the console, as an operator's browser asks for it. */
const show = ({ page, cookie }) =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}${page}`, { agent, headers: { cookie } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`));
      answer.on('end', resolve).resume();
    });
    sent.on('error', reject).end();
  });

const call = ({ page, cookie, ...args }, headers = own) =>
  page !== undefined ? show({ page, cookie }) : send(args, headers);

const send = (args, headers) =>
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

/** The calls of clients that have so many in flight: of all the time, and those a second, once they have called for a while. */
async function count(args, { clients, settleMs, ms }) {
  const state = { isOver: false, answered: 0 };
  const keepCalling = async (headers) => {
    for (; !state.isOver; state.answered += 1) await call(args, headers);
  };
  const running = Object.entries(clients).flatMap(([client, inFlight]) =>
    Array.from({ length: inFlight }, () => keepCalling(headersOf(client))),
  );
  await delay(settleMs);
  const [before, began] = [state.answered, performance.now()];
  await delay(ms);
  const rate = ((state.answered - before) * 1_000) / (performance.now() - began);
  state.isOver = true;
  await Promise.all(running);
  return { rate, answered: state.answered };
}

process.on('message', async ({ args, calls, together, inFlight = 0 }) => {
  if (together !== undefined) return process.send(await count(args, together));
  if (calls !== undefined) return process.send(await measure(args, calls));
  // Its own work must not take the processor from the client that is measured.
  setPriority(getPriority() + 10);
  for (let index = 0; index < inFlight; index += 1) void flood(args);
  setTimeout(() => process.send('begun'), 500);
});
process.on('disconnect', () => process.exit());
