// A lean MCP server over Streamable HTTP: sessions, JSON answers, nothing else.
// node http-upstream.mjs --tools N [--port P]; prints {"listening":port} once it serves.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createAnswerer } from './answer-message.mjs';
import { buildTools } from './catalogue.mjs';

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '10' }, port: { type: 'string', default: '0' } },
});
const answer = createAnswerer(buildTools(Number(values.tools)));
const sessions = new Set();

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    if (request.method === 'DELETE') sessions.delete(request.headers['mcp-session-id']);
    response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    reply(message, request.headers['mcp-session-id'], response);
  });
});

function reply(message, sessionId, response) {
  if (message.method !== 'initialize' && !sessions.has(sessionId)) {
    const status = sessionId === undefined ? 400 : 404;
    send(response, status, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No such session"}}');
    return;
  }
  const text = answer(message);
  if (text === undefined) {
    response.writeHead(202).end();
  } else if (message.method === 'initialize') {
    const id = randomUUID();
    sessions.add(id);
    send(response, 200, text, { 'mcp-session-id': id });
  } else {
    send(response, 200, text);
  }
}

function send(response, status, text, headers = {}) {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

server.keepAliveTimeout = 60_000;
server.listen(Number(values.port), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ listening: server.address().port })}\n`);
});
