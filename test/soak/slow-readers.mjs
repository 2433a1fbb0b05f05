/**
 * Clients that do not read as others do, beside one that does: each reads a large answer at 50 kB/s for a while and then all of it, or
 * nothing, or half closes, or resets in the middle; at each door; while streams are kept alive, calls cancelled, streams resumed and the
 * configuration reloaded, and in the end the gateway stops. Prints the longest turn (processor time) and ends with 1 where the gateway dies,
 * a turn is longer than its bar, the calm client is not served, or somebody who reads on does not get every byte.
 *
 *   npm run soak:slow
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { here, REVISION, startGateway } from './soak-gateway.mjs';

const HELD_BAR_MS = 50;
const PICTURE = 9_000_000;
const SLOW_BYTES_PER_SECOND = 50_000;
const SLOW_MS = 3_000;
const METRICS = 'metrics-has-a-long-token-01';
const BEHAVIOURS = ['reads slowly', 'reads nothing', 'half closes', 'resets'];

const accept = 'application/json, text/event-stream';
const JSON_HEADERS = { 'content-type': 'application/json', accept };
const meta = { progressToken: 'p' };
const modernMeta = {
  ...meta,
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const rpc = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const call = (_meta = meta) => rpc('tools/call', { name: 'mcp_aql', arguments: { operation: 'get_picture' }, _meta });
const modern = (method, name) => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
});

/** What is asked for, and what the answer holds at least. */
const DOORS = {
  'call of a session': (session) => ({ headers: session, body: call() }),
  'call of a session, JSON': (session) => ({
    headers: { ...session, accept: 'application/json' },
    body: call(undefined),
  }),
  'call of 2026-07-28': () => ({ headers: modern('tools/call', 'mcp_aql'), body: call(modernMeta) }),
  'messages in one request': (session) => ({ headers: session, body: [call(), rpc('ping', {}, 2)] }),
  'batch of operations': (session) => ({
    headers: session,
    body: rpc('tools/call', { name: 'mcp_aql', arguments: { operations: [{ operation: 'get_picture' }] } }),
  }),
  resource: (session) => ({ headers: session, body: rpc('resources/read', { uri: 'mem://document' }) }),
  'list of resources': (session) => ({ headers: session, body: rpc('resources/list', {}), isSmall: true }),
  'stream of a session': (session) => ({ method: 'GET', headers: session, isSmall: true, isOpen: true }),
  subscription: () => ({
    headers: modern('subscriptions/listen'),
    body: rpc('subscriptions/listen', { _meta: modernMeta, notifications: { toolsListChanged: true } }),
    isSmall: true,
    isOpen: true,
  }),
  metrics: () => ({ method: 'GET', path: '/metrics', headers: { authorization: `Bearer ${METRICS}` }, isSmall: true }),
};

const SERVER = `(() => {
  const data = 'A'.repeat(${PICTURE});
  const report = ({ _meta }, { send }) => _meta?.progressToken !== undefined &&
    send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
  const resources = Array.from({ length: 500 }, (_, index) => ({ uri: 'mem://' + index, name: 'resource ' + index }));
  return {
    capabilities: { tools: {}, resources: {} },
    'tools/list': () => ({ tools: ['get_picture', 'get_word'].map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
    'tools/call': (params, server) => {
      if (params.name === 'get_word') return { content: [{ type: 'text', text: 'word' }] };
      report(params, server);
      return { content: [{ type: 'image', mimeType: 'image/png', data }] };
    },
    'resources/list': () => ({ resources: [{ uri: 'mem://document', name: 'document' }, ...resources] }),
    'resources/read': () => ({ contents: [{ uri: 'mem://document', mimeType: 'image/png', blob: data }] }),
  };
})()`;

function open(url, { method = 'POST', path = '/mcp', headers = {}, body }) {
  const outgoing = request(`${url}${path}`, { method, agent: false, headers: { ...JSON_HEADERS, ...headers } });
  outgoing.on('error', () => undefined).end(body === undefined ? undefined : JSON.stringify(body));
  return outgoing;
}

async function ask(url, asked) {
  const [response] = await once(open(url, asked), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { response, text };
}

async function newSession(url) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } };
  const { response } = await ask(url, { body: rpc('initialize', params) });
  return { 'mcp-session-id': response.headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' };
}

/** Reads until so many bytes have come, and then no more; everything where none are given. Resolves with how many have come. */
function readOn(response, least = Number.POSITIVE_INFINITY) {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      response.pause().off('data', take).off('close', done);
      resolve(bytes);
    };
    const take = (chunk) => {
      bytes += chunk.length;
      if (bytes >= least) done();
    };
    if (response.closed) resolve(0);
    else response.on('data', take).once('close', done).resume();
  });
}

