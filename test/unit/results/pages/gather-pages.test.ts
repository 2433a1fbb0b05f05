import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { toSnakeCase } from '../../../../src/base/lib/names.js';
import type { Parameter } from '../../../../src/base/protocol/operation.js';
import { openDetached } from '../../../../src/results/detached.js';
import { PAGES_BOUND } from '../../../../src/results/pages/gather-pages.js';
import type { ReadContext, ReadData } from '../../../../src/results/query/result-types.js';
import { createResultService } from '../../../../src/results/results.js';
import { anOperation } from '../../../support/an-operation.js';

const SETTINGS = { maxTokens: 0, keptBytes: 10_000_000, keptSeconds: 600, compact: false };
const COUNT = 120;
const SIZE = 50;
const ROWS = Array.from({ length: COUNT }, (_, index) => ({ id: index + 1, amount: (index * 37) % 100 }));
const SUM = ROWS.reduce((sum, { amount }) => sum + amount, 0);
const AGGREGATE = { aggregate: { sum: { sum: 'amount' } } };

/** An upstream's READ: what its tool takes, and what it answers. */
interface Upstream {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly answer: (args: JsonObject) => unknown;
}

interface Asked {
  readonly data: JsonObject;
  readonly warnings: ReadData['warnings'];
  /** The arguments of each further call. */
  readonly calls: readonly JsonObject[];
}

async function ask(
  upstream: Upstream,
  params: JsonObject,
  args: JsonObject = {},
  service = createResultService(SETTINGS),
): Promise<Asked> {
  const parameters: readonly Parameter[] = Object.entries(upstream.properties).map(([upstreamName, schema]) => ({
    name: toSnakeCase(upstreamName),
    upstreamName,
    place: 'params',
    required: false,
    schema,
  }));
  const context: ReadContext = {
    operation: anOperation({ name: 'list_rows', parameters }),
    arguments: args,
    caller: { sessionId: 's', clientName: 'c', transport: 'http' },
  };
  const calls: JsonObject[] = [];
  const { query, refusal } = service.takeControls(context.operation, params);
  if (refusal?.error !== undefined) throw refusal.error;
  const text = JSON.stringify(upstream.answer(args));
  const answer = await service.finish(context, query, text, undefined, async (more) => {
    calls.push(more);
    try {
      return JSON.stringify({ success: true, data: upstream.answer(more) });
    } catch (thrown) {
      return JSON.stringify({ success: false, error: { code: 'X', message: String(thrown) } });
    }
  });
  const { dataText, warnings } =
    answer.unmade === undefined
      ? answer
      : openDetached(context, service.detach(context)).finish(
          query,
          { dataText: text },
          structuredClone(answer.unmade),
        );
  return { data: JSON.parse(dataText), warnings, calls };
}

const INTEGER = { type: 'integer' };
const STRING = { type: 'string' };
const cut = (from: number, size = SIZE) => ROWS.slice(from, from + size);
const offsetIn = (value: unknown, mark = 'c'): number =>
  typeof value === 'string' ? Number(value.slice(mark.length)) : 0;
const nextOf = (from: number): string | undefined => (from + SIZE < COUNT ? `c${from + SIZE}` : undefined);

