/** An MCP server on stdio whose answers are about as large as they may be without being read by a thread, in every shape. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
/** As large as no thread reads them, unless a call gives another size. */
let bytes = 786_000;

const fill = (one) =>
  Array(Math.floor(bytes / (one.length + 1)))
    .fill(one)
    .join();
const textOf = (text) => `{"type":"text","text":${text}}`;
const whole = (content, rest = '') => `{"content":[${content}]${rest}}`;
const listOf = (one, share = 1) =>
  `[${fill(one)
    .slice(0, Math.floor(bytes * share))
    .replace(/,[^,]*$/, '')}]`;
const escaped = (text) =>
  `"${text.replace(/[^\\n]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** The result of each shape as JSON text. */
const SHAPES = {
  escaped: () => whole(textOf(escaped(listOf('{"a":1}', 0.16)))),
  structured: () => whole('', `,"structuredContent":{"items":${listOf('{"a":1}', 0.99)}}`),
  twice: () => {
    const items = listOf('{"a":1}', 0.4);
    return whole(textOf(JSON.stringify(items)), `,"structuredContent":{"items":${items}}`);
  },
  blocks: () =>
    whole(
      fill(textOf('"a"'))
        .slice(0, bytes - 40)
        .replace(/,\{"type[^{]*$/, ''),
    ),
  objects: () => whole(textOf(JSON.stringify(listOf('{}', 0.99)))),
  nested: () => whole(textOf(JSON.stringify(listOf('[[[[[[[[[[1]]]]]]]]]]', 0.99)))),
  digits: () => whole(textOf(JSON.stringify(listOf('{"a":12345678901234567890.5}', 0.8)))),
  names: () =>
    whole(textOf(JSON.stringify(`[${Array.from({ length: 40_000 }, (_, id) => `{"a":1,"n${id}":2}`).join()}]`))),
};

const ANSWERS = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'answers', version: '1.0.0' } }),
  'tools/list': () => JSON.stringify({ tools }),
  'tools/call': ({ arguments: given = {} }) => {
    bytes = Number(given.size ?? 786_000);
    return SHAPES[given.shape]?.() ?? whole(textOf('"done"'));
  },
  ping: () => '{}',
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const create = ANSWERS[method];
  const outcome = create === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${create(params)}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}\n`);
}
