import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../src/base/json/json.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { Absence } from '../../../../src/base/protocol/tools.js';
import { type ListedEntry, takePage } from '../../../../src/gateway/primitives/list-handler.js';
import { Owners } from '../../../../src/gateway/primitives/owners.js';
import { PrimitiveLists } from '../../../../src/gateway/primitives/primitive-lists.js';
import { readList } from '../../../../src/gateway/primitives/read-list.js';
import { ReaderLists } from '../../../../src/gateway/primitives/reader-lists.js';
import { EVERYBODY } from '../../../../src/upstream/readers.js';
import type { Upstream, UpstreamRequest } from '../../../../src/upstream/upstream.js';

interface FakeUpstream {
  capabilities: JsonObject | undefined;
  absence: Absence | undefined;
  results: Readonly<Record<string, (params: JsonObject) => unknown>>;
}

interface Opened {
  readonly kept: PrimitiveLists;
  readonly lists: ReaderLists;
  readonly owners: Owners;
  readonly fakes: Readonly<Record<string, FakeUpstream>>;
  /** `slug method` of each request so far. */
  readonly requests: string[];
  readonly diagnostics: string[];
  readonly changed: string[];
  pass(ms: number): void;
}

const LISTED = { resources: { listChanged: true }, prompts: { listChanged: true } };

function resource(uri: string, more: JsonObject = {}): JsonObject {
  return { uri, name: uri, ...more };
}

function open(results: Readonly<Record<string, FakeUpstream['results']>>, capabilities: JsonObject = LISTED): Opened {
  const [requests, diagnostics, changed]: string[][] = [[], [], []];
  let now = 0;
  const fakes: Record<string, FakeUpstream> = {};
  const upstreams = new Map<string, Upstream>();
  for (const [slug, given] of Object.entries(results)) {
    const fake: FakeUpstream = { capabilities, absence: undefined, results: given };
    fakes[slug] = fake;
    upstreams.set(slug, {
      slug,
      call: () => Promise.reject(new Error('no tools')),
      async request({ method, params }: UpstreamRequest) {
        requests?.push(`${slug} ${method}`);
        const result = fake.results[method]?.(params) ?? {};
        return isJsonObject(result) ? result : {};
      },
      capabilities: () => fake.capabilities,
      watchResource: async () => undefined,
      status: () => ({
        name: slug,
        slug,
        state: 'ready',
        transport: 'stdio',
        tools: 0,
        restarts: 0,
        calls: { inFlight: 0, waiting: 0 },
      }),
      absence: () => fake.absence,
      introduction: () => undefined,
      retryNow: () => undefined,
      announced: () => undefined,
      isIsolated: false,
      setLogLevel: () => undefined,
      ownerOf: () => undefined,
      readerOf: () => undefined,
      accountOf: () => undefined,
      connectFor: async () => undefined,
      restart: () => undefined,
    });
  }
  const kept = new PrimitiveLists({
    upstreams,
    onDiagnostic: (upstream, message) => diagnostics?.push(`${upstream}: ${message}`),
    onChanged: (kind) => changed?.push(kind),
    now: () => now,
  });
  const lists = new ReaderLists(kept, upstreams, EVERYBODY);
  const owners = new Owners({ lists, configured: () => [...upstreams.keys()] });
  const pass = (ms: number): void => {
    now += ms;
  };
  return {
    kept,
    lists,
    owners,
    fakes,
    requests: requests ?? [],
    diagnostics: diagnostics ?? [],
    changed: changed ?? [],
    pass,
  };
}

const idsOf = ({ lists }: Opened, list: 'resources' | 'prompts' = 'resources') =>
  lists.known(list).map(({ upstream, entries }) => [upstream, entries.map(({ id }) => id)]);

function refusal(work: () => unknown): OperationError {
  try {
    work();
  } catch (error) {
    if (error instanceof OperationError) return error;
  }
  throw new Error('not refused');
}