/** How servers give pages, each with the name of the parameter that leads on. */
const STYLES: readonly (readonly [style: string, parameter: string, upstream: Upstream])[] = [
  [
    'next_cursor and cursor',
    'cursor',
    {
      properties: { cursor: STRING },
      answer: ({ cursor }) => ({ items: cut(offsetIn(cursor)), next_cursor: nextOf(offsetIn(cursor)) ?? null }),
    },
  ],
  [
    'next_cursor and start_cursor, beside has_more',
    'start_cursor',
    {
      properties: { start_cursor: STRING, page_size: INTEGER },
      answer: ({ start_cursor: at }) => ({
        object: 'list',
        results: cut(offsetIn(at)),
        has_more: nextOf(offsetIn(at)) !== undefined,
        next_cursor: nextOf(offsetIn(at)) ?? null,
      }),
    },
  ],
  [
    'nextPageToken and pageToken',
    'page_token',
    {
      properties: { pageToken: STRING },
      answer: ({ pageToken }) => ({ files: cut(offsetIn(pageToken)), nextPageToken: nextOf(offsetIn(pageToken)) }),
    },
  ],
  [
    'response_metadata.next_cursor',
    'cursor',
    {
      properties: { cursor: STRING },
      answer: ({ cursor }) => ({
        ok: true,
        channels: cut(offsetIn(cursor)),
        response_metadata: { next_cursor: nextOf(offsetIn(cursor)) ?? '' },
      }),
    },
  ],
  [
    'pageInfo.endCursor and after',
    'after',
    {
      properties: { after: STRING },
      answer: ({ after }) => ({
        nodes: cut(offsetIn(after)),
        pageInfo: { hasNextPage: nextOf(offsetIn(after)) !== undefined, endCursor: `c${offsetIn(after) + SIZE}` },
      }),
    },
  ],
  [
    'paging.next.after',
    'after',
    {
      properties: { after: STRING },
      answer: ({ after }) => {
        const next = nextOf(offsetIn(after));
        return {
          results: cut(offsetIn(after)),
          ...(next !== undefined && { paging: { next: { after: next, link: 'https://x/?after=zzz' } } }),
        };
      },
    },
  ],
  [
    'page and total_pages',
    'page',
    {
      properties: { page: INTEGER },
      answer: ({ page = 1 }) => ({ items: cut((Number(page) - 1) * SIZE), page, total_pages: 3 }),
    },
  ],
  [
    'current_page and last_page under meta',
    'page',
    {
      properties: { page: INTEGER },
      answer: ({ page = 1 }) => ({
        data: cut((Number(page) - 1) * SIZE),
        meta: { current_page: page, last_page: 3, total: COUNT },
      }),
    },
  ],
  [
    'next as an address',
    'page',
    {
      properties: { page: INTEGER, team: STRING },
      answer: ({ page = 1 }) => ({
        count: COUNT,
        next: Number(page) < 3 ? `https://api.example/rows?team=a&page=${Number(page) + 1}` : null,
        results: cut((Number(page) - 1) * SIZE),
      }),
    },
  ],
  [
    '@odata.nextLink and skip',
    'skip',
    {
      properties: { skip: INTEGER, top: INTEGER },
      answer: ({ skip = 0 }) => ({
        value: cut(Number(skip)),
        ...(Number(skip) + SIZE < COUNT && {
          '@odata.nextLink': `https://api.example/rows?$top=50&$skip=${Number(skip) + SIZE}`,
        }),
      }),
    },
  ],
  [
    'a link header that is passed on',
    'page',
    {
      properties: { page: INTEGER },
      answer: ({ page = 1 }) => ({
        rows: cut((Number(page) - 1) * SIZE),
        headers: {
          link:
            Number(page) < 3
              ? `<https://api.example/rows?page=${Number(page) + 1}>; rel="next", <https://api.example/rows?page=3>; rel="last"`
              : '',
        },
      }),
    },
  ],
  [
    'startAt, total and isLast',
    'start_at',
    {
      properties: { startAt: INTEGER, maxResults: INTEGER },
      answer: ({ startAt = 0 }) => ({
        startAt,
        maxResults: SIZE,
        isLast: Number(startAt) + SIZE >= COUNT,
        values: cut(Number(startAt)),
      }),
    },
  ],
  [
    'a total alone, where the tool has an offset',
    'offset',
    {
      properties: { offset: INTEGER },
      answer: ({ offset = 0 }) => ({ total: COUNT, rows: cut(Number(offset)) }),
    },
  ],
  [
    'next_offset',
    'offset',
    {
      properties: { offset: INTEGER },
      answer: ({ offset = 0 }) => ({
        has_more: Number(offset) + SIZE < COUNT,
        next_offset: Number(offset) + SIZE,
        rows: cut(Number(offset)),
      }),
    },
  ],
  [
    'JSON in a text',
    'cursor',
    {
      properties: { cursor: STRING },
      answer: ({ cursor }) => ({
        result: JSON.stringify({ items: cut(offsetIn(cursor)), next_cursor: nextOf(offsetIn(cursor)) ?? null }),
      }),
    },
  ],
];

