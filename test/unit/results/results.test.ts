import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { openDetached } from '../../../src/results/detached.js';
import type { ReadContext, ReadData, ResultService } from '../../../src/results/query/result-types.js';
import { createResultService } from '../../../src/results/results.js';
import { readStoredPart } from '../../../src/results/stored/read-part.js';
import { anOperation } from '../../support/an-operation.js';

const SETTINGS = { maxTokens: 0, keptBytes: 10_000_000, keptSeconds: 600, compact: false };

const CONTEXT: ReadContext = {
  operation: anOperation({ name: 'list_items', collection: [] }),
  arguments: { owner: 'acme' },
  caller: { sessionId: 's', clientName: 'c', transport: 'http' },
};

interface Page {
  readonly items: readonly JsonObject[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor?: string;
    readonly endCursor?: string;
    readonly totalCount: number;
  };
}

function atOnce<T>(answer: T | Promise<T>): T {
  if (answer instanceof Promise) throw new Error('the answer was not made at once');
  return answer;
}

/** One call: its controls, and the upstream's answer where one is needed. */
function ask(service: ResultService, params: JsonObject, answer: unknown, context = CONTEXT): ReadData {
  const { query, refusal } = service.takeControls(context.operation, params);
  if (refusal?.error !== undefined) throw refusal.error;
  const resumed = query === undefined ? undefined : atOnce(service.resume(context, query, () => true));
  return resumed ?? atOnce(service.finish(context, query, JSON.stringify(answer)));
}

const page = (service: ResultService, params: JsonObject, answer: unknown): Page =>
  JSON.parse(ask(service, params, answer).dataText);

const ITEMS = fc.array(
  fc.record({
    id: fc.nat(),
    group: fc.constantFrom('a', 'b', 'c', null),
    size: fc.option(fc.integer({ min: -5, max: 5 })),
  }),
  { maxLength: 60 },
);
const SIZE = fc.integer({ min: 1, max: 9 });
const CHOICE = fc.constantFrom<JsonObject>({}, { filter: { group: 'a' } }, { filter: { size: { gte: 0 } } });
const ORDER = fc.constantFrom<JsonObject>({}, { sort: 'size' }, { sort: ['-group', 'id'] });

