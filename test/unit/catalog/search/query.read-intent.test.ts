import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../../src/catalog/search/query.js';
import { SEARCH_SETTINGS } from '../../../../src/catalog/search/settings.js';
import { Spelling } from '../../../../src/catalog/search/spelling.js';
import { fieldThesaurus } from '../../../../src/catalog/search/thesaurus.js';

function strongest(text: string): string | undefined {
  const { intent } = readQuery(text, fieldThesaurus(), SEARCH_SETTINGS, { has: () => true, spelling: new Spelling() });
  return Object.entries(intent).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

describe('the intent of a request', () => {
  it.each([
    ['which builds failed?', 'READ'],
    ['does the cluster run', 'READ'],
    ['show the last builds', 'READ'],
    ['please create a page', 'CREATE'],
    ['get rid of the old page', 'DELETE'],
    ['rename the page', 'UPDATE'],
    ['restart the machine', 'EXECUTE'],
    ['page titles', 'READ'],
    ['closed issues', 'READ'],
    ['unread emails', 'READ'],
    ['', undefined],
  ])('is read from "%s" as %j', (text, category) => {
    expect(strongest(text)).toBe(category);
  });
});
