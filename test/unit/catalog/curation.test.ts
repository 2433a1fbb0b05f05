import { describe, expect, it } from 'vitest';
import { curationFor } from '../../../src/catalog/curation.js';
import type { CurationRule } from '../../../src/config/gateway-config.js';
import { anUpstream } from '../../support/build-test-catalog.js';

const curate = (rules: readonly CurationRule[], raw = 'createIssue', snake = 'create_issue') =>
  curationFor(anUpstream('a', { curation: rules }), raw, snake);

describe('curationFor', () => {
  it.each(['createIssue', 'create_issue', 'create*', '*_issue', '{create,update}_issue', '*'])(
    'matches the pattern %s with the upstream name or the snake_case name',
    (pattern) => {
      expect(curate([{ pattern, danger: 'safe' }])).toEqual({ danger: 'safe' });
    },
  );

  it.each(['create', 'CREATE_ISSUE', 'issue', '!other', '#'])(
    'does not match the pattern %s with other names',
    (pattern) => {
      expect(curate([{ pattern, danger: 'safe' }])).toEqual({});
    },
  );

  it('overwrites earlier rules by later ones, key by key', () => {
    const rules: CurationRule[] = [
      { pattern: '*', category: 'EXECUTE', danger: 'dangerous' },
      { pattern: 'create_*', category: 'CREATE' },
    ];
    expect(curate(rules)).toEqual({ category: 'CREATE', danger: 'dangerous' });
  });

  it('renames only where the pattern is an exact name', () => {
    expect(curate([{ pattern: 'create*', rename: 'x' }])).toEqual({});
    expect(curate([{ pattern: 'createIssue', rename: 'x' }])).toEqual({ rename: 'x' });
  });
});
