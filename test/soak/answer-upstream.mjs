/** An MCP server on stdio whose tools give answers of some 50 MB */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const BYTES = 48_000_000;

const fill = (one) => one.repeat(Math.floor(BYTES / one.length));
const rows = (count, create) => Array.from({ length: count }, (_, index) => create(index));
const row = (id) => ({
  id,
  name: `row ${id}`,
  owner: `owner ${id % 97}`,
  size: (id * 7919) % 100_003,
  text: 'x'.repeat(40),
});
const listOf = (text) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
const ROWS = 400_000;

/** The result of each tool as JSON text. */
const RESULTS = {
  get_prose: () => listOf(fill('A line of text with "quotes" and \\ in it.\n').slice(0, BYTES * 0.8)),
  get_string: () => listOf(fill('x')),
  list_rows: () => listOf(JSON.stringify(rows(ROWS * 0.8, row))),
  list_pretty: () => listOf(JSON.stringify(rows(ROWS / 2, row), null, 2)),
  list_structured: () => `{"content":[],"structuredContent":${JSON.stringify({ items: rows(ROWS, row) })}}`,
  list_twice: () => {
    const value = { items: rows(ROWS / 2.5, row) };
    return `{"content":[{"type":"text","text":${JSON.stringify(JSON.stringify(value, null, 1))}}],"structuredContent":${JSON.stringify(value)}}`;
  },
  list_small: () =>
    listOf(
      `[${fill('{"a":1},')
        .slice(0, 40_000_000)
        .replace(/,[^,]*$/, '')}]`,
    ),
  list_million: () => listOf(JSON.stringify(rows(1_000_000, (id) => ({ id })))),
  get_nested: () => listOf('['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2)),
  get_nested_structured: () =>
    `{"content":[],"structuredContent":${'{"a":'.repeat(8_000_000)}1${'}'.repeat(8_000_000)}}`,
  list_digits: () => listOf(`[${rows(1_200_000, (index) => `{"n":12345678901234567890${index}.5}`).join()}]`),
  list_names: () => listOf(`[${rows(BYTES / 18, (index) => `{"n${index}":1}`).join()}]`),
  list_lists: () =>
    listOf(
      `[${fill('[1],')
        .slice(0, BYTES / 3)
        .replace(/,[^,]*$/, '')}]`,
    ),
  get_wide: () => listOf(`${fill('A line of text. ').slice(0, BYTES * 0.9)}ж`),
  get_failure: () => listOf(fill('no. ')).replace(/^\{/, '{"isError":true,'),
  get_image: () => `{"content":[{"type":"image","mimeType":"image/png","data":"${fill('QUJD')}"}]}`,
  list_blocks: () => `{"content":[${fill('{"type":"text","text":"a"},').replace(/,[^,]*$/, '')}]}`,
  get_malformed: () => listOf(fill('x')).slice(0, -3),
};
/** Resources of just under the default bound of an answer. */
const CONTENTS = {
  text: () => [{ text: 'A line of text with "quotes" and \\ in it.\n'.repeat(200_000) }],
  blob: () => [{ blob: 'QUJD'.repeat(2_500_000) }],
  many: () => rows(250_000, () => ({ text: 'x' })),
  digits: () => [{ text: 'x'.repeat(1_000_000), size: 1 }, ...rows(150_000, () => ({ text: '1', size: 1 }))],
};
const contentsOf = (uri) => {
  const text = JSON.stringify({ contents: CONTENTS[uri.slice('soak:'.length)]().map((each) => ({ uri, ...each })) });
  return text.replaceAll('"size":1', '"size":12345678901234567890');
};
let last = {};
const resultOf = (name) => {
  // One at a time: these texts are large.
  if (last.name !== name) last = { name, text: RESULTS[name]?.() ?? listOf('done') };
  return last.text;
};

/** A task is named after its tool, and has ended by the time that it is asked for. */
const taskOf = (taskId) => ({
  taskId,
  status: 'completed',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 60_000,
  pollInterval: 100,
});

const ANSWERS = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {}, resources: {}, tasks: { requests: { tools: { call: {} } } } },
      serverInfo: { name: 'answers', version: '1.0.0' },
    }),
  'tools/list': () => JSON.stringify({ tools }),
  'tools/call': ({ name, task }) => (task === undefined ? resultOf(name) : JSON.stringify({ task: taskOf(name) })),
  'resources/list': () =>
    JSON.stringify({ resources: Object.keys(CONTENTS).map((name) => ({ uri: `soak:${name}`, name })) }),
  'resources/read': ({ uri }) => contentsOf(uri),
  'tasks/get': ({ taskId }) => JSON.stringify(taskOf(taskId)),
  'tasks/result': ({ taskId }) => resultOf(taskId),
  ping: () => '{}',
};

function answer({ id, method, params = {} }) {
  const create = ANSWERS[method];
  const outcome = create === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${create(params)}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}\n`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id !== undefined) process.stdout.write(answer(message));
}
