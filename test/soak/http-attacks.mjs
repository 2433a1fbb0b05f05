/** What hostile clients send below the messages, and what hostile servers answer over HTTP. */
import { connect } from 'node:net';
import { LONGER_BAR_MS } from './attacks.mjs';
import { writeCall } from './soak-gateway.mjs';

const call = (operation, params = {}) => ({ operation, params });
const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));
const TOOLS = [
  {
    name: 'list_rows',
    inputSchema: { type: 'object', properties: { shape: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
];
const ANSWER_MS = 60_000;

/** Sends bytes over a connection of its own; the code is the status of the first answer. */
const sendRaw = (url, bytes) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const finish = (code) => {
      socket.destroy();
      resolve({ answer: '', code });
    };
    socket.setTimeout(ANSWER_MS, () => finish('no answer'));
    socket.once('data', (chunk) => finish(`HTTP ${chunk.toString('latin1').split(' ', 2)[1]}`));
    socket.once('error', () => finish('closed'));
    socket.once('close', () => finish('closed'));
    socket.write(bytes);
  });
const raw = (text) => ({ run: (url) => sendRaw(url, text) });

const HEADERS = `content-type: application/json\r\naccept: application/json, text/event-stream\r\n`;
const post = (headers, body = '') => `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${HEADERS}${headers}\r\n${body}`;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const MANY = repeat(1_500, (index) => `a${index}:b\r\n`).join('');
const LONG = 15_000;
const NAMES = [
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'traceparent',
  'origin',
  'cookie',
  'last-event-id',
];
const VALUES = {
  accept: 'application/'.repeat(LONG / 12),
  'content-type': `application/json${' ;'.repeat(LONG / 2)}`,
  'content-encoding': ','.repeat(LONG),
};
const sized = (headers) => post(`content-length: ${PING.length}\r\n${headers}`, PING);

/** A call whose body comes in chunks of one byte each. */
function inBytes(args) {
  const { headers, body } = writeCall(args, 1);
  const lines = Object.entries({ host: '127.0.0.1', ...headers, 'transfer-encoding': 'chunked' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `POST /mcp HTTP/1.1\r\n${head}\r\n${body.replace(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`;
}
const long = (size) => call('list_rows', { shape: 'x'.repeat(size) });

const SHAPES = [
  'lines',
  'blanks',
  'returns',
  'comments',
  'ids',
  'events',
  'empty',
  'bytes',
  'json bytes',
  'large',
  'json',
  'json rows',
];

const MANY_TOOLS = repeat(5_000, (index) => ({
  name: `${['list', 'create', 'update', 'delete', 'run'][index % 5]}_part_${index}`,
  description: `Works on part ${index}. ${'It is described at length. '.repeat(60)}`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      repeat(40, (one) => [`p${one}`, { type: 'string', description: 'Some words on it. '.repeat(2) }]),
    ),
  },
}));

export const HTTP_ATTACKS = [
  {
    name: 'headers of 16 kB',
    tools: TOOLS,
    requests: [
      raw(sized(MANY)),
      ...NAMES.map((name) => raw(sized(`${name}: ${'a,'.repeat(LONG / 2)}\r\n`))),
      ...Object.entries(VALUES).map(([name, value]) => raw(sized(`${name}: ${value}\r\n`))),
    ],
  },
  {
    name: 'a flood of headers',
    tools: TOOLS,
    requests: [
      repeat(200, () => raw(sized(MANY))),
      repeat(200, () => raw(sized(`mcp-session-id: ${'a'.repeat(LONG)}\r\n`))),
      raw(sized('').repeat(2_000)),
    ],
  },
  {
    name: 'bodies of a byte a chunk',
    tools: TOOLS,
    requests: [
      raw(inBytes(long(900_000))),
      repeat(30, () => raw(inBytes(long(200_000)))),
      repeat(100, () => raw(inBytes(long(50_000)))),
    ],
  },
  ...SHAPES.map((shape) => ({
    name: `events over HTTP: ${shape}`,
    tools: TOOLS,
    http: [],
    upstream: { maxAnswerBytes: 52_428_800 },
    settleMs: 500,
    requests: [call('list_rows', { shape })],
  })),
  ...[[], ['--sse']].map((http) => ({
    name: `25 MB of tools over ${http.length > 0 ? 'the older transport' : 'HTTP'}`,
    tools: MANY_TOOLS,
    barMs: LONGER_BAR_MS,
    http,
    upstream: { maxAnswerBytes: 52_428_800 },
    settleMs: 8_000,
    requests: [],
  })),
];
