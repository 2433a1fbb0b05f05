/**
 * An MCP server on stdio with the resources, templates and prompts of a kind: `node primitive-upstream.mjs KIND NAME`. A resource and a
 * prompt are as large as their URI and their argument `count` say.
 */
import { createInterface } from 'node:readline';

const [, , kind, name] = process.argv;
const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));

const LISTS = {
  many: { resources: repeat(10_000, (n) => ({ uri: `${name}://${n}`, name: `n${n}` })), templates: [] },
  costly: {
    resources: [],
    templates: repeat(10_000, (n) => ({ uriTemplate: `${name}://${n}/${'{a}{b}{+c}'.repeat(70)}`, name: `n${n}` })),
  },
  large: { resources: [], templates: [] },
};
const { resources, templates } = LISTS[kind];

const CONTENTS = {
  items: (uri) => repeat(200_000, (n) => ({ uri: `${uri}/${n}`, text: 'x' })),
  bytes: (uri) => [{ uri, blob: 'A'.repeat(8_000_000) }],
  quotes: (uri) => [{ uri, text: '"\u2028'.repeat(2_000_000) }],
};

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: { listChanged: true }, prompts: { listChanged: true } },
    serverInfo: { name, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [] }),
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates: templates }),
  'resources/read': ({ uri }) => ({ contents: CONTENTS[uri.split('://')[1]](uri) }),
  'prompts/list': () => ({ prompts: [{ name: 'ask' }, ...resources.map((each) => ({ name: each.name }))] }),
  'prompts/get': ({ arguments: { count } }) => ({
    messages: repeat(Number(count), (n) => ({ role: 'user', content: { type: 'text', text: `say ${n}` } })),
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = ANSWERS[method];
  const outcome = answer === undefined ? { error: { code: -32601, message: 'no' } } : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
