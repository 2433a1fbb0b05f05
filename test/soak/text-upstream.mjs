/** An MCP server on stdio whose tools give texts of 6 MB: a log, tables, and lines of few letters. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const BYTES = 6_000_000;

/** As many lines as there is room for. */
function linesOf(lineAt, bytes = BYTES) {
  const lines = [];
  for (let index = 0, length = 0; length < bytes; index += 1) {
    const line = lineAt(index);
    length += line.length + 1;
    lines.push(line);
  }
  return lines.join('\n');
}

const TEXTS = {
  get_log: () =>
    linesOf((id) => `2026-04-15T10:00:${id % 60} INFO worker-${id % 8} GET /bikes/${id} ${(id * 7919) % 1_000} ms`),
  get_csv: () => `id,a,b\n${linesOf((id) => `${id},${id % 97},${id % 13}`)}`,
  get_rows: () => `[${linesOf((id) => `{"a":${id % 97}},`).replace(/,$/, '')}]`,
  get_short: () => linesOf((id) => String((id * 7919) % 100_000_000).padStart(9, '0')),
  get_tiny: () => linesOf(() => 'ab'),
  // Just long enough for a thread.
  get_start: () => linesOf((id) => `line ${id}`, 500_000),
};

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'texts', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: TEXTS[name]() }] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method]?.(params) ?? {} })}\n`);
}
