import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { Cancellation } from '../../src/base/protocol/cancellation.js';
import type { Gateway } from '../../src/gateway/gateway.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { minutes } from '../support/patience.js';
import '../support/property-seed.js';
import { REPOSITORY } from '../support/served-gateway.js';

const METHODS_SERVER = `${REPOSITORY}test/fixtures/servers/methods-server.mjs`;

/** Words that occur nowhere else: the name of a server, and the ends of its tools' names. */
const SERVERS = ['quokka', 'wombat', 'numbat'] as const;

const TOOLS = (slug: string) => [
  { name: `list_${slug}_zeta`, readOnly: true },
  { name: `delete_${slug}_iota`, readOnly: false },
  { name: `create_${slug}_kappa`, readOnly: false },
  // Two servers have it, so that it is qualified; and one tool is several operations.
  { name: 'search_things', readOnly: true },
  { name: `${slug}_lambda_write`, readOnly: false, methods: ['create', 'delete'] },
];

function serverSource(slug: string): string {
  const tools = TOOLS(slug)
    .filter(({ name }) => name !== 'search_things' || slug !== 'numbat')
    .map(({ name, readOnly, methods }) => ({
      name,
      description: `Does what ${name} says for ${slug}.`,
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          ...(methods === undefined ? {} : { method: { type: 'string', enum: methods } }),
        },
        required: methods === undefined ? [] : ['method'],
      },
      ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
    }));
  return `{
    capabilities: { tools: {}, resources: {}, prompts: {} },
    'tools/list': () => ({ tools: ${JSON.stringify(tools)} }),
    'tools/call': ({ arguments: args = {} }) => ({ content: [{ type: 'text', text: JSON.stringify([{ source: args.id ?? 'a', target: 'b' }]) }] }),
    'resources/list': () => ({ resources: [{ uri: 'note://shared', name: 'shared' }, { uri: 'note://${slug}', name: '${slug} note' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: '${slug}://{id}', name: '${slug} by id' }] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'read' }] }),
    'prompts/list': () => ({ prompts: [{ name: 'ask' }, { name: 'ask_${slug}' }] }),
    'prompts/get': () => ({ messages: [] }),
  }`;
}

/** The views: each by its filter, from which follows what is hidden in it. */
const VIEWS = {
  one: { upstreams: ['quokka'] },
  two: { upstreams: ['quokka', 'wombat'], operations: { exclude: ['*kappa*'] } },
  reads: { operations: { categories: ['READ'] } },
  mild: { operations: { danger: 'reversible' }, mode: 'semantic' },
  named: { operations: { include: ['list_numbat_zeta', 'wombat__*'] } },
  tools: { upstreams: ['wombat'], mode: 'passthrough', operations: { exclude: ['delete_*'] } },
  both: { upstreams: ['nu*'], mode: 'all', passthrough: true, operations: { exclude: ['*zeta', '*iota'] } },
  empty: { upstreams: ['nothing'] },
} as const;

function configOf(): object {
  const relation = (slug: string) => ({
    relationship: `near_${slug}`,
    operation: `list_${slug}_zeta`,
    params: { id: '$id' },
    edges: '',
    source: 'source',
    target: 'target',
  });
  const entries = SERVERS.map((slug) => [
    slug,
    { command: process.execPath, args: [METHODS_SERVER, serverSource(slug)], relations: [relation(slug)] },
  ]);
  return {
    mcpServers: Object.fromEntries(entries),
    views: VIEWS,
    quotas: {
      limits: SERVERS.map((slug) => ({
        name: `of ${slug}`,
        match: { upstream: slug },
        metric: 'requests_per_hour',
        warn: 9_999,
      })),
    },
  };
}

/** Every name that the gateway has, and those that each view does not have. */
function namesOf(gateway: Gateway): readonly string[] {
  const operations = gateway.operations().map(({ operation }) => operation);
  return [...new Set([...operations.flatMap(({ name, qualifiedName }) => [name, qualifiedName]), ...SERVERS])];
}

function hiddenIn(gateway: Gateway, view: Gateway): readonly string[] {
  const shown = new Set(view.operations().flatMap(({ operation }) => [operation.name, operation.qualifiedName]));
  const servers = new Set(view.operations().map(({ operation }) => operation.upstream));
  const visible = [...shown, ...servers].join(' ');
  // A name within a name that is shown says nothing new: the server's, where one of its operations holds it.
  return namesOf(gateway).filter((name) => !shown.has(name) && !servers.has(name) && !visible.includes(name));
}

type Ask = (view: Gateway) => Promise<string>;

const caller = { sessionId: 'property', clientName: 'test', transport: 'http' } as const;