describe('pages of a list', () => {
  it('visit each item once, forwards and backwards, in the order of the whole', () => {
    fc.assert(
      fc.property(ITEMS, SIZE, CHOICE, ORDER, (items, size, choice, order) => {
        const service = createResultService(SETTINGS);
        const whole = page(service, { limit: 1_000, offset: 0, ...choice, ...order }, items).items;
        const forwards: JsonObject[] = [];
        let current = page(service, { first: size, ...choice, ...order }, items);
        for (;;) {
          forwards.push(...current.items);
          expect(current.pageInfo.totalCount).toBe(whole.length);
          if (!current.pageInfo.hasNextPage) break;
          // What the upstream answers in the meantime has no effect.
          current = page(service, { first: size, after: current.pageInfo.endCursor }, []);
        }
        expect(forwards).toEqual(whole);
        const backwards: JsonObject[] = [];
        current = page(service, { last: size, ...choice, ...order }, items);
        for (;;) {
          backwards.unshift(...current.items);
          if (!current.pageInfo.hasPreviousPage) break;
          current = page(service, { last: size, before: current.pageInfo.startCursor }, []);
        }
        expect(backwards).toEqual(whole);
      }),
    );
  });

  it('contain as many items as fit, and lose none', () => {
    fc.assert(
      fc.property(ITEMS, fc.integer({ min: 500, max: 900 }), (items, answerTokens) => {
        const service = createResultService(SETTINGS);
        const context = { ...CONTEXT, answerTokens };
        const seen: JsonObject[] = [];
        let params: JsonObject = { sort: 'id' };
        for (;;) {
          const { dataText } = ask(service, params, items, context);
          const current = JSON.parse(dataText) as Page;
          seen.push(...current.items);
          if (!current.pageInfo.hasNextPage) break;
          params = { first: 1_000, after: current.pageInfo.endCursor };
        }
        expect(seen).toEqual(page(service, { sort: 'id', limit: 1_000 }, items).items);
      }),
    );
  });

  it('have the same fields for a preset, chosen by the whole list', () => {
    const service = createResultService(SETTINGS);
    const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}`, note: 'x'.repeat(600) }));
    const first = page(service, { first: 2, fields: 'standard' }, items);
    const second = page(service, { first: 2, after: first.pageInfo.endCursor }, []);
    expect([first.items[0], second.items[0]]).toEqual([
      { id: 0, name: 'n0' },
      { id: 2, name: 'n2' },
    ]);
  });
});

describe('an answer without a query', () => {
  it('is passed on unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(createResultService(SETTINGS).finish(CONTEXT, undefined, text)).toEqual({
          dataText: text,
          warnings: [],
        });
      }),
    );
  });

  it('is stored within the bound where it is too big, however many come', async () => {
    const keptBytes = 1_048_576;
    const service = createResultService({ ...SETTINGS, maxTokens: 2_500, keptBytes });
    const big = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, text: 'x'.repeat(50) })));
    const handles: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      const { warnings } = await service.finish(CONTEXT, undefined, big);
      handles.push(String(warnings[0]?.details?.['handle']));
    }
    const alive = handles.filter((handle) => {
      try {
        return readStoredPart(service.storedPart({ handle, path: '[0]' }, CONTEXT.caller)).length > 0;
      } catch {
        return false;
      }
    });
    expect(alive.length).toBeGreaterThan(0);
    expect(alive.length * Buffer.byteLength(big)).toBeLessThanOrEqual(keptBytes);
    service.endSession(CONTEXT.caller.sessionId);
    expect(() => readStoredPart(service.storedPart({ handle: alive[0] ?? '', path: '[0]' }, CONTEXT.caller))).toThrow(
      'no longer stored',
    );
  });
});

describe('lists of items with the same members', () => {
  it('are sent as columns and rows where that is configured and saves', () => {
    const service = createResultService({ ...SETTINGS, compact: true });
    const items = Array.from({ length: 10 }, (_, id) => ({ identifier: id, description: 'd' }));
    const { dataText } = ask(service, { first: 5 }, items);
    expect(JSON.parse(dataText).items).toEqual({
      columns: ['identifier', 'description'],
      rows: [0, 1, 2, 3, 4].map((id) => [id, 'd']),
    });
  });
});

describe('an answer that is a text', () => {
  const READ = { ...CONTEXT, operation: anOperation({ name: 'read_text_file' }) };
  const TEXT = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('a', '', '  b', 'c  ', '[', '{"x": 1}', '007'), { maxLength: 6 }).map((l) => l.join('\n')),
    fc.json(),
  );

  it("is the same with fields: 'full' as without, whatever its lines and wherever it stands", () => {
    fc.assert(
      fc.property(TEXT, fc.constantFrom('', 'content', 'result'), fc.boolean(), (text, member, isList) => {
        const answer = member === '' ? text : { [member]: text };
        const context = isList ? CONTEXT : READ;
        const { dataText } = ask(createResultService(SETTINGS), { fields: 'full' }, answer, context);
        expect(JSON.parse(dataText)).toEqual(answer);
      }),
    );
  });

  it.each(['standard', 'minimal'])('comes whole, with a warning, where the preset %s is asked for', (preset) => {
    const answer = { content: 'alpha  \n\n  indented\n\n\nend' };
    const { dataText, warnings } = ask(createResultService(SETTINGS), { fields: preset }, answer, READ);
    expect(JSON.parse(dataText)).toEqual(answer);
    expect(warnings).toMatchObject([{ code: 'VALIDATION_NO_FIELDS_WARNING' }]);
  });

  it('has the fields of its own members, however many lines it has', () => {
    for (const content of ['one line', 'several\n\nlines']) {
      const service = createResultService(SETTINGS);
      expect(JSON.parse(ask(service, { fields: ['content'] }, { content }, READ).dataText)).toEqual({ content });
      const { dataText, warnings } = ask(service, { fields: ['size'] }, { content }, READ);
      expect(JSON.parse(dataText)).toEqual({ content });
      expect(warnings).toMatchObject([{ code: 'VALIDATION_NO_FIELDS_WARNING' }]);
    }
  });

  it('comes whole, with a warning, where its lines are items and a query is about fields of them', () => {
    const answer = { content: 'a.md  93 B\nb.md  85 B' };
    for (const params of [{ sort: '-size', first: 1 }, { filter: { size: { gt: 90 } } }]) {
      const { dataText, warnings } = ask(createResultService(SETTINGS), params, answer);
      expect(JSON.parse(dataText)).toEqual(answer);
      expect(warnings).toMatchObject([{ code: 'VALIDATION_NO_LIST_WARNING' }]);
    }
    expect(JSON.parse(ask(createResultService(SETTINGS), { sort: '-value' }, answer).dataText)).toMatchObject({
      items: ['b.md  85 B', 'a.md  93 B'],
    });
  });

  it('is quoted where it is the only line of a list, as it may say that the list is empty', () => {
    const params = { aggregate: { n: { count: true } } };
    const { dataText, warnings } = ask(createResultService(SETTINGS), params, { content: 'No tasks found.' });
    expect(JSON.parse(dataText)).toMatchObject({ aggregations: { n: 1 } });
    expect(warnings).toEqual([
      {
        code: 'VALIDATION_READ_AS_WARNING',
        message: "The answer was read as a list of one line: 'No tasks found.'",
        severity: 'low',
      },
    ]);
  });

  it('comes whole, with a warning, where it is asked for as a list and is none', () => {
    const answer = { content: 'one line' };
    const { dataText, warnings } = ask(createResultService(SETTINGS), { first: 1, query: 'b' }, answer, READ);
    expect(JSON.parse(dataText)).toEqual(answer);
    expect(warnings).toMatchObject([{ code: 'VALIDATION_NO_LIST_WARNING' }]);
  });
});

describe('a sort by amounts that are texts', () => {
  it.each([
    [['1,000.50', '2', '12,000']],
    [['$7', '$12.50']],
    [['5 MB', '12 kB']],
    [['12 %', '7 %']],
    [['EUR 12', 'EUR 7']],
  ])('says that %j are in the order of texts', (prices) => {
    const rows = prices.map((price) => ({ price }));
    const { warnings } = ask(createResultService(SETTINGS), { sort: 'price' }, rows);
    expect(warnings).toMatchObject([{ code: 'VALIDATION_NOT_NUMBERS_WARNING', details: { field: 'sort.price' } }]);
  });

  it.each([
    [['1000.50', '2', 7]],
    [['2024-01-05', '2023-01-05']],
    [['1.2.3', '1.10.0']],
    [['10.0.0.1', '10.0.0.2']],
    [['01234', 'A1', '1st', '555-1234']],
    [['ada', 'bob']],
    [['01234', '04567']],
  ])('says nothing of %j', (prices) => {
    const rows = prices.map((price) => ({ price }));
    expect(ask(createResultService(SETTINGS), { sort: 'price' }, rows).warnings).toEqual([]);
  });
});

describe('a comparison with a number', () => {
  it('says how many items have a text there that is no number', () => {
    const rows = [{ price: '$1,200.50' }, { price: '3.10' }, { price: 7 }, { price: '' }, {}];
    const { dataText, warnings } = ask(createResultService(SETTINGS), { filter: { price: { gt: 5 } } }, rows);
    expect(JSON.parse(dataText)).toMatchObject({ items: [{ price: 7 }] });
    expect(warnings).toMatchObject([
      { code: 'VALIDATION_NOT_NUMBERS_WARNING', details: { field: 'filter.price', left_out: 1 } },
    ]);
    const others = { filter: { price: { gt: '$0' } }, aggregate: { n: { count: true } } };
    expect(ask(createResultService(SETTINGS), others, rows).warnings).toEqual([]);
  });
});

describe('a query of a READ whose answers are not described', () => {
  const READ = { ...CONTEXT, operation: anOperation({ name: 'read_graph' }) };
  const GRAPH = { entities: [{ name: 'b' }, { name: 'a' }], relations: [{ from: 'a', to: 'b' }] };

  it('works on the only list that the answer holds', () => {
    const { dataText } = ask(createResultService(SETTINGS), { sort: 'id', first: 1 }, [{ id: 2 }, { id: 1 }], READ);
    expect(JSON.parse(dataText)).toMatchObject({ items: [{ id: 1 }], pageInfo: { totalCount: 2 } });
    const inside = { took: 3, rows: [{ id: 2 }, { id: 1 }] };
    expect(JSON.parse(ask(createResultService(SETTINGS), { filter: { id: 1 } }, inside, READ).dataText)).toMatchObject({
      items: [{ id: 1 }],
      rest: { took: 3 },
    });
  });

  it('leaves an answer with several lists whole, and the warning names them and how to choose one', () => {
    const service = createResultService(SETTINGS);
    const { dataText, warnings } = ask(service, { filter: { name: 'a' } }, GRAPH, READ);
    expect(JSON.parse(dataText)).toEqual(GRAPH);
    expect(warnings).toMatchObject([
      { code: 'VALIDATION_NO_LIST_WARNING', details: { lists: ['entities', 'relations'] } },
    ]);
    expect(warnings[0]?.message).toContain('{"collection":"entities"}');
  });

  it('works on the list that the caller names, also inside a text that is JSON', () => {
    for (const answer of [GRAPH, { result: JSON.stringify(GRAPH) }]) {
      const params = { collection: 'entities', sort: 'name' };
      const { dataText } = ask(createResultService(SETTINGS), params, answer, READ);
      expect(JSON.parse(dataText)).toMatchObject({ items: [{ name: 'a' }, { name: 'b' }] });
    }
  });

  it('refuses the path of a list that the answer does not have, and names those that it has', () => {
    const service = createResultService(SETTINGS);
    expect(() => ask(service, { collection: 'nodes', first: 1 }, GRAPH, READ)).toThrow(
      "Its lists: 'entities', 'relations'",
    );
  });
});

describe('a query of many pages that takes long', () => {
  const page = (from: number) => ({
    items: Array.from({ length: 500 }, (_, n) => ({ id: from + n, text: 'x'.repeat(1_500) })),
    nextCursor: `c${from + 500}`,
  });
  const paged = anOperation({
    parameters: [
      { name: 'cursor', upstreamName: 'cursor', place: 'params', required: false, schema: { type: 'string' } },
    ],
  });
  const context = { ...CONTEXT, operation: paged };
  const readPage = async ({ cursor }: JsonObject): Promise<string> => {
    const from = Number(String(cursor).slice(1));
    const data = from < 2_500 ? page(from) : { items: [] };
    return JSON.stringify({ success: true, data });
  };

  it('is left to a thread, which makes of their list what is made of it here', async () => {
    const service = createResultService({ ...SETTINGS, maxTokens: 0 });
    const { query } = service.takeControls(paged, { sort: '-id', fields: ['id'], first: 3 });
    const first = JSON.stringify(page(0));
    const { unmade } = await service.finish(context, query, first, undefined, readPage);
    const detached = openDetached(context, service.detach(context));
    const { dataText } = detached.finish(query, { dataText: first }, structuredClone(unmade));
    expect(JSON.parse(dataText)).toMatchObject({ items: [{ id: 2_499 }, { id: 2_498 }, { id: 2_497 }] });
    expect(detached.left().entries).toHaveLength(1);
  });
});

describe('whether a query takes long', () => {
  const service = createResultService(SETTINGS);
  const takesLong = (params: JsonObject, bytes: number): boolean =>
    service.takesLong(CONTEXT, service.takeControls(CONTEXT.operation, params).query, bytes);

  it('is told by the bytes of the answer and by how often each is read', () => {
    const conditions = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, 1]));
    expect(takesLong({ filter: { id: 1 }, sort: '-id' }, 300_000)).toBe(false);
    expect(takesLong({ filter: conditions, sort: '-id' }, 300_000)).toBe(true);
    expect(takesLong({ filter: conditions, sort: '-id' }, 50_000)).toBe(false);
  });

  it('is said of an answer of which nothing is asked only where it has to be cut', () => {
    expect(takesLong({}, 1_000_000)).toBe(false);
    expect(service.takesLong({ ...CONTEXT, answerTokens: 100_000 }, undefined, 1_000_000)).toBe(true);
    expect(service.takesLong({ ...CONTEXT, answerTokens: 100_000 }, undefined, 200_000)).toBe(false);
  });
});

it('an answer of which nothing is stored does not wait until the other answers of its session are shared', () => {
  const never = new Promise<never>(() => undefined);
  const bytes = { put: () => never, get: () => never, renew: () => never };
  const service = createResultService(SETTINGS, {
    replicas: { bytes, key: () => Buffer.alloc(32), isTroubled: () => false },
  });
  const context = { ...CONTEXT, caller: { ...CONTEXT.caller, client: 'ann' } };
  const { query } = service.takeControls(context.operation, { first: 1 });
  const paged = service.finish(context, query, JSON.stringify([{ id: 1 }, { id: 2 }]));
  expect(paged).toBeInstanceOf(Promise);
  expect(atOnce(service.finish(context, undefined, '"short"')).dataText).toBe('"short"');
});
