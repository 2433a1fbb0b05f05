import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { OperationFields, Parameter } from '../../../../src/base/protocol/operation.js';
import { pushFirst } from '../../../../src/results/pages/push-first.js';
import type { CollectionQuery } from '../../../../src/results/query/result-types.js';
import { anOperation } from '../../../support/an-operation.js';

const parameter = (name: string, description: string, schema: JsonObject = {}): Parameter => ({
  name,
  upstreamName: name,
  place: 'params',
  required: false,
  schema: { type: 'integer', description, ...schema },
});

const FIRST_TEN: CollectionQuery = { filter: [], sort: [], includeItems: true, page: { style: 'forward', size: 10 } };

interface Case {
  readonly query?: CollectionQuery;
  readonly arguments?: JsonObject;
  readonly isList?: boolean;
  readonly most?: number;
  readonly fields?: Partial<OperationFields>;
}

function push(parameters: readonly Parameter[], given: Case = {}): JsonObject | undefined {
  const { query = FIRST_TEN, arguments: args = { q: 'x' }, isList = true, most = 1_000, fields = {} } = given;
  const accepts = (all: JsonObject): boolean =>
    Object.values(all).every((value) => typeof value !== 'number' || value <= most);
  return pushFirst(anOperation({ name: 'list_commits', parameters, ...fields }), {
    arguments: args,
    query,
    isList,
    accepts,
  });
}

const LIMIT = parameter('limit', 'Maximum number of commits to return');

describe("'first' as the upstream's own bound", () => {
  it.each([
    ['Maximum number of commits to return'],
    ['Max results to return (1-100)'],
    ['The maximum number of items to return, up to 50'],
    ['How many entries to list'],
    ['Number of results per page (default: 5)'],
  ])('asks for one item more where the description says %j', (description) => {
    expect(push([parameter('limit', description)])).toEqual({ q: 'x', limit: 11 });
  });

  it("stays within the maximum of the upstream's schema and of its description, and is not used beyond it", () => {
    expect(push([LIMIT], { most: 10 })).toEqual({ q: 'x', limit: 10 });
    expect(push([LIMIT], { most: 9 })).toBeUndefined();
    expect(push([parameter('limit', 'Maximum number of commits to return (max 10)')])).toEqual({ q: 'x', limit: 10 });
    expect(push([parameter('limit', 'Maximum number of commits to return (max: 9)')])).toBeUndefined();
  });

  it.each<[string, readonly Parameter[], Case]>([
    ['the caller gave it', [LIMIT], { arguments: { limit: 3 } }],
    ['the answer is not known to be a list', [LIMIT], { isList: false }],
    ['it filters', [LIMIT], { query: { ...FIRST_TEN, filter: [{ path: ['a'], operator: 'equals', operand: 1 }] } }],
    ['it sorts', [LIMIT], { query: { ...FIRST_TEN, sort: [{ path: ['a'], order: 'asc' }] } }],
    ['it searches', [LIMIT], { query: { ...FIRST_TEN, text: { terms: ['a'] } } }],
    ['it sums', [LIMIT], { query: { ...FIRST_TEN, aggregate: [] } }],
    ['it takes the last', [LIMIT], { query: { ...FIRST_TEN, page: { style: 'backward', size: 10 } } }],
    [
      'it goes on after a cursor',
      [LIMIT],
      { query: { ...FIRST_TEN, page: { style: 'forward', size: 10, after: 'c' } } },
    ],
    ['it names the list', [LIMIT], { query: { ...FIRST_TEN, collection: ['items'] } }],
    ['the upstream has pages', [LIMIT, parameter('offset', 'Where to begin')], {}],
    ['the upstream gives more by itself', [parameter('limit', 'Number of commits to return (default 30)')], {}],
    ['two parameters may mean it', [LIMIT, parameter('max_results', 'Maximum number of results to return')], {}],
    ['the parameter is not described', [parameter('limit', '')], {}],
    ['it counts something else', [parameter('limit', 'Maximum number of messages to return')], {}],
    ['it counts lines', [parameter('limit', 'Maximum number of lines to return')], {}],
    ['it counts within each item', [parameter('limit', 'Maximum number of results to return per file')], {}],
    ['it limits what is searched', [parameter('limit', 'Maximum number of commits to scan')], {}],
    ['it is a text', [parameter('limit', 'Maximum number of commits to return', { type: 'string' })], {}],
  ])('is left to the gateway where %s', (_, parameters, given) => {
    expect(push(parameters, given)).toBeUndefined();
  });

  it('is left to the gateway for what does more than read', () => {
    const classification = {
      category: 'EXECUTE',
      danger: { level: 'safe', reasons: [] },
      confidence: 1,
      evidence: [],
    } as const;
    expect(push([LIMIT], { fields: { classification } })).toBeUndefined();
  });
});
