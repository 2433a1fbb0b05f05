import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import {
  describeControls,
  describeQueryLanguage,
  exampleControls,
} from '../../../../../src/gateway/builtin/introspect/describe-controls.js';
import { PROTOCOL_TYPES } from '../../../../../src/gateway/builtin/introspect/types/protocol-types.js';
import { OPERATORS } from '../../../../../src/results/query/read-filter.js';
import { CONTROLS, type Control, type ControlSet } from '../../../../../src/results/query/result-types.js';
import { readQuery } from '../../../../../src/results/results.js';
import { anOperation } from '../../../../support/an-operation.js';
import { CONTROLLED } from '../../../../support/collection-source.js';

const named = (controls: readonly Control[], prefixed: readonly Control[] = []) =>
  new Map(controls.map((control) => [control, prefixed.includes(control) ? `_${control}` : control]));
const FIELDS = 'id number title state body user.login labels assignees milestone comments created_at updated_at'
  .split(' ')
  .map((name) => ({ name, type: 'string' }));
const COLLECTION: ControlSet = { kind: 'collection', names: named(CONTROLS), fields: FIELDS };
const OBJECT: ControlSet = { kind: 'object', names: named(CONTROLS) };
const AGE = { name: 'age_days', type: 'number', description: 'Days since creation', compute: () => 1 } as const;

const tokens = (value: unknown): number => encode(JSON.stringify(value)).length;
const describeOne = (control: Control, controls: ControlSet, operation = anOperation()) =>
  describeControls(operation, controls).find(({ name }) => name.endsWith(control))?.description;

