import { describe, expect, it } from 'vitest';
import type { Resolution } from '../../../src/catalog/catalog.js';
import { createNameResolver } from '../../../src/catalog/resolve-name.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const catalog = buildTestCatalog({
  github: [aTool('create_issue'), aTool('list_issues'), aTool('getUser'), aTool('search')],
  gitlab: [aTool('create_issue'), aTool('search'), aTool('API-post-search'), aTool('delete.file')],
});

const names = (resolution: Resolution): readonly string[] => {
  if (resolution.kind === 'found') return [resolution.operation.name];
  if (resolution.kind === 'unknown-upstream') return resolution.nearest;
  if ('candidates' in resolution) return resolution.candidates.map(({ name }) => name);
  return 'nearest' in resolution ? resolution.nearest.map(({ name }) => name) : [];
};

describe('resolve', () => {
  it.each([
    ['list_issues', 'found', ['list_issues']],
    ['github__create_issue', 'found', ['github__create_issue']],
    ['create_issue', 'ambiguous', ['github__create_issue', 'gitlab__create_issue']],
    ['getUser', 'raw-name', ['get_user']],
    ['API-post-search', 'raw-name', ['api_post_search']],
    ['ListIssues', 'raw-name', ['list_issues']],
    ['delete.file', 'raw-name', ['delete_file']],
    ['mcp__github__create_issue', 'raw-name', ['github__create_issue']],
    ['mcp__github__getUser', 'raw-name', ['get_user']],
    ['github.getUser', 'raw-name', ['get_user']],
    ['github:list_issues', 'raw-name', ['list_issues']],
    ['gitlab/search', 'raw-name', ['gitlab__search']],
    ['gitlab.delete.file', 'raw-name', ['delete_file']],
    ['mcp__another__getUser', 'raw-name', ['get_user']],
    ['github_create_issue', 'raw-name', ['github__create_issue']],
    ['mcp_gitlab_search', 'raw-name', ['gitlab__search']],
  ] as const)('finds %s as %s', (name, kind, expected) => {
    const resolution = catalog.resolve(name);
    expect(resolution.kind).toBe(kind);
    expect(names(resolution)).toEqual(expected);
  });

  it.each([
    ['list_isues', 'list_issues'],
    ['issues_list', 'list_issues'],
    ['get_users', 'get_user'],
    ['craete_issue', 'github__create_issue'],
    ['post_search', 'api_post_search'],
  ])('answers the unknown name %s with %s as the most similar', (name, nearest) => {
    const resolution = catalog.resolve(name);
    expect(resolution.kind).toBe('unknown');
    expect(names(resolution)[0]).toBe(nearest);
    expect(names(resolution).length).toBeLessThanOrEqual(5);
  });

  it.each(['', 'zzzz', '__proto__', '创建', 'x'.repeat(100_000)])(
    'answers %j as unknown without suggestions',
    (name) => {
      expect(catalog.resolve(name)).toEqual({ kind: 'unknown', nearest: [] });
    },
  );
});

/** A catalog in which tools are given by their names. */
function catalogWith(
  tools: Readonly<Record<string, readonly string[]>>,
  settings: Parameters<typeof buildTestCatalog>[1],
) {
  const lists = Object.entries(tools).map(([slug, list]) => [slug, list.map((name) => aTool(name))]);
  return buildTestCatalog(Object.fromEntries(lists), settings);
}

describe('a name that is qualified with a configured upstream', () => {
  const withAbsent = catalogWith(
    { home: ['create_item', 'work_create_item', 'work__delete_item'] },
    { upstreams: [anUpstream('work')] },
  );

  it.each(['work__create_item', 'mcp__work__create_item', 'work.createItem', 'work__delete_item', 'mcp__gw__work__x'])(
    'resolves %s to that upstream alone, though it offers nothing',
    (name) => {
      expect(withAbsent.resolve(name)).toEqual({ kind: 'absent', upstream: 'work', nearest: [] });
    },
  );

  it('suggests only operations of that upstream', () => {
    const both = catalogWith({ home: ['create_item', 'make_item'], work: ['create_items'] }, {});
    const resolution = both.resolve('work__create_itm');
    expect(resolution.kind).toBe('absent');
    expect(names(resolution)).toEqual(['create_items']);
  });

  it('suggests nothing of others for a prefix with one underscore either, but what begins so itself', () => {
    const absent = catalogWith(
      { home: ['create_item', 'git_log'] },
      { upstreams: [anUpstream('work'), anUpstream('git')] },
    );
    expect(absent.resolve('work_create_item')).toMatchObject({ kind: 'absent', upstream: 'work', nearest: [] });
    expect(names(absent.resolve('git_lgo'))).toEqual(['git_log']);
  });

  it('suggests only upstreams where the prefix is none', () => {
    expect(catalog.resolve('githb__create_issue')).toEqual({
      kind: 'unknown-upstream',
      prefix: 'githb',
      nearest: expect.arrayContaining(['github']),
    });
  });
});

