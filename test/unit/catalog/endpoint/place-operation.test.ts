import { describe, expect, it } from 'vitest';
import { compilePlacement } from '../../../../src/catalog/endpoint/place-operation.js';
import { FAKE_CRUDE, fakeFamily, fakeOperation } from './fake-catalog.js';

const LAYERED = {
  name: 'layered',
  families: [
    fakeFamily('by_pattern', { patterns: ['*_secret', 'vault__*', '{lock,unlock}_door'] }),
    fakeFamily('by_verb', { verbs: ['list', 'get'] }),
    fakeFamily('by_category', { categories: ['READ'] }),
    fakeFamily('rest'),
  ],
};

describe('the placement of an operation', () => {
  const place = compilePlacement(LAYERED);
  const familyOf = (...args: Parameters<typeof fakeOperation>) => place(fakeOperation(...args)).name;

  it('follows the category when nothing else matches', () => {
    expect(familyOf('search_files')).toBe('by_category');
  });

  it('prefers a verb to the category', () => {
    expect(familyOf('list_files')).toBe('by_verb');
    expect(familyOf('get', { category: 'EXECUTE' })).toBe('by_verb');
  });

  it('reads a verb as a whole word', () => {
    expect(familyOf('listen_to_events')).toBe('by_category');
  });

  it('prefers a pattern to a verb', () => {
    expect(familyOf('get_secret')).toBe('by_pattern');
    expect(familyOf('unlock_door', { category: 'EXECUTE' })).toBe('by_pattern');
  });

  it('prefers curation to everything', () => {
    expect(familyOf('get_secret', { family: 'rest' })).toBe('rest');
  });

  it('ignores a curated family that the profile does not have', () => {
    expect(familyOf('list_files', { family: 'elsewhere' })).toBe('by_verb');
  });

  it('falls back to the last family', () => {
    expect(familyOf('merge_files', { category: 'UPDATE' })).toBe('rest');
  });

  it('matches patterns on the qualified name as well, so that a pattern can name an upstream', () => {
    expect(familyOf('search_notes', { upstream: 'vault' })).toBe('by_pattern');
  });

  it('is the same for a qualified name as for the bare one', () => {
    expect(familyOf('beta__list_files', { upstream: 'beta' })).toBe('by_verb');
    expect(familyOf('beta__get_secret', { upstream: 'beta' })).toBe('by_pattern');
  });

  it('prefers the first of several families with the same verb or category', () => {
    const contested = compilePlacement({
      name: 'contested',
      families: [fakeFamily('one', { verbs: ['get'] }), fakeFamily('two', { verbs: ['get'], categories: ['READ'] })],
    });
    expect(contested(fakeOperation('get_file')).name).toBe('one');
  });

  it('never puts a write into a family that reads because of its name', () => {
    const reading = compilePlacement({
      name: 'reading',
      families: [
        fakeFamily('discover', { verbs: ['list'], patterns: ['*_schema'], only: ['READ'] }),
        fakeFamily('change', { categories: ['DELETE', 'UPDATE'], verbs: ['list'] }),
        fakeFamily('rest'),
      ],
    });
    expect(reading(fakeOperation('list_files')).name).toBe('discover');
    expect(reading(fakeOperation('list_and_purge', { category: 'DELETE' })).name).toBe('change');
    expect(reading(fakeOperation('drop_schema', { category: 'DELETE' })).name).toBe('change');
  });

  it('is refused for a profile without families', () => {
    expect(() => compilePlacement({ name: 'empty', families: [] })).toThrow(/no families/);
  });

  it('gives each category of the CRUDE profile its own family', () => {
    const crude = compilePlacement(FAKE_CRUDE);
    const placed = (['CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'] as const).map(
      (category) => crude(fakeOperation('touch', { category })).name,
    );
    expect(placed).toEqual(['create', 'read', 'update', 'delete', 'execute']);
  });
});
