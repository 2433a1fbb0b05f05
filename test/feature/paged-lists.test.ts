import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
const SIZE = 50;
const ROWS = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, amount: (index * 37) % 100 }));
const SUM = ROWS.reduce((sum, { amount }) => sum + amount, 0);
const TOTAL = { aggregate: { sum: { sum: 'amount' } } };

let upstream: ToolServer;

beforeAll(async () => {
  upstream = await startToolServer([
    {
      name: 'list_invoices',
      properties: { nextCursor: { type: 'string' }, team: { type: 'string' } },
      answer: ({ nextCursor = '0' }) => {
        const from = Number(nextCursor);
        const more = from + SIZE < ROWS.length ? { nextCursor: String(from + SIZE) } : {};
        return textBlocks(JSON.stringify({ items: ROWS.slice(from, from + SIZE), ...more }));
      },
    },
    {
      name: 'list_refunds',
      properties: { limit: { type: 'integer', maximum: 20, description: 'Maximum number of refunds to return' } },
      answer: ({ limit = ROWS.length }) => textBlocks(JSON.stringify({ items: ROWS.slice(0, Number(limit)) })),
    },
    {
      name: 'list_payments',
      answer: () => textBlocks(JSON.stringify({ items: ROWS.slice(0, SIZE), total: ROWS.length })),
    },
  ]);
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const callsOf = (name: string) => upstream.calls.filter((call) => call.name === name).map(({ args }) => args);

it('sums a list of three pages in one call, with the arguments of the call', async () => {
  await using gateway = await hostGateway({ mcpServers: { books: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  const { data, warnings } = await client.call(READ, 'list_invoices', { team: 'a', ...TOTAL });
  expect(data).toEqual({ aggregations: { sum: SUM }, matched: ROWS.length, total: ROWS.length });
  expect(warnings).toMatchObject([
    { code: 'VALIDATION_PAGES_READ_WARNING', details: { pages: 3, param: 'next_cursor' } },
  ]);
  expect(callsOf('list_invoices')).toEqual([
    { team: 'a' },
    { team: 'a', nextCursor: '50' },
    { team: 'a', nextCursor: '100' },
  ]);
  const found = await client.call(READ, 'list_invoices', { sort: '-id', first: 2 });
  const rest = await client.call(READ, 'list_invoices', { first: 200, after: found.data.pageInfo.endCursor });
  expect([...found.data.items, ...rest.data.items].map(({ id }: { id: number }) => id)).toEqual(
    ROWS.map(({ id }) => id).reverse(),
  );
  expect(rest.data.pageInfo).toMatchObject({ totalCount: ROWS.length, hasNextPage: false });
});

it('warns with high severity where it cannot read on', async () => {
  await using gateway = await hostGateway({ mcpServers: { books: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  const { data, warnings } = await client.call(READ, 'list_payments', TOTAL);
  expect(data).not.toHaveProperty('total');
  expect(warnings).toMatchObject([
    { code: 'VALIDATION_PARTIAL_LIST_WARNING', severity: 'high', details: { read: SIZE, total: ROWS.length } },
  ]);
});

it('counts each further page as a call of its caller, and says so where a budget ends before the list', async () => {
  await using gateway = await hostGateway({
    mcpServers: { books: { url: upstream.url } },
    quotas: {
      limits: [
        { metric: 'requests_per_hour', match: { operation: 'list_invoices' }, hard_stop: 4 },
        // Less than what two answers may reserve: reading on never waits for what its own call holds.
        { metric: 'tokens_per_day', match: { operation: 'list_invoices' }, hard_stop: 40_000 },
      ],
    },
  });
  await using client = await connectClient(gateway.url);
  const whole = await client.call(READ, 'list_invoices', TOTAL);
  expect(whole.data).toMatchObject({ aggregations: { sum: SUM } });
  const { data, warnings } = await client.call(READ, 'list_invoices', TOTAL);
  expect(data).toMatchObject({ read: SIZE });
  expect(warnings?.find(({ code }) => code === 'VALIDATION_PARTIAL_LIST_WARNING')).toMatchObject({
    severity: 'high',
    message: expect.stringContaining('the next page failed'),
  });
});

it("asks the upstream for no more items than 'first' shows and one, says that there are others, and reads on", async () => {
  await using gateway = await hostGateway({ mcpServers: { books: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  // The first answer shows that it is a list.
  await client.call(READ, 'list_refunds');
  const before = callsOf('list_refunds').length;
  const { data } = await client.call(READ, 'list_refunds', { first: 3 });
  expect(data.items).toEqual(ROWS.slice(0, 3));
  expect(data.pageInfo).toMatchObject({ hasNextPage: true });
  expect(data.pageInfo).not.toHaveProperty('totalCount');
  const next = await client.call(READ, 'list_refunds', { first: 3, after: data.pageInfo.endCursor });
  expect(next.data.items).toEqual(ROWS.slice(3, 4));
  expect(next.warnings).toMatchObject([{ code: 'VALIDATION_PARTIAL_LIST_WARNING', details: { param: 'limit' } }]);
  await client.call(READ, 'list_refunds', { first: 20 });
  await client.call(READ, 'list_refunds', { first: 21 });
  await client.call(READ, 'list_refunds', { first: 3, sort: '-id' });
  expect(callsOf('list_refunds').slice(before)).toEqual([{ limit: 4 }, { limit: 20 }, {}, {}]);
});
