import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNameSearch, isSpeltLike, nearestName, similarity } from '../../../src/lib/names.js';

describe('nearestName', () => {
  const names = ['title', 'labels', 'user_name', 'page_size'];
  it.each([
    ['titel', 'title'],
    ['label', 'labels'],
    ['name_user', 'user_name'],
    ['username', 'user_name'],
    ['size', 'page_size'],
    ['whatever', undefined],
    ['', undefined],
  ])('finds for %j the name %j', (query, expected) => {
    expect(nearestName(query, names)).toBe(expected);
  });
});

describe('createNameSearch', () => {
  const search = createNameSearch(['create_issue', 'list_issues', 'github__search', 'delete_repository']);

  it('returns the best names first and at most as many as requested', () => {
    expect(search('issue_list', 1)).toEqual(['list_issues']);
    expect(search('create_issues', 5)[0]).toBe('create_issue');
  });

  it('also compares names without their qualifier', () => {
    expect(search('serach', 5)).toEqual(['github__search']);
  });

  it('finds a misspelt name among ten thousand', () => {
    const many = createNameSearch(
      Array.from({ length: 10_000 }, (_, index) => `do_thing_${index}`).concat('rotate_credentials'),
    );
    expect(many('rotate_credentails', 5)).toEqual(['rotate_credentials']);
  });
});

describe('isSpeltLike', () => {
  it.each([
    ['creat_isue', 'create_issue', true],
    ['createIssue', 'tracker__create_issue', true],
    ['issue_list', 'list_issues', true],
    ['log_bug', 'log_out', false],
    ['file_ticket', 'create_issue', false],
    ['', 'create_issue', false],
  ])('compares %j with %s and answers %s', (query, name, expected) => {
    expect(isSpeltLike(query, name)).toBe(expected);
  });
});

it('the similarity of names without words depends on their letters', () => {
  expect(similarity('', '_')).toBe(0);
});

it('similarity is symmetric and between 0 and 1', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const score = similarity(a, b);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(similarity(b, a)).toBeCloseTo(score);
    }),
  );
});