describe('the lists of upstreams', () => {
  it('are read once, when they are first asked for, page by page, and again after news of a change', async () => {
    const pages: Record<string, JsonObject> = {
      '': { resources: [resource('a:1')], nextCursor: 'two' },
      two: { resources: [resource('a:2')], nextCursor: null },
    };
    const opened = open({ one: { 'resources/list': ({ cursor = '' }) => pages[String(cursor)] } });
    await Promise.all([opened.lists.ready('resources'), opened.lists.ready('resources')]);
    expect(opened.lists.ready('resources')).toBeUndefined();
    expect(idsOf(opened)).toEqual([['one', ['a:1', 'a:2']]]);
    expect(opened.requests).toEqual(['one resources/list', 'one resources/list']);
    pages['two'] = { resources: [] };
    opened.kept.noteChange({ upstream: 'one', owner: undefined }, 'resources');
    await opened.lists.ready('resources');
    expect(idsOf(opened)).toEqual([['one', ['a:1']]]);
    expect(opened.changed).toEqual(['resources']);
  });

  it('are kept while their upstream is away, and are no news when it comes back with the same', async () => {
    const opened = open({ one: { 'resources/list': () => ({ resources: [resource('a:1')] }) } });
    await opened.lists.ready('resources');
    const [fake] = Object.values(opened.fakes);
    if (fake === undefined) throw new Error('there is no upstream');
    fake.absence = { retryAfterMs: 5 };
    opened.kept.noteChange({ upstream: 'one', owner: undefined });
    expect(opened.lists.ready('resources')).toBeUndefined();
    expect(opened.owners.ofResource('a:1', undefined)).toEqual({ upstream: 'one', id: 'a:1' });
    fake.absence = undefined;
    opened.kept.noteChange({ upstream: 'one', owner: undefined });
    await opened.lists.ready('resources');
    expect(opened.changed).toEqual([]);
  });

  it('are news when they come after somebody has asked', async () => {
    const opened = open({ one: { 'prompts/list': () => ({ prompts: [{ name: 'p' }] }) } });
    const [fake] = Object.values(opened.fakes);
    if (fake === undefined) throw new Error('there is no upstream');
    fake.capabilities = undefined;
    expect(opened.lists.ready('prompts')).toBeUndefined();
    fake.capabilities = LISTED;
    opened.kept.noteChange({ upstream: 'one', owner: undefined });
    await opened.lists.ready('prompts');
    expect(opened.changed).toEqual(['prompts']);
  });

  it('are read again after a while where the server does not say when they change', async () => {
    const opened = open({ one: { 'resources/list': () => ({ resources: [] }) } }, { resources: {} });
    await opened.lists.ready('resources');
    expect(opened.lists.ready('resources')).toBeUndefined();
    opened.pass(60_001);
    await opened.lists.ready('resources');
    expect(opened.requests).toHaveLength(2);
  });

  it('stay what they were where they cannot be read, which is tried again after a pause', async () => {
    let isBroken = true;
    const broken = (): JsonObject => {
      if (isBroken) throw new OperationError('INTERNAL_ERROR', 'it fails');
      return { resources: [resource('a:1')] };
    };
    const opened = open({ one: { 'resources/list': broken }, two: { 'resources/list': () => ({ resources: [] }) } });
    await opened.lists.ready('resources');
    await opened.lists.ready('resources');
    expect(opened.diagnostics).toEqual(["one: its 'resources/list' could not be read: it fails"]);
    expect(opened.requests.filter((each) => each.startsWith('one'))).toHaveLength(1);
    isBroken = false;
    opened.pass(5_001);
    expect(opened.lists.ready('resources')).toBeUndefined();
    await opened.lists.readAll('resources');
    expect(idsOf(opened)).toEqual([
      ['one', ['a:1']],
      ['two', []],
    ]);
  });
});

const SOURCE = { method: 'resources/list', member: 'resources', key: 'uri', most: 10_000 };

describe('a hostile list', () => {
  it('is read up to a bound', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => resource(`a:${index}`));
    const { entries, diagnostics } = await readList(SOURCE, async () => ({ resources: many, nextCursor: 'more' }));
    expect(entries).toHaveLength(10_000);
    expect(diagnostics).toEqual([expect.stringContaining('the rest was not read')]);
  });

  it('of prompts and templates, which are all compared at once, has a lower bound', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({ name: `p${index}` }));
    const opened = open({ one: { 'prompts/list': () => ({ prompts: many }) } });
    await opened.lists.readAll('prompts');
    expect(opened.lists.countOf('prompts', 'one')).toBe(1_000);
    expect(opened.diagnostics).toEqual([expect.stringContaining('has 1000 entries')]);
  });

  it('comes to an end, whatever its cursors are', async () => {
    let pages = 0;
    const endless = await readList(SOURCE, async () => {
      pages += 1;
      return { resources: [], nextCursor: String(pages) };
    });
    expect([pages, endless.diagnostics]).toEqual([1_000, [expect.stringContaining('more than 1000 pages')]]);
    const circle = await readList(SOURCE, async () => ({ resources: [], nextCursor: 'a' }));
    expect(circle.diagnostics).toEqual([expect.stringContaining('came back to a page')]);
  });

  it('loses the entries that no client could read, and one diagnostic says so', async () => {
    const huge = 'x'.repeat(1_000_000);
    const bad = [
      null,
      7,
      [],
      {},
      { uri: 'a:' },
      resource(`a:${huge}`),
      resource('a:\ud800'),
      resource('a:2', { title: huge }),
    ];
    const odd = resource('a:3', { title: 5, icons: [{}], later: [1], annotations: null });
    const list = [resource('a:1'), ...bad, resource('a:1'), odd];
    const { entries, diagnostics } = await readList(SOURCE, async () => ({ resources: list }));
    expect(entries.map(({ value }) => value)).toEqual([resource('a:1'), resource('a:3', { later: [1] })]);
    expect(diagnostics).toEqual([
      "its 'resources/list' has 9 entries that are left out, of which the first is no object",
    ]);
    const none = await readList(SOURCE, async () => ({ resources: { a: 1 } }));
    expect(none).toMatchObject({ entries: [], diagnostics: ["its 'resources/list' holds no list of resources"] });
  });
});

