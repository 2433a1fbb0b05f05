/**
 * An MCP server over HTTP that answers in ways that are slow to read: events of short lines, streams in chunks of a byte, floods of small
 * events. Prints its address. With `--sse` it speaks the HTTP+SSE transport of protocol 2024-11-05.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const legacy = process.argv.includes('--sse');
const BYTES = 24_000_000;

const whole = (id, result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
const content = (text, rest = '') => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]${rest}}`;
const asEvent = (text) => `event: message\ndata: ${text}\n\n`;
const fill = (one, bytes = BYTES) => one.repeat(Math.floor(bytes / one.length));
const PROGRESS = asEvent('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}');

/** What a call with this `shape` is answered with, as texts that are written one after the other. */
const SHAPES = {
  lines: (id) => [
    `data: {"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"items":[\n`,
    fill('data:1,\n'),
    'data: 1]}}}\n\n',
  ],
  blanks: (id) => [`data: {\n`, fill('data\n'), `data: "jsonrpc":"2.0","id":${id},"result":${content('done')}}\n\n`],
  returns: (id) => [`data: {\n`, fill('data:\r'), `data: "jsonrpc":"2.0","id":${id},"result":${content('done')}}\n\n`],
  comments: (id) => [fill(':\n'), asEvent(whole(id, content('done')))],
  ids: (id) => [fill('id: 1\n\n'), asEvent(whole(id, content('done')))],
  events: (id) => [fill(PROGRESS, BYTES / 4), asEvent(whole(id, content('done')))],
  empty: (id) => [fill('data:\n\n'), asEvent(whole(id, content('done')))],
  large: (id) => [asEvent(whole(id, content(fill('x'))))],
};

/** Bodies that are one JSON document. */
const DOCUMENTS = {
  json: (id) => whole(id, content(fill('x', 2 * BYTES))),
  'json rows': (id) => whole(id, content('', `,"structuredContent":{"rows":[${fill('{"a":1},', 2 * BYTES)}{}]}`)),
};

/** As many chunks of one byte each, written together. */
const inBytes = (text) => text.replace(/./gs, '1\r\n$&\r\n');

function answerCall(response, id, shape) {
  if (shape === 'bytes' || shape === 'json bytes') {
    const text = whole(id, content(fill('x', 900_000)));
    const type = shape === 'bytes' ? 'text/event-stream' : 'application/json';
    const body = inBytes(shape === 'bytes' ? asEvent(text) : text);
    response.socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${body}0\r\n\r\n`,
    );
    return;
  }
  if (shape in DOCUMENTS) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(DOCUMENTS[shape](id));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of SHAPES[shape]?.(id) ?? [asEvent(whole(id, content('done')))]) response.write(text);
  response.end();
}

const initialized = ({ protocolVersion }) =>
  JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1.0.0' } });
const toolList = `{"tools":${JSON.stringify(tools)}}`;
const ANSWERS = { initialize: initialized, 'tools/list': () => toolList, ping: () => '{}' };

let stream;

function answer({ id, method, params = {} }, response) {
  const create = ANSWERS[method];
  if (legacy) {
    response.writeHead(202).end();
    const result = method === 'tools/call' ? content('done') : create?.(params);
    if (id === undefined) return;
    if (result !== undefined) stream.write(asEvent(whole(id, result)));
    else stream.write(asEvent(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`));
    return;
  }
  if (id === undefined) response.writeHead(202).end();
  else if (method === 'tools/call') answerCall(response, id, params.arguments?.shape);
  else if (create === undefined) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`);
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(asEvent(whole(id, create(params))));
  }
}

const server = createServer((request, response) => {
  if (request.method === 'GET' && legacy) {
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.write('event: endpoint\ndata: /messages\n\n');
    return;
  }
  if (request.method !== 'POST' || (legacy && request.url !== '/messages')) {
    response.writeHead(405).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString('utf8')), response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
process.on('disconnect', () => process.exit());
