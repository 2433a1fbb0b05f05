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
/** As many different ones as fit, as they are within a JSON text. */
const eachOf = (create) => {
  const all = [];
  for (let length = 0, id = 0; length < bytes * 0.98; id += 1) {
    all.push(create(id));
    length += JSON.stringify(all.at(-1)).length - 1;
  }
  return all.join();
};
const listOfEach = (create) => `[${eachOf(create)}]`;
const membersOf = (create) => `{${eachOf(create)}}`;
const ROW = { name: 'a name of some length', owner: { login: 'somebody', id: 7 }, open: true, text: 'x'.repeat(40) };
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
  names: () => whole(textOf(JSON.stringify(listOfEach((id) => `{"a":1,"n${id}":2}`)))),
  'structured nothing': () => whole('', `,"structuredContent":{"items":${listOf('{}', 0.99)}}`),
  'structured names': () => whole('', `,"structuredContent":{"items":${listOfEach((id) => `{"a":1,"n${id}":2}`)}}`),
  'structured nested': () => whole('', `,"structuredContent":{"items":${listOf('[[[[[[[[[[1]]]]]]]]]]', 0.99)}}`),
  rows: () => whole(textOf(JSON.stringify(listOfEach((id) => JSON.stringify({ a: id, ...ROW }))))),
  exponents: () => whole(textOf(JSON.stringify(listOf('1e100', 0.99)))),
  'long numbers': () =>
    whole(textOf(JSON.stringify(listOfEach((id) => `{"a":123456789012345678${100 + (id % 900)}}`)))),
  string: () => whole(textOf(`"${'x'.repeat(bytes - 100)}"`)),
  'string of marks': () => whole(textOf(`"${'{[,'.repeat((bytes - 100) / 3)}"`)),
  keys: () => whole(textOf(JSON.stringify(membersOf((id) => `"key_${id}":${id}`)))),
  'structured keys': () => whole('', `,"structuredContent":${membersOf((id) => `"key_${id}":${id}`)}`),
  lists: () => whole(textOf(JSON.stringify(listOf('[1]', 0.99)))),
  'long texts': () =>
    whole(textOf(JSON.stringify(listOfEach((id) => `{"a":${JSON.stringify(`${'x'.repeat(400)}${id}`)}}`)))),
  lines: () => whole(textOf(JSON.stringify('a\n'.repeat(bytes / 3.1)))),
  tabs: () => whole(textOf(JSON.stringify('a\tb\n'.repeat(bytes / 6.1)))),
  commas: () => whole(textOf(JSON.stringify(`a,b\n${'1,2\n'.repeat(bytes / 5.1)}`))),
  pipes: () => whole(textOf(JSON.stringify(`|a|b|\n|-|-|\n${'|1|2|\n'.repeat(bytes / 7.1)}`))),
  tags: () => whole(textOf(JSON.stringify(`<table>${'<tr><td>1<td>2'.repeat(bytes / 14.1)}</table>`))),
  'lines of JSON': () => whole(textOf(JSON.stringify('{"a":1}\n'.repeat(bytes / 11.1)))),
  pretty: () => whole(textOf(JSON.stringify(listOf('{\n"a":1\n}', 0.7)))),
  'JSON in a text': () => whole(textOf(JSON.stringify(`Found:\n${listOf('{"a":1}', 0.75)}`))),
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
