import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { DocumentedOperation } from '../../../src/conformance/catalog-view.js';
import { gatherDefaults } from '../../../src/conformance/default-evidence.js';
import type { Probe } from '../../../src/conformance/probe.js';

const SEARCH: DocumentedOperation = {
  name: 'search_books',
  category: 'READ',
  tool: 'mcp_aql_read',
  parameters: [{ name: 'page_count', type: 'integer', required: false, default: 2 }],
  example: {},
  upstream: 'books',
  upstreamTool: 'searchBooks',
  details: {},
};

/** The paths by which the documented default of a server is judged that answers like this. */
async function judgedPaths(answer: (params: JsonObject, call: number) => JsonObject): Promise<readonly string[]> {
  let calls = 0;
  const probe: Probe = {
    tools: ['mcp_aql_read'],
    server: { name: 'fake', version: '1.0.0' },
    send: async (_tool, args) => {
      calls += 1;
      const { params } = args as { params: JsonObject };
      return { success: true, data: answer(params, calls) };
    },
    introspect: async () => ({ success: true, data: {} }),
    close: async () => undefined,
  };
  return (await gatherDefaults(probe, [SEARCH], 1)).map((found) => found.expected_value_path);
}

it('a documented default is judged by what an answer says of its data', async () => {
  expect(await judgedPaths(() => ({ books: ['a', 'b'], total: 2 }))).toEqual([
    'data.books.length',
    'data.books.0',
    'data.books.1',
    'data.total',
  ]);
});

it.each<[string, (params: JsonObject, call: number) => JsonObject]>([
  ['an echo of the arguments', (got) => ({ books: ['a'], got })],
  ['an echo in the spelling of the server', (got) => ({ books: ['a'], query: { pageCount: got['page_count'] } })],
  ['an echo in a text', (got) => ({ books: ['a'], said: `called with ${JSON.stringify(got)} page_count` })],
  ['what differs between two equal calls', (got, call) => ({ books: ['a'], at: 'page_count' in got ? 0 : call })],
])('and not by %s', async (_what, answer) => {
  expect(await judgedPaths(answer)).toEqual(['data.books.length', 'data.books.0']);
});
