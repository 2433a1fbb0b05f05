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
  ])('%j is nearest to %j', (query, expected) => {
    expect(nearestName(query, names)).toBe(expected);
  });
});

describe('createNameSearch', () => {
  const search = createNameSearch(['create_issue', 'list_issues', 'github__search', 'delete_repository']);

  it('finds the best first and no more than asked for', () => {
    expect(search('issue_list', 1)).toEqual(['list_issues']);
    expect(search('create_issues', 5)[0]).toBe('create_issue');
  });

  it('compares without the qualifier too', () => {
    expect(search('serach', 5)).toEqual(['github__search']);
  });

  it('finds a slip among ten thousand', () => {
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
  ])('%s and %s: %s', (query, name, expected) => {
    expect(isSpeltLike(query, name)).toBe(expected);
  });
});

it('names without words are as unlike as their letters', () => {
  expect(similarity('', '_')).toBe(0);
});

it('similarity is even-handed and between nothing and all', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const score = similarity(a, b);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(similarity(b, a)).toBeCloseTo(score);
    }),
  );
});
