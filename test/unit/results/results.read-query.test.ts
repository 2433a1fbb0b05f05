import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import type { CollectionQuery, Control } from '../../../src/results/query/result-types.js';
import { readQuery } from '../../../src/results/results.js';

type Given = Partial<Record<Control, unknown>>;

function read(given: Given, nameOf = (control: Control): string => control): CollectionQuery | undefined {
  return readQuery(new Map(Object.entries(given)) as ReadonlyMap<Control, unknown>, {
    nameOf,
    presets: ['minimal', 'standard', 'full', 'contact'],
    operation: 'list_items',
  });
}

function refusal(given: Given, nameOf?: (control: Control) => string): OperationError {
  try {
    read(given, nameOf);
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(given)}`);
}

it('reads no query where no control is given', () => {
  expect(read({})).toBeUndefined();
});

it('reads the example of the collection-querying document', () => {
  const query = read({
    query: 'api reviewer',
    filter: { category: 'persona', status: 'active' },
    sort: { field: 'updated_at', order: 'desc' },
    fields: 'minimal',
    first: 10,
    after: 'cursor_abc123',
  });
  expect(query).toEqual({
    text: { terms: ['api', 'reviewer'] },
    filter: [
      { path: ['category'], operator: 'equals', operand: 'persona' },
      { path: ['status'], operator: 'equals', operand: 'active' },
    ],
    sort: [{ path: ['updated_at'], order: 'desc' }],
    fields: { preset: 'minimal', paths: [] },
    includeItems: true,
    page: { style: 'forward', size: 10, after: 'cursor_abc123' },
  });
});

describe('readQuery of pages', () => {
  it.each<[Given, CollectionQuery['page']]>([
    [{ fields: 'full' }, { style: 'all' }],
    [{ first: 10 }, { style: 'forward', size: 10 }],
    [{ first: 0 }, { style: 'forward', size: 0 }],
    [{ first: 5000 }, { style: 'forward', size: 1000 }],
    [{ last: 10 }, { style: 'backward', size: 10 }],
    [
      { last: 10, before: 'x' },
      { style: 'backward', size: 10, before: 'x' },
    ],
    [{ limit: 5 }, { style: 'offset', size: 5, offset: 0 }],
    [
      { limit: 10, offset: 20 },
      { style: 'offset', size: 10, offset: 20 },
    ],
    [{ offset: 20 }, { style: 'offset', size: 20, offset: 20 }],
    [
      { page: 2, page_size: 25 },
      { style: 'offset', size: 25, offset: 25, page: 2 },
    ],
    [{ page: 3 }, { style: 'offset', size: 20, offset: 40, page: 3 }],
    [{ page_size: 7 }, { style: 'offset', size: 7, offset: 0, page: 1 }],
    [
      { page: 2, page_size: 9999 },
      { style: 'offset', size: 1000, offset: 1000, page: 2 },
    ],
    [
      { page: Number.MAX_SAFE_INTEGER },
      { style: 'offset', size: 20, offset: Number.MAX_SAFE_INTEGER, page: Number.MAX_SAFE_INTEGER },
    ],
  ])('reads %j', (given, page) => {
    expect(read(given)?.page).toEqual(page);
  });

  it('answers conflicts as the pagination document does', () => {
    expect(refusal({ first: 1, last: 1 }).toFailure().error).toEqual({
      code: 'VALIDATION_INVALID_TYPE',
      message: "Cannot use 'first' and 'last' together",
      details: {
        operation: 'list_items',
        param_name: 'pagination',
        expected_type: 'valid pagination combination',
        actual_type: 'conflicting parameters',
        provided: ['first', 'last'],
        hint: "Use 'first' for forward pagination or 'last' for backward pagination",
      },
    });
  });

  it.each<[Given, message: string, provided: readonly string[]]>([
    [{ first: 1, before: 'x' }, "Cannot use 'first' and 'before' together", ['first', 'before']],
    [{ last: 1, after: 'x' }, "Cannot use 'last' and 'after' together", ['last', 'after']],
    [{ after: 'x' }, "Cannot use 'after' without 'first'", ['after']],
    [{ before: 'x' }, "Cannot use 'before' without 'last'", ['before']],
    [{ first: 1, offset: 2 }, "Cannot mix pagination styles: 'first', 'offset'", ['first', 'offset']],
    [{ after: 'x', page: 2 }, "Cannot mix pagination styles: 'after', 'page'", ['after', 'page']],
    [{ limit: 1, page: 2 }, "Cannot mix pagination styles: 'limit', 'page'", ['limit', 'page']],
    [{ offset: 1, page_size: 2 }, "Cannot mix pagination styles: 'offset', 'page_size'", ['offset', 'page_size']],
  ])('refuses %j', (given, message, provided) => {
    const { code, message: told, details } = refusal(given);
    expect({ code, told, provided: details['provided'] }).toEqual({
      code: 'VALIDATION_INVALID_TYPE',
      told: message,
      provided,
    });
  });

  it.each<[Given, code: string, message: RegExp]>([
    [{ first: '10' }, 'VALIDATION_INVALID_TYPE', /'first' expected 'integer', got 'string'/],
    [{ first: 1.5 }, 'VALIDATION_INVALID_TYPE', /'first' expected 'integer', got 'number'/],
    [{ first: null }, 'VALIDATION_INVALID_TYPE', /'first' expected 'integer', got 'null'/],
    [{ last: -1 }, 'VALIDATION_OUT_OF_RANGE', /'last' must be 0 or more, got -1/],
    [{ limit: 1, offset: -1 }, 'VALIDATION_OUT_OF_RANGE', /'offset' must be 0 or more/],
    [{ page: 0 }, 'VALIDATION_OUT_OF_RANGE', /'page' must be 1 or more/],
    [{ page_size: 0 }, 'VALIDATION_OUT_OF_RANGE', /'page_size' must be 1 or more/],
    [{ first: 1, after: 7 }, 'VALIDATION_INVALID_TYPE', /'after' expected 'string', got 'number'/],
    [{ first: 1, after: '' }, 'VALIDATION_INVALID_VALUE', /'after' must be a cursor/],
  ])('refuses %j', (given, code, message) => {
    const error = refusal(given);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('names controls in errors as the caller names them', () => {
    const error = refusal({ first: 1, last: 1, limit: 'x' }, (control) => `_${control}`);
    expect(error.message).toContain("'_first', '_last', '_limit'");
    expect(error.message).toContain("'_limit' expected 'integer'");
    expect(refusal({ first: 1, last: 1 }, (control) => `_${control}`).details['hint']).toContain("'_first'");
  });
});

describe('readQuery of filter', () => {
  it.each<[filter: unknown, conditions: readonly (readonly [string, string, unknown])[]]>([
    [{}, []],
    [{ a: 1 }, [['a', 'equals', 1]]],
    [{ a: null }, [['a', 'equals', null]]],
    [{ a: ['x', 'y'] }, [['a', 'in', ['x', 'y']]]],
    [{ 'a.b': 1 }, [['a.b', 'equals', 1]]],
    [{ settings: { theme: 'dark' } }, [['settings.theme', 'equals', 'dark']]],
    [{ settings: { 'ui.theme': { in: ['dark'] } } }, [['settings.ui.theme', 'in', ['dark']]]],
    [
      { size: { gt: 1, lte: 5 } },
      [
        ['size', 'gt', 1],
        ['size', 'lte', 5],
      ],
    ],
    [{ tags: { contains: 'admin' } }, [['tags', 'contains', 'admin']]],
    [{ a: { exists: false } }, [['a', 'exists', false]]],
    [{ a: { pattern: 'x*' } }, [['a', 'pattern', 'x*']]],
    [{ a: { equals: { b: 1 } } }, [['a', 'equals', { b: 1 }]]],
    [{ '_computed.is_stale': true }, [['_computed.is_stale', 'equals', true]]],
  ])('reads %j', (filter, conditions) => {
    const found = read({ filter })?.filter.map(({ path, operator, operand }) => [path.join('.'), operator, operand]);
    expect(found).toEqual(conditions);
  });

  it.each<[filter: unknown, code: string, message: RegExp]>([
    ['{"a":1}', 'VALIDATION_INVALID_TYPE', /'filter' expected 'object', got 'string'/],
    [['a'], 'VALIDATION_INVALID_TYPE', /'filter' expected 'object', got 'array'/],
    [{ a: {} }, 'VALIDATION_INVALID_VALUE', /'filter.a' must be a value or a condition/],
    [
      { a: { $gt: 1 } },
      'VALIDATION_INVALID_VALUE',
      /Unsupported operator '\$gt' for 'filter.a'. Use one of 'equals', 'in'/,
    ],
    [{ a: { not: 1 } }, 'VALIDATION_INVALID_VALUE', /Unsupported operator 'not'/],
    [{ a: { gt: 1, b: 2 } }, 'VALIDATION_INVALID_VALUE', /Unsupported operator 'b'/],
    [{ a: { gt: true } }, 'VALIDATION_INVALID_TYPE', /'filter.a.gt' expected 'number or string', got 'boolean'/],
    [{ a: { in: 'x' } }, 'VALIDATION_INVALID_TYPE', /'filter.a.in' expected 'array', got 'string'/],
    [{ a: { exists: 'yes' } }, 'VALIDATION_INVALID_TYPE', /'filter.a.exists' expected 'boolean'/],
    [{ a: { contains: null } }, 'VALIDATION_INVALID_TYPE', /'filter.a.contains' expected/],
    [{ a: { pattern: 7 } }, 'VALIDATION_INVALID_TYPE', /'filter.a.pattern' expected 'string'/],
    [{ a: { pattern: '*'.repeat(201) } }, 'VALIDATION_INVALID_VALUE', /200 characters or fewer/],
    [{ 'a..b': 1 }, 'VALIDATION_INVALID_VALUE', /'filter' must be a field path/],
    [{ [Array(33).fill('a').join('.')]: 1 }, 'VALIDATION_INVALID_VALUE', /32 keys/],
    [
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 1])),
      'VALIDATION_INVALID_VALUE',
      /100 conditions or fewer/,
    ],
  ])('refuses %j', (filter, code, message) => {
    const error = refusal({ filter });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('gives hints about JSON in a string and about operators of other languages', () => {
    expect(refusal({ filter: '{"a":1}' }).details['hint']).toContain('JSON value itself');
    expect(refusal({ filter: { a: { $gte: 1 } } }).details['hint']).toContain("Did you mean 'gte'?");
    expect(refusal({ filter: { a: { min: 1 } } }).details['hint']).toContain("For a field of this name write 'a.min'");
  });

  it('does not follow a filter that is nested too deeply', () => {
    const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => ({ a: inner }), 1);
    expect(refusal({ filter: deep }).message).toMatch(/must be a value or a condition/);
  });
});

describe('readQuery of sort', () => {
  it.each<[sort: unknown, keys: readonly string[]]>([
    [{ field: 'a' }, ['a asc']],
    [{ field: 'a.b', order: 'desc' }, ['a.b desc']],
    ['a', ['a asc']],
    ['-a', ['a desc']],
    [
      [{ field: 'a', order: 'desc' }, 'b', '-c'],
      ['a desc', 'b asc', 'c desc'],
    ],
    [{ field: '_computed.age_days', order: 'desc' }, ['_computed.age_days desc']],
  ])('reads %j', (sort, keys) => {
    expect(read({ sort })?.sort.map(({ path, order }) => `${path.join('.')} ${order}`)).toEqual(keys);
  });

  it.each<[sort: unknown, code: string, message: RegExp]>([
    [{ field: 'a', order: 'down' }, 'VALIDATION_INVALID_ENUM', /'sort.order' must be one of 'asc', 'desc', got 'down'/],
    [{ order: 'asc' }, 'VALIDATION_MISSING_PARAM', /Missing required parameter 'sort.field'/],
    [{ a: 'desc' }, 'VALIDATION_INVALID_VALUE', /'sort' must be an object of 'field' and 'order', got 'a'/],
    [7, 'VALIDATION_INVALID_TYPE', /'sort' expected 'object', got 'number'/],
    ['{"field":"a"}', 'VALIDATION_INVALID_TYPE', /'sort' expected 'object', got 'string'/],
    [[], 'VALIDATION_INVALID_VALUE', /a list of 1 to 10 sort keys/],
    [['a', { field: 7 }], 'VALIDATION_INVALID_TYPE', /'sort\[1\].field' expected 'string'/],
    ['', 'VALIDATION_INVALID_VALUE', /'sort' must be a field path/],
  ])('refuses %j', (sort, code, message) => {
    const error = refusal({ sort });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('readQuery of fields', () => {
  it.each<[Given, CollectionQuery['fields']]>([
    [{ fields: 'minimal' }, { preset: 'minimal', paths: [] }],
    [{ preset: 'minimal' }, { preset: 'minimal', paths: [] }],
    [
      { preset: 'minimal', fields: 'minimal' },
      { preset: 'minimal', paths: [] },
    ],
    [
      { preset: 'minimal', fields: ['created_at'] },
      { preset: 'minimal', paths: [['created_at']] },
    ],
    [
      { preset: 'minimal', fields: [] },
      { preset: 'minimal', paths: [] },
    ],
    [
      { fields: ['id', 'settings.theme', '_computed.age_days'] },
      { paths: [['id'], ['settings', 'theme'], ['_computed', 'age_days']] },
    ],
  ])('reads %j', (given, fields) => {
    expect(read(given)?.fields).toEqual(fields);
  });

  it.each<[Given, code: string, message: RegExp]>([
    [{ fields: 7 }, 'VALIDATION_INVALID_TYPE', /'fields' expected 'string or array', got 'number'/],
    [{ fields: '["id"]' }, 'VALIDATION_INVALID_TYPE', /'fields' expected 'string or array', got 'string'/],
    [{ fields: [] }, 'VALIDATION_INVALID_VALUE', /a list of 1 to 200 fields/],
    [{ fields: ['a', 7] }, 'VALIDATION_INVALID_TYPE', /'fields\[1\]' expected 'string', got 'number'/],
    [{ preset: ['a'] }, 'VALIDATION_INVALID_TYPE', /'preset' expected 'string', got 'array'/],
    [{ preset: 'minimal', fields: 'full' }, 'VALIDATION_INVALID_VALUE', /beside 'preset'/],
  ])('refuses %j', (given, code, message) => {
    const error = refusal(given);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('readQuery of query', () => {
  it.each<[text: string, terms: readonly string[] | undefined]>([
    ['Api "Code  Review" tool tool', ['api', 'code review', 'tool']],
    ['Café "half', ['cafe', 'half']],
    ['  ', undefined],
    ['""', undefined],
  ])('reads %j', (text, terms) => {
    expect(read({ query: text })?.text?.terms).toEqual(terms);
  });

  it('refuses an object, and too many words', () => {
    expect(refusal({ query: { where: 1 } }).message).toMatch(/'query' expected 'string', got 'object'/);
    const many = Array.from({ length: 51 }, (_, index) => `w${index}`).join(' ');
    expect(refusal({ query: many }).message).toMatch(/50 words/);
  });
});

describe('readQuery of aggregate', () => {
  it('reads the example of the aggregations document', () => {
    const aggregate = {
      total: { count: true },
      by_status: { group_by: 'status', count: true },
      average_size: { avg: 'size_bytes' },
    };
    const query = read({ aggregate });
    expect(query?.aggregate).toEqual([
      ['total', { count: true }],
      ['by_status', { groupBy: ['status'], count: true }],
      ['average_size', { avg: ['size_bytes'] }],
    ]);
    expect(query?.includeItems).toBe(false);
    expect(read({ aggregate, include_items: true })?.includeItems).toBe(true);
  });

  it('counts where only a group is named', () => {
    expect(read({ aggregate: { a: { group_by: 'x' } } })?.aggregate).toEqual([['a', { groupBy: ['x'], count: true }]]);
    expect(read({ aggregate: { a: { group_by: 'x', sum: 'y', count: false } } })?.aggregate).toEqual([
      ['a', { groupBy: ['x'], sum: ['y'] }],
    ]);
  });

  it.each<[aggregate: unknown, code: string, message: RegExp]>([
    ['{"a":{}}', 'VALIDATION_INVALID_TYPE', /'aggregate' expected 'object', got 'string'/],
    [{}, 'VALIDATION_INVALID_VALUE', /an object of 1 to 50 named aggregations/],
    [{ a: 'count' }, 'VALIDATION_INVALID_TYPE', /'aggregate.a' expected 'object', got 'string'/],
    [{ a: {} }, 'VALIDATION_INVALID_VALUE', /'aggregate.a' must be one or more of 'count', 'group_by'/],
    [{ a: { count: false } }, 'VALIDATION_INVALID_VALUE', /one or more of/],
    [{ a: { count: 'id' } }, 'VALIDATION_INVALID_TYPE', /'aggregate.a.count' expected 'boolean', got 'string'/],
    [{ a: { sum: true } }, 'VALIDATION_INVALID_TYPE', /'aggregate.a.sum' expected 'string', got 'boolean'/],
    [{ a: { median: 'x' } }, 'VALIDATION_INVALID_VALUE', /Unsupported aggregation function 'median' in 'aggregate.a'/],
  ])('refuses %j', (aggregate, code, message) => {
    const error = refusal({ aggregate });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it.each<[given: object, hint: string]>([
    [{ aggregate: { count: true } }, 'Put functions under a label of your choice. For example: {"total"'],
    [{ aggregate: { sum: 'size' } }, 'Put functions under a label of your choice. For example: {"total"'],
    [{ sort: 'size desc' }, 'For example: {"field":"size","order":"desc"}'],
    [{ sort: ['name', 'size:ASC'] }, 'For example: {"field":"size","order":"asc"}'],
  ])('answers %j with a correct example', (given, hint) => {
    expect(refusal(given).details?.['hint']).toContain(hint);
  });

  it('notes the controls that concern items, where only a summary is asked for', () => {
    const aggregate = { total: { count: true } };
    expect(read({ aggregate, first: 2, sort: 'id', filter: { id: 1 } })?.ineffective).toEqual(['first', 'sort']);
    expect(read({ aggregate, first: 2, include_items: true })).not.toHaveProperty('ineffective');
    expect(read({ aggregate, filter: { id: 1 } })).not.toHaveProperty('ineffective');
  });

  it('refuses include_items without aggregate, where it would have no effect', () => {
    expect(refusal({ include_items: true }).message).toBe(
      "Parameter 'include_items' must be given beside 'aggregate', got true",
    );
  });

  it('refuses include_items that is not a boolean', () => {
    expect(refusal({ include_items: 'yes' }).message).toBe(
      "Parameter 'include_items' expected 'boolean', got 'string'",
    );
  });
});

it('reports all faults in one error, under the code of a wrong type', () => {
  const error = refusal({ sort: { field: 'a', order: 'up' }, filter: 7, first: 1, last: 1, aggregate: { a: {} } });
  expect(error.code).toBe('VALIDATION_INVALID_TYPE');
  expect((error.details['faults'] as { param: string }[]).map(({ param }) => param)).toEqual([
    'filter',
    'sort.order',
    'aggregate.a',
    'pagination',
  ]);
  expect(error.message.split('. ')).toHaveLength(4);
});

it('reports a bounded number of faults', () => {
  const filter = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, {}]));
  expect(refusal({ filter }).details['faults']).toHaveLength(50);
});

describe('presets of readQuery', () => {
  it.each(['fields', 'preset'] as const)('refuses an unknown one and names the known ones: %s', (control) => {
    const { code, message, details } = refusal({ [control]: 'tiny' });
    expect(code).toBe('VALIDATION_INVALID_ENUM');
    expect(message).toContain("Unknown preset 'tiny'. Use one of 'minimal', 'standard', 'full', 'contact'");
    expect(details).toMatchObject({ param_name: control, value: 'tiny' });
  });

  it('says how fields are listed that are written in a text', () => {
    expect(refusal({ fields: 'status' }).details['hint']).toBe('Give fields as a list: ["status"]');
    expect(refusal({ fields: 'status, id' }).details['hint']).toBe('Give fields as a list: ["status","id"]');
  });
});

it('repeats a refused value as the JSON value that it is, unless it is long', () => {
  expect(refusal({ limit: -1 }).details['value']).toBe(-1);
  expect(refusal({ sort: [] }).details['value']).toEqual([]);
  expect(refusal({ fields: Array.from({ length: 300 }, () => 'id') }).details).not.toHaveProperty('value');
});