/** Opens a door and does as the behaviour says. Resolves with a function that reads the rest, where it does. */
async function visit(url, door, behaviour) {
  const session = await newSession(url);
  const asked = DOORS[door](session);
  const outgoing = open(url, asked);
  const [response] = await once(outgoing, 'response');
  response.on('error', () => undefined);
  // Once so much has come the call has been answered: cancelling it changes nothing any more.
  let bytes = asked.isSmall ? 0 : await readOn(response, 10_000);
  if (behaviour === 'half closes') outgoing.socket.end();
  if (behaviour === 'resets') outgoing.socket.resetAndDestroy();
  if (behaviour === 'reads slowly' && !asked.isSmall)
    for (const end = performance.now() + SLOW_MS; performance.now() < end; await delay(100))
      bytes += await readOn(response, SLOW_BYTES_PER_SECOND / 10);
  await ask(url, {
    headers: session,
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  });
  open(url, { method: 'GET', headers: { ...session, 'last-event-id': 'nothing.1' } }).on('response', (other) =>
    other.on('error', () => undefined).destroy(),
  );
  return async () => {
    if (!behaviour.startsWith('reads') || asked.isOpen) return true;
    return bytes + (await readOn(response)) >= (asked.isSmall ? 1 : PICTURE);
  };
}

const p99Of = (times) => Math.round(times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]);

const directory = await mkdtemp(join(tmpdir(), 'slow-readers-'));
const held = join(directory, 'held');
const config = {
  server: { longCallKeepAliveMs: 100, drainMs: 120_000, unreadTimeoutMs: 3_600_000 },
  metrics: { enabled: true, token: METRICS },
  mcpServers: {
    pictures: { command: process.execPath, args: [here('../fixtures/servers/methods-server.mjs'), SERVER] },
  },
};
const flags = ['--import', here('held.mjs')];
const { gateway, url, words, ready } = await startGateway({ tools: [], config }, directory, { SOAK_HELD: held }, flags);
const faults = [];
try {
  await ready();
  const ended = once(gateway, 'exit');
  const calm = await newSession(url);
  const word = rpc('tools/call', { name: 'mcp_aql', arguments: { operation: 'get_word' } });
  const times = [];
  const checkCalm = async (when) => {
    const began = performance.now();
    const { text } = await ask(url, { headers: calm, body: word });
    if (!text.includes('word')) faults.push(`${when}: the calm client is not served: ${text.slice(0, 200)}`);
    times.push(performance.now() - began);
  };
  for (let index = 0; index < 100; index += 1) await checkCalm('alone');
  const alone = p99Of(times.splice(0));
  // It calls all the while.
  let isOver = false;
  const calling = (async () => {
    for (; !isOver; await delay(20)) await checkCalm('beside the others');
  })();
  gateway.kill('SIGUSR2');
  const last = [];
  for (const door of Object.keys(DOORS)) {
    for (const behaviour of BEHAVIOURS) {
      const name = `${door}, ${behaviour}`;
      const readRest = await visit(url, door, behaviour);
      if (behaviour === 'reads nothing') last.push([name, readRest]);
      else if (!(await readRest())) faults.push(`${name}: not every byte has come`);
    }
    const file = join(directory, 'gateway.config.json');
    const written = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(
      file,
      JSON.stringify({ ...written, policy: { rules: [{ match: { operation: door }, decision: 'deny' }] } }),
    );
    gateway.kill('SIGHUP');
  }
  isOver = true;
  await calling;
  gateway.kill('SIGUSR2');
  gateway.kill('SIGTERM');
  for (const [name, readRest] of last)
    if (!(await readRest())) faults.push(`${name}, at the stop: not every byte has come`);
  const [code] = await ended;
  if (code !== 0) faults.push(`the gateway ended with ${code}: ${words().slice(-1_000)}`);
  const [turn, ...profile] = (await readFile(held, 'utf8')).split('\n');
  const ms = Number(turn);
  if (ms > HELD_BAR_MS) faults.push(`a turn took ${ms} ms of the processor`);
  console.log(
    `${Object.keys(DOORS).length * BEHAVIOURS.length} visits, longest turn ${ms} ms; the calm client's p99: alone ${alone} ms, beside them ${p99Of(times)} ms`,
  );
  for (const line of profile) console.log(line);
} catch (cause) {
  faults.push(`${cause.stack}\n${words().slice(-2_000)}`);
} finally {
  gateway.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);
