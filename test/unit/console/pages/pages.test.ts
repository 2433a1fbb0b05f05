import { describe, expect, it } from 'vitest';
import { chart, spark, write } from '../../../../src/console/layout/drawings.js';
import { cutPage } from '../../../../src/console/layout/paging.js';
import { duration } from '../../../../src/console/layout/times.js';
import { readFilter } from '../../../../src/console/pages/audit.js';
import { listBudgets } from '../../../../src/console/pages/quotas.js';
import { findSessions } from '../../../../src/console/pages/sessions.js';

describe('parts of the console', () => {
  it('cuts lists into pages, and takes the nearest one for a number that is none', () => {
    const all = Array.from({ length: 120 }, (_, index) => index);
    const pageOf = (page: string) => cutPage(all, new URLSearchParams({ page }), 50);
    expect(pageOf('3')).toEqual({ items: all.slice(100), page: 3, pages: 3, total: 120 });
    expect(['0', '-1', 'x', '1e99', '4'].map((page) => pageOf(page).page)).toEqual([1, 1, 1, 1, 3]);
    expect(cutPage([], new URLSearchParams(), 50)).toEqual({ items: [], page: 1, pages: 1, total: 0 });
  });

  it('reads what people search the audit record for', () => {
    const query = {
      since: '2026-11-23 06:30',
      until: 'yesterday',
      by: ' olga ',
      type: 'admin',
      operation: '',
      other: 'x',
    };
    expect(readFilter(new URLSearchParams(query))).toEqual({ since: '2026-11-23T06:30', by: 'olga', types: ['admin'] });
  });

  it('lists budgets that all share once, and those of callers for each', () => {
    const quota = (name: string, per: string, current: number) => ({
      name,
      per,
      metric: 'requests_per_hour',
      current,
      warn: 7,
      hard_stop: 9,
      status: 'ok',
    });
    const status = { api_limits: { 'github:global:hour': { limit: 10, remaining: 4, window: 'hour' } } };
    const lines = listBudgets([
      ['client a', { ...status, quotas: [quota('own', 'client', 1), quota('of all', 'all', 5)] }],
      ['client b', { ...status, quotas: [quota('own', 'client', 2), quota('of all', 'all', 5)] }],
    ]);
    expect(lines.map(({ budget, whose, used }) => [budget, whose, used])).toEqual([
      ['github:global:hour', 'all callers', '6 of 10 per hour'],
      ['own', 'client a', '1 of 9 requests per hour, warns at 7'],
      ['of all', 'all callers', '5 of 9 requests per hour, warns at 7'],
      ['own', 'client b', '2 of 9 requests per hour, warns at 7'],
    ]);
  });

  it('finds sessions by any name of their client, the last used first', () => {
    const session = (id: string, clientName: string, lastUsedAt: number) => {
      const caller = { sessionId: id, clientName, transport: 'http', client: 'corp' } as const;
      return { id, era: 'legacy', caller, openedAt: 0, lastUsedAt, inFlight: 0 } as const;
    };
    const all = [session('1', 'Claude', 5), session('2', 'Cursor', 9)];
    expect(findSessions(all, 'CORP').map(({ id }) => id)).toEqual(['2', '1']);
    expect(findSessions(all, 'claude').map(({ id }) => id)).toEqual(['1']);
  });

  it('says lengths of time in their two largest units', () => {
    const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
    const lengths = [-second, 40.9 * second, 11 * minute, hour, hour + 54 * minute, 12 * day + 4 * hour];
    expect(lengths.map(duration)).toEqual(['0 s', '40 s', '11 min', '1 h', '1 h 54 min', '12 d 4 h']);
  });

  it('draws a course with gaps, and writes charts as tables that need no script', () => {
    expect(spark([undefined, 5, 10, undefined, 0]).toString().match(/[ML]/g)).toEqual(['M', 'L', 'M']);
    expect([undefined, 0.3, 1, 1.234, 30, 950.4].map(write)).toEqual(['–', '0.3', '1', '1.2', '30', '950']);
    const lines = [{ name: '<b>', style: 's-1', values: [1, undefined, 2] }];
    const written = chart('Calls', 'a second', [0, 1_000, 2_000], lines).toString();
    expect(written).toContain('&lt;b&gt; <b data-read>2 a second</b>');
    const cells = [...written.matchAll(/<td class="num">([^<]*)/g)].map(([, text]) => text);
    expect(cells).toEqual(['2', '–', '1']);
  });
});