describe('the owner of a name', () => {
  const both = {
    one: {
      'resources/list': () => ({ resources: [resource('a:1'), resource('a:both'), resource('mcp-aql://two/a%3A2')] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 't:{x}', name: 't' }] }),
      'prompts/list': () => ({ prompts: [{ name: 'p' }, { name: 'two__q' }] }),
    },
    two: {
      'resources/list': () => ({ resources: [resource('a:2'), resource('a:both')] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 't:{y}/z', name: 'z' }] }),
      'prompts/list': () => ({ prompts: [{ name: 'p' }, { name: 'q' }] }),
    },
  };

  async function openBoth(more: Parameters<typeof open>[0] = {}): Promise<Opened> {
    const opened = open({ ...both, ...more });
    await Promise.all([opened.owners.ready('resources', 'a:'), opened.lists.ready('prompts')]);
    return opened;
  }

  it('is the upstream that alone has it, or whose template alone it can come from', async () => {
    const { owners } = await openBoth();
    expect(owners.ofResource('a:1', undefined).upstream).toBe('one');
    expect(owners.ofResource('t:7', undefined).upstream).toBe('one');
    expect(owners.ofResource('t:7/z', undefined).upstream).toBe('two');
    expect(owners.ofPrompt('q', undefined).upstream).toBe('two');
    expect(owners.ofResource('x:1', 'two')).toEqual({ upstream: 'two', id: 'x:1' });
  });

  it('is found anew where the templates of a server have changed, also for the URI that was asked for last', async () => {
    const templates: Record<string, readonly string[]> = { one: ['t:{x}'], two: ['u:{x}'] };
    const listOf = (slug: string) => ({
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({
        resourceTemplates: (templates[slug] ?? []).map((uriTemplate) => ({ uriTemplate, name: 't' })),
      }),
    });
    const opened = open({ one: listOf('one'), two: listOf('two') });
    await Promise.all([opened.lists.readAll('resources'), opened.lists.readAll('templates')]);
    expect(opened.owners.ofResource('t:5', undefined)).toEqual({ upstream: 'one', id: 't:5' });
    for (const [slug, now] of [
      ['one', 'u:{x}'],
      ['two', 't:{x}'],
    ] as const) {
      templates[slug] = [now];
      opened.kept.noteChange({ upstream: slug, owner: undefined }, 'resources');
    }
    await opened.lists.readAll('templates');
    expect(opened.owners.ofResource('t:5', undefined)).toEqual({ upstream: 'two', id: 't:5' });
  });

  it.each([
    ['judgment://{slug*}', 'judgment://uksc/2024/12'],
    ['repo://{owner}/{path*}/template.py', 'repo://ann/src/x/template.py'],
    ['KBInfo://KB/{path}', 'KBInfo://KB/docs2/topic.md'],
    ['users://{id}/profile', 'users://a b/profile'],
    ['docs://café/{name}', 'docs://caf%C3%A9/menu one'],
    ['docs://caf%C3%A9/{name}', 'docs://café/menu one'],
    ['emoji://{name}', 'emoji://🎉'],
  ])('is the upstream whose template %s alone begins as %s does, where none fits', async (uriTemplate, uri) => {
    const templates = { resourceTemplates: [{ uriTemplate, name: 't' }] };
    const { owners } = await openBoth({ three: { 'resources/templates/list': () => templates } });
    expect(owners.ofResource(uri, undefined)).toEqual({ upstream: 'three', id: uri });
    expect(() => owners.ofResource(`x${uri}`, undefined)).toThrow('may be one of several servers');
  });

  it('is never guessed: the refusal names each way to say it', async () => {
    const { owners } = await openBoth();
    for (const uri of ['a:both', 'x:1'])
      expect(refusal(() => owners.ofResource(uri, undefined)).details['candidates']).toEqual([
        `mcp-aql://one/${uri}`,
        `mcp-aql://two/${uri}`,
      ]);
    expect(refusal(() => owners.ofPrompt('p', undefined)).details['candidates']).toEqual(['one__p', 'two__p']);
    expect(refusal(() => owners.ofPrompt('zz', undefined)).code).toBe('NOT_FOUND_RESOURCE');
    expect(refusal(() => owners.ofResource('a:1', 'three')).message).toContain("'three' is not configured");
    expect(refusal(() => owners.ofResource('mcp-aql://one/a%3A1', 'two')).message).toContain("Leave 'upstream' out");
  });

  it('is not taken by a server that lists the qualified names of another', async () => {
    const { owners } = await openBoth();
    expect(owners.ofResource('mcp-aql://two/a%3A2', undefined)).toEqual({ upstream: 'two', id: 'a:2' });
    expect(owners.ofPrompt('two__q', undefined)).toEqual({ upstream: 'two', id: 'q' });
    const own = { upstream: 'one', id: 'mcp-aql://two/a%3A2' };
    const shown = owners.show('resources', own);
    expect(owners.ofResource(shown, undefined)).toEqual(own);
    expect(owners.show('prompts', { upstream: 'one', id: 'two__q' })).toBe('one__two__q');
  });

  it('is no server whose templates cost so much that those of another are not reached', async () => {
    const uri = `a:${'7'.repeat(98)}`;
    const costly = { name: 't', uriTemplate: `a:${'{x}'.repeat(98)}-` };
    const fits = { name: 't', uriTemplate: 'a:{id}' };
    const templates = (costlyOnes: number) => ({
      'resources/templates/list': () => ({
        resourceTemplates: [
          ...Array.from({ length: costlyOnes }, (_, index) => ({
            ...costly,
            uriTemplate: `${costly.uriTemplate}${index}`,
          })),
          fits,
        ],
      }),
    });
    const { owners } = open({ one: templates(199), two: templates(1) });
    await owners.ready('resources', uri);
    const { code, details } = refusal(() => owners.ofResource(uri, undefined));
    expect([code, details['candidates']]).toEqual([
      'NOT_FOUND_RESOURCE',
      [`mcp-aql://one/a:${'7'.repeat(98)}`, `mcp-aql://two/a:${'7'.repeat(98)}`],
    ]);
  });

  it('needs no list where only one upstream has resources', () => {
    const { owners, requests } = open({ one: {} });
    expect(owners.ready('resources', 'a:1')).toBeUndefined();
    expect(owners.ofResource('a:1', undefined).upstream).toBe('one');
    expect(requests).toEqual([]);
  });
});

