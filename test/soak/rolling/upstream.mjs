import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** How long the upstream takes for a call: some are always in flight. */
const CALL_MS = 5;
const ROWS = Array.from({ length: 600 }, (_, index) => ({
  id: index + 1,
  name: `row ${index + 1}`,
  note: 'x'.repeat(80),
}));

const BY_ID = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

/** What each tool answers, and how the gateway rates it. */
const TOOLS = {
  get_plain: { inputSchema: BY_ID, annotations: { readOnlyHint: true } },
  list_rows: { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  do_plain: { inputSchema: BY_ID, danger: 'reversible' },
  do_confirmed: { inputSchema: BY_ID, danger: 'destructive' },
  do_approved: { inputSchema: BY_ID, danger: 'destructive' },
  do_limited: { inputSchema: BY_ID, danger: 'reversible' },
};

/** What an operator says of them. */
export const CURATION = Object.fromEntries(
  Object.entries(TOOLS).flatMap(([name, { danger }]) =>
    danger === undefined ? [] : [[name, { category: 'EXECUTE', danger }]],
  ),
);

/** An upstream that counts how often it ran each id. */
export async function startUpstream() {
  const ran = new Map();
  const tools = Object.entries(TOOLS).map(([name, { danger: _, ...tool }]) => ({
    name,
    description: 'Does it.',
    ...tool,
  }));
  const capabilities = { tools: {} };
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name, arguments: { id } }) => {
      if (id !== undefined) ran.set(id, (ran.get(id) ?? 0) + 1);
      return { content: [{ type: 'text', text: name === 'list_rows' ? JSON.stringify({ rows: ROWS }) : id }] };
    },
  };
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method !== 'POST') return outgoing.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(incoming));
    if (id === undefined) return outgoing.writeHead(202).end();
    await delay(CALL_MS);
    const result = answers[method]?.(params);
    const error = { code: -32601, message: 'Method not found' };
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The gateways keep their connections: one that closes for idleness in that moment would be a fault of the upstream's own.
  server.keepAliveTimeout = 0;
  return {
    ran,
    rows: ROWS.length,
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close: () => server.closeAllConnections(),
  };
}