describe('a list that its upstream gives in pages', () => {
  it.each(STYLES)('is summed over all of them: %s', async (_style, parameter, upstream) => {
    const { data, warnings, calls } = await ask(upstream, AGGREGATE);
    expect(data).toMatchObject({ aggregations: { sum: SUM }, matched: COUNT, total: COUNT });
    expect(calls).toHaveLength(2);
    expect(warnings).toMatchObject([
      { code: 'VALIDATION_PAGES_READ_WARNING', severity: 'low', details: { pages: 3, param: parameter } },
    ]);
  });

  it.each(STYLES)('is filtered, sorted and counted over all of them: %s', async (_style, _parameter, upstream) => {
    const { data } = await ask(upstream, { filter: { amount: { gte: 50 } }, sort: '-id', first: 2 });
    const found = ROWS.filter(({ amount }) => amount >= 50);
    expect(data['items']).toEqual(found.slice(-2).reverse());
    expect(data['pageInfo']).toMatchObject({ totalCount: found.length, hasNextPage: true });
  });

  it.each(STYLES)(
    'is not read on where the first items alone are asked for: %s',
    async (_style, _parameter, upstream) => {
      const { data, warnings, calls } = await ask(upstream, { first: 10 });
      expect(calls).toHaveLength(0);
      expect(data['items']).toEqual(cut(0, 10));
      const { totalCount } = data['pageInfo'] as { totalCount?: number };
      expect([undefined, COUNT]).toContain(totalCount);
      expect(data['pageInfo']).toMatchObject({ hasNextPage: true });
      expect(warnings).toEqual([]);
    },
  );

  it('is read as far as the page that is asked for', async () => {
    const [, , upstream] = STYLES[0]!;
    const { data, calls } = await ask(upstream, { limit: 10, offset: 60 });
    expect(data['items']).toEqual(cut(60, 10));
    expect(calls).toEqual([{ cursor: 'c50' }]);
  });
});

/** Answers that are one page, and no certain way leads to the next. */
const UNCERTAIN: readonly (readonly [why: string, upstream: Upstream, args: JsonObject, advice: RegExp])[] = [
  [
    'no parameter takes the cursor',
    { properties: {}, answer: () => ({ items: cut(0), next_cursor: 'c50' }) },
    {},
    /'next_cursor' is "c50"/,
  ],
  [
    'a total is all that is known',
    { properties: {}, answer: () => ({ items: cut(0), total: COUNT }) },
    {},
    /Only 50 of 120 items/,
  ],
  [
    'a text says so',
    { properties: {}, answer: () => ({ items: cut(0), message: 'Showing 1-50 of 120 rows' }) },
    {},
    /50 of 120/,
  ],
  [
    'something was left out',
    { properties: {}, answer: () => ({ items: cut(0), truncated: true }) },
    {},
    /'truncated' is true/,
  ],
  [
    'two parameters could take the cursor',
    {
      properties: { after: STRING, cursor: STRING },
      answer: () => ({ items: cut(0), next_cursor: 'c50' }),
    },
    {},
    /one page of more/,
  ],
  [
    'the parameter takes no such value',
    { properties: { cursor: INTEGER }, answer: () => ({ items: cut(0), next_cursor: 'c50' }) },
    {},
    /one page/,
  ],
  [
    'a token is no page token',
    { properties: { token: STRING }, answer: () => ({ items: cut(0), next_token: 'c50' }) },
    {},
    /one page/,
  ],
  ['the caller asks for a certain page', STYLES[0]![2], { cursor: 'c50' }, /\{"cursor":"c100"\}/],
  [
    'the caller bounds the list',
    {
      properties: { offset: INTEGER, limit: INTEGER },
      answer: () => ({ items: cut(0), total: COUNT }),
    },
    { limit: 50 },
    /\{"offset":50\}\. Without 'limit' all pages are read/,
  ],
];

