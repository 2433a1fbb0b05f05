import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/base/protocol/operation.js';
import type { Catalog } from '../../../src/catalog/catalog.js';
import { aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const tools = {
  github: [aTool('list_issues'), aTool('search'), aTool('createIssue')],
  gitlab: [aTool('search'), aTool('list_merge_requests')],
  payroll: [aTool('list_salaries'), aTool('listPayments')],
};
const holders = new Map([
  ['list_issues', ['github']],
  ['gone', ['payroll']],
  ['search', ['github', 'gitlab']],
]);
const whole = buildTestCatalog(tools, { holders, pins: { pinned: 'payroll' } });

function partOf(...upstreams: readonly string[]): Catalog {
  const show = (operation: Operation) => (upstreams.includes(operation.upstream) ? operation : undefined);
  return whole.within({ show, upstreams: new Set(upstreams) });
}

describe('a part of a catalog', () => {
  const part = partOf('github');

  it('has the same operations under the same names', () => {
    expect(part.operations).toEqual(whole.operations.filter(({ upstream }) => upstream === 'github'));
    expect(part.operations.every((operation) => whole.operations.includes(operation))).toBe(true);
    expect(part.find('list_issues')).toBe(whole.find('list_issues'));
    expect(part.find('list_salaries')).toBeUndefined();
    expect(part.find('payroll__list_salaries')).toBeUndefined();
  });

  it('answers a name of what is outside as a name that nothing has', () => {
    for (const name of [
      'list_salaries',
      'payroll__list_salaries',
      'listPayments',
      'gone',
      'pinned',
      'payroll.list_salaries',
    ]) {
      const said = JSON.stringify(part.resolve(name), ['kind', 'owner', 'upstream', 'nearest', 'candidates', 'name']);
      expect(said.replace(name, '')).not.toMatch(/payroll|salaries|payments|held|absent/);
    }
    expect(whole.resolve('gone')).toMatchObject({ kind: 'held', owner: 'payroll' });
  });

  it('does not say that a name is shared with an upstream outside', () => {
    expect(whole.resolve('search')).toMatchObject({ kind: 'ambiguous' });
    expect(part.resolve('search')).toMatchObject({ kind: 'raw-name', candidates: [{ name: 'github__search' }] });
    expect(partOf('github', 'gitlab').resolve('search')).toMatchObject({ kind: 'ambiguous' });
  });

  it('suggests what it has for names that are spelled otherwise', () => {
    expect(part.resolve('list_issue')).toMatchObject({ kind: 'unknown', nearest: [{ name: 'list_issues' }, {}] });
    expect(part.resolve('createIssue')).toMatchObject({ kind: 'raw-name', candidates: [{ name: 'create_issue' }] });
    expect(part.upstreams).toEqual(['github']);
  });

  it('answers a hidden name of an upstream that it has as a name that this one never had', () => {
    const show = (operation: Operation) => (operation.name === 'list_issues' ? undefined : operation);
    const without = whole.within({ show, upstreams: new Set(['github', 'gitlab', 'payroll']) });
    expect(without.resolve('list_issues').kind).toBe(without.resolve('paint_house').kind);
    expect(without.resolve('gone').kind).toBe('unknown');
    expect(without.resolve('github__list_issues').kind).toBe(without.resolve('github__paint_house').kind);
  });
});