const call =
  (tool: string | undefined, args: unknown): Ask =>
  async (view) => {
    const own = tool ?? (await view.toolList(undefined)).tools[0]?.name ?? 'mcp_aql';
    const reply = await view.handle({ tool: own, arguments: args, caller, cancellation: new Cancellation() });
    return [reply.text, JSON.stringify(reply.blocks), JSON.stringify(reply.meta ?? null)].join('\n');
  };

const native =
  (method: string, params: JsonObject): Ask =>
  async (view) =>
    (await view.native.answer({ method, params, caller, cancellation: new Cancellation() })).text;

const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.slice(0, -1),
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('_', '-'),
  (name) => `mcp__gateway__${name}`,
  (name) => name.split('__').at(-1) ?? name,
  (name) => name.replace('list', 'get').replace('delete', 'remove'),
];

function requestsOver(names: readonly string[]): fc.Arbitrary<{ readonly ask: Ask; readonly said: string }> {
  const name = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...SPELLINGS)).map(([given, spell]) => spell(given));
  const word = fc.oneof(name, fc.constantFrom('delete', 'list things', 'create', 'search', 'notes', 'everything'));
  const query = fc.oneof(
    fc.constant({ query: 'operations' }),
    fc.constant({ query: 'upstreams' }),
    fc.constant({ query: 'types' }),
    fc.constant({ query: 'quota_status' }),
    word.map((search) => ({ query: 'operations', search })),
    name.map((each) => ({ query: 'operations', name: each })),
    name.map((upstream) => ({ query: 'operations', upstream })),
    name.map((each) => ({ query: 'upstreams', name: each })),
    name.map((each) => ({ query: 'types', name: each })),
    name.map((endpoint) => ({ query: 'operations', endpoint })),
  );
  const operation = fc.oneof(name, fc.constantFrom('query_relationships', 'list_resources', 'list_prompts', 'nothing'));
  const params = fc.oneof(
    fc.constant({}),
    fc.constant({ root: 'a' }),
    fc.constant({ uri: 'note://shared' }),
    fc.constant({ name: 'ask' }),
    fc.constant({ unknown_parameter: 1 }),
    name.map((upstream) => ({ upstream, root: 'a', uri: 'note://shared' })),
    fc.constant({ input: { id: 'x' }, method: 'delete' }),
  );
  const request = fc.oneof(
    query.map((asked) => ({ operation: 'introspect', params: asked })),
    fc.record({ operation, params }),
  );
  const tool = fc.oneof(fc.constant(undefined), fc.constantFrom('mcp_aql', 'mcp_aql_read', 'mcp_aql_delete'), name);
  const uri = fc.oneof(
    fc.constantFrom('note://shared', 'note://other'),
    fc.constantFrom(...SERVERS).map((slug) => `note://${slug}`),
  );
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(tool, request)
        .map(([t, args]) => ({ ask: call(t, args), said: `${t} ${JSON.stringify(args)}` })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tool, fc.array(request, { maxLength: 4 }))
        .map(([t, operations]) => ({ ask: call(t, { operations }), said: `${t} ${JSON.stringify(operations)}` })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tool, params)
        .map(([t, args]) => ({ ask: call(t, args), said: `${t} ${JSON.stringify(args)}` })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('resources/list', 'resources/templates/list', 'prompts/list')
        .map((method) => ({ ask: native(method, {}), said: '' })),
    },
    { weight: 1, arbitrary: uri.map((each) => ({ ask: native('resources/read', { uri: each }), said: each })) },
    { weight: 1, arbitrary: name.map((each) => ({ ask: native('prompts/get', { name: each }), said: each })) },
    {
      weight: 1,
      arbitrary: fc.constant({ ask: async (view: Gateway) => (await view.toolList(undefined)).toolsJson, said: '' }),
    },
  );
}

/** The parts of names that a request said itself are no news in its answer. */
function isSaid(name: string, said: string): boolean {
  const simple = (text: string): string => text.toLowerCase().replaceAll('-', '_');
  return simple(said).includes(simple(name)) || name.split('__').some((part) => simple(said).includes(simple(part)));
}

it('names nothing that is outside a view, whatever is asked', { timeout: minutes(4) }, async () => {
  await using live = await openLiveGateway(configOf());
  const { gateway } = live;
  const views = Object.keys(VIEWS);
  // Otherwise the lists of hidden servers would not be known, and nothing could be said of them.
  await native('resources/list', {})(gateway);
  await native('prompts/list', {})(gateway);
  const requests = requestsOver(namesOf(gateway));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...views), requests, async (name, { ask, said }) => {
      const view = gateway.inView(name);
      if (view === undefined) throw new Error(`there is no view '${name}'`);
      const answer = await ask(view);
      const leaked = hiddenIn(gateway, view).filter((hidden) => answer.includes(hidden) && !isSaid(hidden, said));
      expect(leaked, `${name}: ${said}\n${answer}`).toEqual([]);
    }),
    { numRuns: 1_500 },
  );
});