describe('a list of which only one page can be read', () => {
  it.each(UNCERTAIN)('is summed with a warning of high severity: %s', async (_why, upstream, args, advice) => {
    const { data, warnings, calls } = await ask(upstream, AGGREGATE, args);
    expect(calls).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'VALIDATION_PARTIAL_LIST_WARNING', severity: 'high' }]);
    expect(warnings[0]?.message).toMatch(advice);
    expect(data).not.toHaveProperty('total');
    expect(data).toMatchObject({ read: SIZE, matched: SIZE });
  });

  it.each(UNCERTAIN)('never says that its page is all that there is: %s', async (_why, upstream, args) => {
    const { data } = await ask(upstream, { filter: { id: { gte: 1 } } }, args);
    expect(data['pageInfo']).not.toHaveProperty('totalCount');
    expect(data['pageInfo']).toMatchObject({ hasNextPage: true });
  });

  it('has no total in the pages of an answer that was cut for its size', async () => {
    const service = createResultService({ ...SETTINGS, maxTokens: 150 });
    const upstream = { properties: {}, answer: () => ({ items: cut(0), has_more: true }) };
    const whole = await ask(upstream, {}, {}, service);
    const after = whole.warnings[0]?.details?.['cursor'] as string;
    const page = await ask(upstream, { first: 2, after }, {}, service);
    expect(page.data['pageInfo']).toMatchObject({ hasNextPage: true });
    expect(page.data['pageInfo']).not.toHaveProperty('totalCount');
    const complete = { properties: {}, answer: () => ({ items: cut(0) }) };
    const other = createResultService({ ...SETTINGS, maxTokens: 150 });
    const first = await ask(complete, {}, {}, other);
    const next = { first: 2, after: first.warnings[0]?.details?.['cursor'] as string };
    expect((await ask(complete, next, {}, other)).data['pageInfo']).toMatchObject({ totalCount: SIZE });
  });

  it('warns where the answer is as long as it can be, and nothing says whether there is more', async () => {
    const upstream = (limit: JsonObject): Upstream => ({ properties: { limit }, answer: () => cut(0) });
    for (const limit of [
      { type: 'integer', default: SIZE },
      { type: 'integer', description: 'Rows (default: 50)' },
    ]) {
      const { warnings } = await ask(upstream(limit), AGGREGATE);
      expect(warnings).toMatchObject([
        { code: 'VALIDATION_PARTIAL_LIST_WARNING', severity: 'high', details: { param: 'limit' } },
      ]);
    }
    expect((await ask(upstream({ type: 'integer', default: 100 }), AGGREGATE)).warnings).toEqual([]);
    expect((await ask(upstream(INTEGER), AGGREGATE, { limit: SIZE })).warnings).toMatchObject([{ severity: 'medium' }]);
  });

  it.each<[string, JsonObject]>([
    ['the answer says so', { items: cut(0), has_more: false, next_cursor: null, cursor: 'x' }],
    ['its total is its length', { items: cut(0), total: SIZE, page: 1, total_pages: 1 }],
    ['the cursor is that of its end', { nodes: cut(0), pageInfo: { hasNextPage: false, endCursor: 'c50' } }],
    ['a token is for later changes', { items: cut(0), nextSyncToken: 'abc' }],
    ['a text counts something else', { items: cut(0), note: 'step 3 of 10' }],
  ])('is a whole list where %s', async (_why, answer) => {
    const { data, warnings, calls } = await ask(
      { properties: { cursor: STRING, after: STRING }, answer: () => answer },
      AGGREGATE,
    );
    expect(calls).toEqual([]);
    expect(warnings).toEqual([]);
    expect(data).toMatchObject({ total: SIZE });
  });
});

