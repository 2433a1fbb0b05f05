import { expect, it } from 'vitest';
import { buildTestCatalog } from '../../../support/build-test-catalog.js';

const categoriesOf = (descriptions: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const tools = Object.entries(descriptions).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
  }));
  return Object.fromEntries(
    buildTestCatalog({ harbour: tools }).operations.map(({ tool, classification }) => [tool, classification.category]),
  );
};

it('a word that names of a server begin with, and that verbs stand behind, is what they are about', () => {
  const others = { 'flag-delete': 'Gone for good', 'flag-disable': 'No longer needed' };
  expect(categoriesOf({ ...others, 'flag-mentions': 'Lines which mention it' })['flag-mentions']).toBe('READ');
  expect(categoriesOf({ 'flag-mentions': 'Lines which mention it' })['flag-mentions']).not.toBe('READ');
});

it('a verb that names of a server begin with stays one', () => {
  const categories = categoriesOf({ post_note: 'A note', post_update: 'An update', post_photo: 'A photo' });
  expect(Object.values(categories)).not.toContain('READ');
});

it('words before a dot are what a tool is about, unless they cannot be but verbs', () => {
  expect(categoriesOf({ 'note.links': 'Links of a text', 'delete.links': 'Links of a text' })).toEqual({
    'note.links': 'READ',
    'delete.links': 'DELETE',
  });
});