describe('a page of a list', () => {
  const entries = (ids: readonly number[]) =>
    ids.map((each) => ({ upstream: 'one', id: String(each), value: { each, text: 'x'.repeat(9_980) } }));
  const all = Array.from({ length: 250 }, (_, index) => index);
  const seen = (page: readonly ListedEntry[]) => page.map(({ value }) => value['each']);
  const pageOf = (ids: readonly number[], cursor: unknown) => takePage(entries(ids), cursor);

  it('holds all entries as long as that is no long answer', () => {
    const short = all.flatMap((each) => [{ upstream: 'one', id: String(each), value: { each } }]);
    expect(takePage(short, undefined)).toEqual({ page: short });
  });

  it('goes on after the last entry that was shown, also when others came and went', () => {
    const first = pageOf(all, undefined);
    const size = first.page.length;
    expect([size > 90, seen(first.page)]).toEqual([true, all.slice(0, size)]);
    const second = pageOf([...all.slice(50), 300], first.nextCursor);
    expect(seen(second.page)).toEqual(all.slice(size, 2 * size));
    const last = pageOf(all, second.nextCursor);
    expect([seen(last.page), last.nextCursor]).toEqual([all.slice(2 * size), undefined]);
    const without = pageOf(
      all.filter((each) => each !== size - 1),
      first.nextCursor,
    );
    expect(without.page.length).toBeGreaterThan(0);
  });

  it.each([['nonsense'], [7], [''], [Buffer.from('1.x').toString('base64url')]])('refuses the cursor %j', (cursor) => {
    expect(() => pageOf(all, cursor)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ param_name: 'cursor' }) }),
    );
  });
});
