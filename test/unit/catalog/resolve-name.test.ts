import { describe, expect, it } from 'vitest';
import type { Resolution } from '../../../src/catalog/catalog.js';
import { aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const catalog = buildTestCatalog({
  github: [aTool('create_issue'), aTool('list_issues'), aTool('getUser'), aTool('search')],
  gitlab: [aTool('create_issue'), aTool('search'), aTool('API-post-search'), aTool('delete.file')],
});

const names = (resolution: Resolution): readonly string[] => {
  if (resolution.kind === 'found') return [resolution.operation.name];
  if (resolution.kind === 'quarantined') return [];
  return (resolution.kind === 'unknown' ? resolution.nearest : resolution.candidates).map(({ name }) => name);
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
