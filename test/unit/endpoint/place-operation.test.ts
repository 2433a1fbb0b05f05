import { describe, expect, it } from 'vitest';
import { compilePlacement } from '../../../src/endpoint/place-operation.js';
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

describe('compilePlacement', () => {
  const place = compilePlacement(LAYERED);
  const familyOf = (...args: Parameters<typeof fakeOperation>) => place(fakeOperation(...args)).name;

  it('takes the category when nothing else speaks', () => {
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

  it('passes over a curated family that the profile does not have', () => {
    expect(familyOf('list_files', { family: 'elsewhere' })).toBe('by_verb');
  });

  it('gives the last family what none asked for', () => {
    expect(familyOf('merge_files', { category: 'UPDATE' })).toBe('rest');
  });

  it('matches patterns on the qualified name as well, so that one can name an upstream', () => {
    expect(familyOf('search_notes', { upstream: 'vault' })).toBe('by_pattern');
  });

  it('places a qualified name where the bare one would stand', () => {
    expect(familyOf('beta__list_files', { upstream: 'beta' })).toBe('by_verb');
    expect(familyOf('beta__get_secret', { upstream: 'beta' })).toBe('by_pattern');
  });

  it('gives a contested verb or category to the family that comes first', () => {
    const contested = compilePlacement({
      name: 'contested',
      families: [fakeFamily('one', { verbs: ['get'] }), fakeFamily('two', { verbs: ['get'], categories: ['READ'] })],
    });
    expect(contested(fakeOperation('get_file')).name).toBe('one');
  });

  it('does not let a family that reads take a write by its name', () => {
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

  it('refuses a profile without families', () => {
    expect(() => compilePlacement({ name: 'empty', families: [] })).toThrow(/no families/);
  });

  it('puts each category of the CRUDE profile into its own family', () => {
    const crude = compilePlacement(FAKE_CRUDE);
    const placed = (['CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'] as const).map(
      (category) => crude(fakeOperation('touch', { category })).name,
    );
    expect(placed).toEqual(['create', 'read', 'update', 'delete', 'execute']);
  });
});
