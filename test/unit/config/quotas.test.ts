import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../src/config/policy-config.js';
import { load, loadOnly, problemsOf } from './config-folder.js';

const withLimits = (...limits: unknown[]) => ({ quotas: { limits } });
const server = (more: object) => ({ mcpServers: { 'Git-Hub': { url: 'http://localhost/mcp', ...more } } });
const withApiLimits = (...limits: unknown[]) => server({ api_limits: limits });

describe('quotas', () => {
  it('accept the example of docs/quotas.md', async () => {
    const page = readFileSync(new URL('../../../docs/quotas.md', import.meta.url), 'utf8');
    const { config, warnings } = await load(/```json\n(.*?)```/s.exec(page)?.[1]);
    expect(warnings).toEqual([]);
    expect([config.quotas.limits.length, config.upstreams[0]?.apiLimits.length]).toEqual([4, 3]);
  });

  it('are empty by default', async () => {
    expect((await loadOnly({})).quotas).toEqual({ limits: [], pricing: [], currency: 'USD' });
  });

  it('turn single values into lists, and are named by their metrics by default', async () => {
    const { quotas } = await loadOnly({
      clients: { ci: { token: 'a-token-of-sufficient-length' } },
      ...server({}),
      quotas: {
        currency: 'EUR',
        limits: [
          { metric: 'requests_per_minute', warn: 50, pause: 80, hard_stop: 100 },
          {
            name: 'deletes of ci',
            match: { operation: 'delete_*', category: ['DELETE'], upstream: 'Git-Hub', client: 'ci' },
            per: 'session',
            metric: 'requests_per_day',
            hard_stop: 5,
          },
          { metric: 'cost_per_day', pause: 1.5, currency: 'EUR' },
        ],
        pricing: [{ cost_per_call: 0.001 }, { match: { operation: ['search_*'] }, cost_per_call: 0.01 }],
      },
    });
    expect(quotas).toEqual({
      currency: 'EUR',
      limits: [
        {
          name: 'requests_per_minute',
          match: {},
          per: 'all',
          metric: 'requests_per_minute',
          warn: 50,
          pause: 80,
          hardStop: 100,
        },
        {
          name: 'deletes of ci',
          match: { operation: ['delete_*'], category: ['DELETE'], upstream: ['git_hub'], client: ['ci'] },
          per: 'session',
          metric: 'requests_per_day',
          hardStop: 5,
        },
        { name: 'cost_per_day', match: {}, per: 'all', metric: 'cost_per_day', pause: 1.5, currency: 'EUR' },
      ],
      pricing: [
        { match: {}, costPerCall: 0.001 },
        { match: { operation: ['search_*'] }, costPerCall: 0.01 },
      ],
    });
  });

  it.each(Object.keys(METRICS))('may count %s', async (metric) => {
    const { quotas } = await loadOnly(withLimits({ metric, warn: 1 }));
    expect(quotas.limits[0]).toMatchObject({ name: metric, metric });
  });

  it.each<[string, unknown, string, RegExp]>([
    ['no threshold', withLimits({ metric: 'requests_per_day' }), 'quotas.limits[0]', /^expected a threshold/],
    [
      'thresholds in the wrong order',
      withLimits({ metric: 'requests_per_day', warn: 9, pause: 8 }),
      'quotas.limits[0].pause',
      /^expected at least 9, which is 'warn'; got 8$/,
    ],
    [
      'a stop before the warning',
      withLimits({ metric: 'requests_per_day', warn: 9, hard_stop: 8 }),
      'quotas.limits[0].hard_stop',
      /^expected at least 9, which is 'warn'; got 8$/,
    ],
    [
      'half a request',
      withLimits({ metric: 'tokens_per_day', warn: 0.5 }),
      'quotas.limits[0].warn',
      /^expected a whole number, got 0\.5/,
    ],
    [
      'one name for two',
      withLimits({ metric: 'requests_per_day', warn: 1 }, { metric: 'requests_per_day', warn: 2 }),
      'quotas.limits[1].name',
      /^limit 1 is called 'requests_per_day' too$/,
    ],
    ['an unknown metric', withLimits({ metric: 'bytes_per_day', warn: 1 }), 'quotas.limits[0].metric', /^expected one/],
    ['no metric', withLimits({ warn: 1 }), 'quotas.limits[0].metric', /^missing; expected one of/],
    ['a threshold below 0', withLimits({ metric: 'cost_per_day', warn: -1 }), 'quotas.limits[0].warn', /got -1$/],
    [
      'a pattern that cannot be used',
      withLimits({ match: { operation: '@(a|b)' }, metric: 'requests_per_day', warn: 1 }),
      'quotas.limits[0].match.operation',
      /^expected a pattern without extended globs/,
    ],
    [
      'money that nobody converts',
      { quotas: { limits: [{ metric: 'cost_per_day', warn: 1, currency: 'EUR' }], pricing: [{ cost_per_call: 1 }] } },
      'quotas.limits[0].currency',
      /^the prices are in 'USD'$/,
    ],
    [
      'a price that would be lost',
      { quotas: { pricing: [{ cost_per_call: 0.0000001 }] } },
      'quotas.pricing[0].cost_per_call',
      /^expected 0 or at least 0\.000001, got 1e-7$/,
    ],
    ['no price', { quotas: { pricing: [{}] } }, 'quotas.pricing[0].cost_per_call', /^missing/],
  ])('are refused with %s', async (_, main, path, message) => {
    expect(await problemsOf(main)).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    ]);
  });

  it.each<[string, unknown, string]>([
    [
      'money without a price',
      withLimits({ metric: 'cost_per_day', warn: 1 }),
      "quotas.pricing: nothing has a price, so that 'cost_per_day' never counts",
    ],
    [
      'sessions alone, which are free without clients',
      withLimits({ metric: 'requests_per_day', pause: 2, per: 'session' }),
      "quotas.limits[0].per: 'requests_per_day' counts for one session alone, and without 'clients' any caller can open another: it bounds nobody. Use per 'all', or set 'clients'",
    ],
    [
      'a currency of what is no money',
      withLimits({ metric: 'requests_per_day', warn: 1, currency: 'EUR' }),
      "quotas.limits[0].currency: 'requests_per_day' counts no money; ignored",
    ],
    [
      'an upstream that nobody knows',
      withLimits({ match: { upstream: 'github' }, metric: 'requests_per_day', warn: 1 }),
      "quotas.limits[0].match.upstream: there is no upstream 'github'; it matches nothing",
    ],
    [
      'a price for an upstream that nobody knows',
      { quotas: { pricing: [{ match: { upstream: 'github' }, cost_per_call: 1 }] } },
      "quotas.pricing[0].match.upstream: there is no upstream 'github'; it matches nothing",
    ],
  ])('get a warning with %s', async (_, main, warning) => {
    const { warnings } = await load(main);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });
});