describe('reading on', () => {
  const endless = (answer: Upstream['answer']): Upstream => ({ properties: { cursor: STRING }, answer });

  it('ends with the bound on pages', async () => {
    const upstream = endless(({ cursor }) => ({
      items: [{ id: offsetIn(cursor), amount: 1 }],
      next_cursor: `c${offsetIn(cursor) + 1}`,
    }));
    const { data, warnings, calls } = await ask(upstream, AGGREGATE);
    expect(calls).toHaveLength(PAGES_BOUND.pages - 1);
    expect(data).toMatchObject({ read: PAGES_BOUND.pages });
    expect(warnings[0]).toMatchObject({ severity: 'high', details: { next: { cursor: `c${PAGES_BOUND.pages}` } } });
  });

  it('ends with the bound on characters', async () => {
    const text = 'x'.repeat(PAGES_BOUND.characters / 3);
    const upstream = endless(({ cursor }) => ({
      items: [{ id: offsetIn(cursor), amount: 1, text }],
      next_cursor: `c${offsetIn(cursor) + 1}`,
    }));
    const { data, warnings } = await ask(upstream, AGGREGATE);
    expect(data).toMatchObject({ read: 2 });
    expect(warnings[0]?.message).toContain('no more are read for one call');
  });

  it.each<[string, Upstream['answer'], string]>([
    ['the same page comes again', () => ({ items: cut(0), next_cursor: 'c50' }), 'the same page again'],
    [
      'another kind of answer comes',
      ({ cursor }) => (cursor === undefined ? { items: cut(0), next_cursor: 'c50' } : { error: 'x' }),
      'another kind of answer',
    ],
    [
      'the next page fails',
      ({ cursor }) => {
        if (cursor !== undefined) throw new TypeError('quota');
        return { items: cut(0), next_cursor: 'c50' };
      },
      'the next page failed: TypeError: quota',
    ],
  ])('ends with a warning where %s', async (_why, answer, says) => {
    const { data, warnings } = await ask(endless(answer), AGGREGATE);
    expect(data).toMatchObject({ read: SIZE });
    expect(warnings[0]).toMatchObject({ code: 'VALIDATION_PARTIAL_LIST_WARNING', severity: 'high' });
    expect(warnings[0]?.message).toContain(says);
  });

  it('warns where the pages end before as many items as the upstream counts', async () => {
    const { data, warnings } = await ask(
      {
        properties: { offset: INTEGER },
        answer: ({ offset = 0 }) => ({ total: COUNT, rows: Number(offset) < 100 ? cut(Number(offset)) : [] }),
      },
      AGGREGATE,
    );
    expect(data).toMatchObject({ read: 100 });
    expect(warnings[0]).toMatchObject({ severity: 'high', details: { read: 100, total: COUNT } });
  });

  it('keeps the digits of numbers that no double holds, on every page', async () => {
    const context: ReadContext = {
      operation: anOperation({
        name: 'list_rows',
        parameters: [{ name: 'cursor', upstreamName: 'cursor', place: 'params', required: false, schema: STRING }],
      }),
      arguments: {},
      caller: { sessionId: 's', clientName: 'c', transport: 'http' },
    };
    const service = createResultService(SETTINGS);
    const { query } = service.takeControls(context.operation, { sort: '-n' });
    const { dataText } = await service.finish(
      context,
      query,
      '{"items":[{"n":1,"id":12345678901234567890}],"next_cursor":"a"}',
      undefined,
      async () => '{"success":true,"data":{"items":[{"n":2,"id":12345678901234567891}],"next_cursor":null}}',
    );
    expect(dataText).toContain('"items":[{"n":2,"id":12345678901234567891},{"n":1,"id":12345678901234567890}]');
  });
});