describe('describeControls', () => {
  it('shows each control under the name that is accepted, all optional', () => {
    const controls = { ...COLLECTION, names: named(CONTROLS, ['filter', 'page']) };
    const described = describeControls(anOperation(), controls);
    expect(described.map(({ name }) => name)).toEqual([...controls.names.values()]);
    expect(described.filter(({ required }) => required)).toEqual([]);
  });

  it('explains controls once, by a type, and shows of an operation what is its own', () => {
    const described = describeControls(anOperation(), { ...COLLECTION, fields: [] });
    expect(tokens(described)).toBeLessThan(340);
    expect(JSON.stringify(described).split("name: 'Controls'")).toHaveLength(2);
    expect(described[0]?.description).toContain("introspect {query: 'types', name: 'Controls'}");
  });

  it("says which control is the gateway's where the upstream has one of that name, also for related controls", () => {
    const controls = { ...COLLECTION, names: named(CONTROLS, ['query', 'limit']) };
    expect(describeOne('query', controls)).toMatch(/^The gateway's 'query', on the answer\. /);
    expect(describeOne('offset', controls)).toBe("The gateway's.");
    expect(describeOne('sort', controls)).not.toMatch(/gateway/);
  });

  it('names presets, the operator’s among them, and computed fields', () => {
    const operation = anOperation({ presets: { brief: ['id'], minimal: ['id'] } });
    expect(describeOne('fields', OBJECT, operation)).toMatch(/^minimal, standard, full, brief, or a list/);
    expect(describeOne('fields', { ...OBJECT, computed: [AGE] })).toContain('_computed.age_days');
  });

  it('names operators, and as many known fields as fit', () => {
    const [filter = '', bare = ''] = [COLLECTION, { ...COLLECTION, fields: [] }].map((set) =>
      describeOne('filter', set),
    );
    for (const operator of OPERATORS.filter((name) => name !== 'equals')) expect(filter).toContain(operator);
    expect(filter).toContain(`Fields: ${FIELDS.map(({ name }) => name).join(', ')}`);
    expect(bare).not.toContain('Fields');
    const wide = Array.from({ length: 100 }, (_, index) => ({ name: `a_field_${index}`, type: 'string' }));
    expect(describeOne('filter', { ...COLLECTION, fields: wide })).toMatch(/…$/);
  });

  it('says in the type of numbers what they may be, of sizes what holds beside their partner alone, and here which presets there are', () => {
    const type = PROTOCOL_TYPES.find(({ name }) => name === 'Controls');
    const explained = new Map((type?.kind === 'object' ? type.fields : []).map((one) => [one.name, one]));
    expect([...explained.keys()]).toEqual(CONTROLS);
    expect(explained.get('limit')).toMatchObject({
      minimum: 0,
      description: expect.stringMatching(/1000; 20 with only offset$/),
    });
    expect(explained.get('offset')).toMatchObject({ minimum: 0 });
    expect(explained.get('page')).toMatchObject({ minimum: 1 });
    expect(explained.get('page_size')).toMatchObject({
      minimum: 1,
      description: expect.stringMatching(/20 with only page$/),
    });
    // A default would say that a call without any of them is cut.
    for (const each of explained.values()) expect(each).not.toHaveProperty('default');
    expect(explained.get('first')).toMatchObject({ minimum: 0, description: expect.stringContaining('1000') });
    expect([...explained.values()].filter(({ type, description }) => type === 'integer' && !description)).toEqual([]);
    const operation = anOperation({ presets: { brief: ['id'] } });
    const preset = describeControls(operation, COLLECTION).find(({ name }) => name === 'preset');
    expect(preset?.enum).toEqual(['minimal', 'standard', 'full', 'brief']);
  });

  it('uses types that introspection explains', () => {
    const known = new Set(['string', 'integer', 'boolean', ...PROTOCOL_TYPES.map(({ name }) => name)]);
    expect(describeControls(anOperation(), COLLECTION).filter(({ type }) => !known.has(type))).toEqual([]);
    const condition = PROTOCOL_TYPES.find(({ name }) => name === 'FilterCondition');
    const fields = condition?.kind === 'object' ? condition.fields.map(({ name }) => name) : [];
    expect(fields).toEqual(OPERATORS);
  });
});

describe('describeQueryLanguage', () => {
  it('describes aggregation and computed fields where there are any', () => {
    expect(describeQueryLanguage({ kind: 'none', names: new Map() })).toEqual({});
    expect(describeQueryLanguage({ ...OBJECT, computed: [AGE] })).toEqual({
      computed_fields: [
        { name: 'age_days', type: 'number', description: 'Days since creation', filterable: true, sortable: true },
      ],
      aggregation_support: {
        supported: true,
        default_mode: 'summary_only',
        functions: ['count', 'group_by', 'sum', 'avg', 'min', 'max'],
      },
    });
    const fields = [
      { name: 'state', type: 'string' },
      { name: 'size', type: 'integer' },
      { name: 'labels', type: 'array' },
    ];
    expect(describeQueryLanguage({ ...COLLECTION, fields, computed: [AGE] })).toMatchObject({
      aggregation_support: {
        groupable_fields: ['state', 'size', '_computed.age_days'],
        numeric_fields: ['size', '_computed.age_days'],
      },
    });
  });
});

describe('exampleControls', () => {
  it.each<[string, ControlSet]>([
    ['known fields', COLLECTION],
    ['one field', { ...COLLECTION, fields: [{ name: 'id', type: 'number' }] }],
    ['no known field', { ...COLLECTION, fields: [] }],
    ['other names', { ...COLLECTION, names: named(CONTROLS, CONTROLS) }],
  ])('combines several in a query that is understood: %s', (_, controls) => {
    const example = exampleControls(controls);
    const byName = new Map(Array.from(controls.names, ([control, name]) => [name, control]));
    const given = new Map(Object.entries(example).map(([name, value]) => [byName.get(name) as Control, value]));
    expect([...given.keys()]).toEqual(expect.arrayContaining(['fields', 'first']));
    expect(given.size).toBeGreaterThanOrEqual(3);
    expect(readQuery(given, CONTROLLED)).toMatchObject({ page: { style: 'forward', size: 10 } });
  });

  it('names only fields that are known', () => {
    expect(exampleControls(COLLECTION)).toMatchObject({
      filter: { id: { contains: 'example' } },
      sort: { field: 'id', order: 'desc' },
      fields: ['id', 'number'],
    });
    expect(exampleControls({ ...COLLECTION, fields: [] })).toEqual({ query: 'example', fields: 'minimal', first: 10 });
  });
});