describe('a bare name', () => {
  const held = new Map([['create_item', ['work']]]);

  it('stays with an upstream that held it before and offers nothing now', () => {
    const absent = catalogWith({ home: ['create_item'] }, { upstreams: [anUpstream('work')], holders: held });
    expect(absent.operations.map(({ name }) => name)).toEqual(['home__create_item']);
    expect(absent.resolve('create_item')).toMatchObject({ kind: 'held', owner: 'work' });
  });

  it('goes to another upstream once its holder is not configured any more', () => {
    const alone = catalogWith({ home: ['create_item'] }, { holders: held });
    expect(alone.find('create_item')?.upstream).toBe('home');
    expect(alone.holders.get('create_item')).toEqual(['home']);
  });

  it('is kept by its holder when a new upstream offers it, which a diagnostic reports', () => {
    const first = catalogWith({ files: ['read_file'] }, {});
    const both = catalogWith({ commander: ['read_file'], files: ['read_file'] }, { holders: first.holders });
    expect(both.find('read_file')?.upstream).toBe('files');
    expect(both.diagnostics.map(({ message }) => message)).toEqual([
      "'read_file' of 'commander' is called 'commander__read_file', as 'files' had the name first; pins.read_file can give it to 'commander'",
    ]);
  });

  it('stays with none of several that offered it at first, even when only one is left', () => {
    const first = catalogWith({ home: ['create_item'], work: ['create_item'] }, {});
    const later = catalogWith({ home: ['create_item'], work: [] }, { holders: first.holders });
    expect(later.find('create_item')).toBeUndefined();
    expect(later.resolve('create_item')).toMatchObject({ kind: 'ambiguous', candidates: [{ upstream: 'home' }] });
  });

  it('is given to no upstream while one that may own it has never been seen', () => {
    const early = catalogWith({ evil: ['create_note'] }, { upstreams: [anUpstream('vault')], awaited: ['vault'] });
    expect(early.operations.map(({ name }) => name)).toEqual(['evil__create_note']);
    expect(early.resolve('create_note').kind).toBe('waiting');
    expect(early.holders.size).toBe(0);
    expect(early.diagnostics.map(({ kind }) => kind)).toEqual(['names-wait']);
  });

  it('belongs to its pin, whoever held it', () => {
    const pinned = catalogWith(
      { home: ['create_item'], work: ['create_item'] },
      { holders: held, pins: { create_item: 'home' } },
    );
    expect(pinned.find('create_item')?.upstream).toBe('home');
  });
});

describe('a name that the protocol reserves', () => {
  const using = catalogWith({ lab: ['execute_agent', 'confirm_operation'] }, {});

  it.each(['execute_agent', 'confirm_operation', 'record_execution_step', 'VerifyChallenge'])(
    'resolves %s to no tool of an upstream',
    (name) => {
      expect(using.resolve(name)).toEqual({ kind: 'reserved' });
    },
  );

  it('is reported where an upstream uses it, whose tool has a qualified name', () => {
    expect(using.find('lab__execute_agent')?.tool).toBe('execute_agent');
    expect(using.diagnostics.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['name-reserved', 'warning'],
      ['name-reserved', 'warning'],
    ]);
  });
});

it('says how an operation is called whose bare name has no holder, as its server holds too many', () => {
  const scope = {
    find: () => undefined,
    holders: new Map(),
    configured: new Set(['github']),
    pins: {},
    waiting: false,
  };
  const resolution = createNameResolver(catalog.operations, scope).resolve('list_issues');
  expect(resolution.kind).toBe('raw-name');
  expect(names(resolution)).toEqual(['list_issues']);
});
