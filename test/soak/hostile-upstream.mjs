/**
 * An MCP server on stdio that offers the tools of a JSON file, and answers every call. A call whose arguments have `flood`
 * is answered after a flood of so many lines: notifications of changed tools or of progress, or what is no message; `errors`
 * go to stderr. One that has `result` is answered with the JSON text in it.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let listings = 0;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Every list differs from the one before it in one tool. */
function list() {
  listings += 1;
  return { tools: listings === 1 ? tools : [...tools, { name: `added_${listings}`, inputSchema: { type: 'object' } }] };
}

const FLOODS = {
  changes: () => ({ method: 'notifications/tools/list_changed' }),
  progress: (progress, progressToken) => ({
    method: 'notifications/progress',
    params: { progressToken, progress, message: `step ${progress}` },
  }),
};

/** Lines that are no messages of their own: written as they are. */
const RAW_FLOODS = {
  noise: [process.stdout, 'x\n'],
  blanks: [process.stdout, '\n'],
  halves: [process.stdout, '{"jsonrpc":\n'],
  errors: [process.stderr, 'e\n'],
  answers: [process.stdout, '{"jsonrpc":"2.0","id":"none","result":{}}\n'],
  batches: [process.stdout, `[${Array(20_000).fill('{"jsonrpc":"2.0","method":"x"}').join()}]\n`],
};

function flood({ kind, count }, progressToken) {
  const raw = RAW_FLOODS[kind];
  if (raw !== undefined) raw[0].write(raw[1].repeat(count));
  else for (let index = 1; index <= count; index += 1) write(FLOODS[kind](index, progressToken));
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'hostile', version: '1.0.0' },
  }),
  'tools/list': list,
  'tools/call': ({ arguments: given = {}, _meta = {} }) => {
    if (given.flood !== undefined) flood(given.flood, _meta.progressToken);
    return { content: [{ type: 'text', text: given.answer ?? 'done' }] };
  },
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = params?.arguments?.result;
  if (result !== undefined) {
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
    continue;
  }
  const answer = ANSWERS[method];
  write({
    id,
    ...(answer === undefined ? { error: { code: -32601, message: 'no' } } : { result: answer(params ?? {}) }),
  });
}