describe('api_limits', () => {
  it('are empty by default', async () => {
    expect((await loadOnly(server({}))).upstreams[0]?.apiLimits).toEqual([]);
  });

  it('may be of every call, of a pattern and of a category', async () => {
    const { upstreams } = await loadOnly(
      withApiLimits(
        { scope: 'global', limit: 5000, window: 'hour' },
        { scope: 'global', limit: 10, window: 'second' },
        { scope: 'endpoint', operation: 'search_*', limit: 30, window: 'minute' },
        { scope: 'category', category: 'read', limit: 100, window: 'second' },
        { scope: 'category', category: 'CREATE', limit: 25, window: 'day' },
      ),
    );
    expect(upstreams[0]?.apiLimits).toEqual([
      { scope: 'global', limit: 5000, window: 'hour' },
      { scope: 'global', limit: 10, window: 'second' },
      { scope: 'endpoint', operation: 'search_*', limit: 30, window: 'minute' },
      { scope: 'category', category: 'READ', limit: 100, window: 'second' },
      { scope: 'category', category: 'CREATE', limit: 25, window: 'day' },
    ]);
  });

  it('of a file of its own beat those of the main file', async () => {
    const main = withApiLimits({ scope: 'global', limit: 1, window: 'day' });
    const own = { api_limits: [{ scope: 'global', limit: 2, window: 'day' }] };
    const { upstreams } = await loadOnly(main, { files: { 'upstreams/git_hub.json': own } });
    expect(upstreams[0]?.apiLimits).toEqual([{ scope: 'global', limit: 2, window: 'day' }]);
  });

  const at = 'mcpServers.Git-Hub.api_limits[0]';

  it.each<[string, unknown[], string, RegExp]>([
    ['no operation', [{ scope: 'endpoint', limit: 1, window: 'day' }], `${at}.operation`, /^missing; .*'endpoint'/],
    ['no category', [{ scope: 'category', limit: 1, window: 'day' }], `${at}.category`, /^missing; .*'category'/],
    [
      'what the scope has not',
      [{ scope: 'global', operation: 'x', limit: 1, window: 'day' }],
      `${at}.operation`,
      /^a limit of the scope 'global' has no 'operation'$/,
    ],
    [
      'a pattern that cannot be used',
      [{ scope: 'endpoint', operation: '+(a)', limit: 1, window: 'day' }],
      `${at}.operation`,
      /^expected a pattern/,
    ],
    ['a month', [{ scope: 'global', limit: 1, window: 'month' }], `${at}.window`, /^expected one of/],
    ['no limit', [{ scope: 'global', window: 'day' }], `${at}.limit`, /^missing/],
    [
      'the same twice',
      [
        { scope: 'category', category: 'read', limit: 1, window: 'day' },
        { scope: 'category', category: 'READ', limit: 2, window: 'day' },
      ],
      'mcpServers.Git-Hub.api_limits[1]',
      /^there is such a limit per day already$/,
    ],
  ])('are refused with %s', async (_, limits, path, message) => {
    expect(await problemsOf(withApiLimits(...limits))).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    ]);
  });
});
