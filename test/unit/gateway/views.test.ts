import { expect, it } from 'vitest';
import type { ToolSet } from '../../../src/base/protocol/tools.js';
import type { ViewConfig } from '../../../src/config/gateway-config.js';
import { createLiveCatalog } from '../../../src/gateway/live-catalog.js';
import { ReaderCatalog } from '../../../src/gateway/reader-catalog.js';
import { buildSnapshot, rebuildSnapshot, type WholeSnapshot } from '../../../src/gateway/snapshot.js';
import { Views } from '../../../src/gateway/views.js';
import { Readers } from '../../../src/upstream/readers.js';
import type { Upstream } from '../../../src/upstream/upstream.js';
import { anUpstream, aTool } from '../../support/build-test-catalog.js';
import { createFakeGateway } from '../../support/fake-gateway.js';
import { FAKE_CRUDE } from '../catalog/endpoint/fake-catalog.js';

const RUNNERS = { handlerOf: () => async () => ({ data: null }), previewOf: () => undefined };

const config = {
  ...createFakeGateway().config,
  endpoint: { ...createFakeGateway().config.endpoint, profile: FAKE_CRUDE },
  upstreams: [anUpstream('github'), anUpstream('payroll')],
};
const allowed = { effect: 'allow', requires: 'token', conditional: false } as const;
const services = {
  config,
  policy: { staticDecision: () => allowed, revokeToken: async () => '', quotaStatus: async () => ({}) },
};
const view = (name: string, upstreams: readonly string[]): ViewConfig => ({
  name,
  upstreams,
  operations: {},
  endpoint: config.endpoint,
});

/** A live catalog with two views, of which one is in use. */
function openCatalog() {
  const views = new Views([view('code', ['github']), view('people', ['payroll'])], services);
  const built: WholeSnapshot[] = [];
  const catalog = createLiveCatalog({
    buildFirst: ({ toolSets }) => buildSnapshot({ ...services, toolSets, handlers: { over: () => RUNNERS } }),
    async build({ toolSets }: { readonly toolSets: readonly ToolSet[] }) {
      const handlers = { over: () => RUNNERS };
      const whole = await rebuildSnapshot({ ...services, toolSets, handlers });
      await views.prepare(whole);
      built.push(whole);
      return whole;
    },
    onChange: async () => undefined,
    onDefect: (cause) => {
      throw cause;
    },
  });
  const upstreams = new Map<string, Upstream>();
  const readers = new Readers(upstreams);
  const seenBy = new ReaderCatalog({ live: catalog, readers, upstreams, build: (of) => of, open: (whole) => whole });
  return { views, catalog, seenBy };
}

const namesOf = (tools: readonly string[]) => tools.map((name) => aTool(name));

it('tells those who listen in a view of changes of its own tools alone', async () => {
  const { views, catalog, seenBy } = openCatalog();
  const seen = views.open('code')?.over(seenBy);
  if (seen === undefined) throw new Error('no view');
  const news: string[] = [];
  catalog.onToolsChanged(() => news.push('whole'));
  seen.onToolsChanged(() => news.push('code'));
  catalog.offer('github', namesOf(['list_issues']));
  await catalog.settled();
  expect(news).toEqual(['whole', 'code']);
  catalog.offer('payroll', namesOf(['list_salaries', 'delete_salary']));
  await catalog.settled();
  expect(news).toEqual(['whole', 'code', 'whole']);
  catalog.offer('github', namesOf(['list_issues', 'list_pulls']));
  await catalog.settled();
  expect(news.slice(3).sort()).toEqual(['code', 'whole']);
});

it('builds a view once for each catalog, when it is in use, and holds no operation of its own', async () => {
  const { views, catalog, seenBy } = openCatalog();
  const opened = views.open('code');
  const seen = opened?.over(seenBy);
  if (seen === undefined) throw new Error('no view');
  catalog.offer('github', namesOf(Array.from({ length: 50 }, (_, index) => `list_things_${index}`)));
  catalog.offer('payroll', namesOf(['list_salaries']));
  await catalog.settled();
  const snapshot = seen.current(undefined);
  expect(seen.current(undefined)).toBe(snapshot);
  expect(await seen.currentOfAll(undefined)).toBe(snapshot);
  const whole = catalog.current();
  expect(snapshot.catalog.operations).toHaveLength(51);
  expect(snapshot.catalog.operations.every((operation) => whole.catalog.operations.includes(operation))).toBe(true);
  expect([...snapshot.upstreams]).toEqual(['github']);
  expect(snapshot.catalog.whole).toBe(whole.catalog);
});

it('searches the index of the whole, and finds what the view has', async () => {
  const { views, catalog, seenBy } = openCatalog();
  const seen = views.open('people')?.over(seenBy);
  if (seen === undefined) throw new Error('no view');
  catalog.offer('github', namesOf(['list_issues', 'list_issue_salaries']));
  catalog.offer('payroll', namesOf(['list_salaries', 'list_payments']));
  await catalog.settled();
  const { hits } = await seen.current(undefined).search('list salaries', 10);
  expect(hits.map(({ operation }) => operation.name)).toEqual(['list_salaries']);
  const { hits: none, noFit = '' } = await seen.current(undefined).search('merge issues', 10);
  expect([...none.map(({ operation }) => operation.upstream), noFit].join(' ')).not.toContain('github');
});

it('leaves an update that the gateway merges out of a view without its READ', async () => {
  const curation = [{ pattern: 'update_issue', merge: { read: 'get_issue' } }];
  const upstreams = [anUpstream('github', { curation })];
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, title: { type: 'string' } },
    required: ['id'],
  };
  const tools = [aTool('update_issue', schema), aTool('get_issue', schema)];
  const over = () => RUNNERS;
  const own = { ...services, config: { ...config, upstreams } };
  const whole = buildSnapshot({ ...own, toolSets: [{ upstream: 'github', tools }], handlers: { over } });
  const updates = { ...view('updates', ['github']), operations: { categories: ['UPDATE'] } as const };
  const views = new Views([view('all', ['github']), updates], own);
  const namesIn = (name: string) =>
    views
      .open(name)
      ?.of(whole)
      .catalog.operations.map((operation) => operation.name);
  expect(namesIn('all')).toEqual(['get_issue', 'introspect', 'update_issue']);
  expect(namesIn('updates')).toEqual(['introspect']);
});
