import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../../src/base/json/json.js';
import { parsePath } from '../../../../src/results/query/fields.js';
import { createProjection } from '../../../../src/results/query/select-fields.js';
import { SOURCE } from '../../../support/collection-source.js';

function select(item: unknown, ...fields: readonly string[]): unknown {
  return createProjection({ paths: fields.map((field) => parsePath(field)!) }, [item], SOURCE)(item);
}

function preset(name: string, items: readonly unknown[], ...fields: readonly string[]): readonly unknown[] {
  const selection = { preset: name, paths: fields.map((field) => parsePath(field)!) };
  return items.map(createProjection(selection, items, SOURCE));
}

const USER = {
  id: '123',
  name: 'Alice',
  email: 'alice@example.com',
  created_at: '2026-04-15',
  settings: { theme: 'dark', language: 'en', panels: [{ id: 1, open: true }, { id: 2 }, 'plain'] },
};

describe('createProjection with paths', () => {
  it.each<[fields: readonly string[], expected: unknown]>([
    [['id', 'name'], { id: '123', name: 'Alice' }],
    [['name', 'id'], { id: '123', name: 'Alice' }],
    [['id', 'settings.theme', 'settings.language'], { id: '123', settings: { theme: 'dark', language: 'en' } }],
    [['settings'], { settings: USER.settings }],
    [['settings.theme', 'settings'], { settings: USER.settings }],
    [['settings.panels.id'], { settings: { panels: [{ id: 1 }, { id: 2 }] } }],
    [['settings.panels.open'], { settings: { panels: [{ open: true }] } }],
    [['settings.panels.missing'], {}],
    [['missing', 'settings.missing', 'id.deeper', 'name'], { name: 'Alice' }],
    [['missing'], {}],
    [['name', '_computed.age_days'], { name: 'Alice', _computed: { age_days: 47 } }],
    [['_computed'], { _computed: { age_days: 47 } }],
    [['toString', '__proto__'], {}],
  ])('selects %j', (fields, expected) => {
    const selected = select(USER, ...fields);
    expect(selected).toEqual(expected);
    expect(JSON.stringify(selected)).toBe(JSON.stringify(expected));
  });

  it('prefers a key with dots to a nested one', () => {
    const item = { 'a.b': 1, a: { b: 2, c: 3 } };
    expect(select(item, 'a.b')).toEqual({ 'a.b': 1 });
    expect(select(item, 'a.b', 'a.c')).toEqual({ 'a.b': 1, a: { c: 3 } });
  });

  it('does not change values, empty lists and keys such as __proto__', () => {
    expect(select({ a: null, b: [], c: [[]] }, 'a', 'b.x', 'c')).toEqual({ a: null, b: [], c: [[]] });
    const hostile = JSON.parse('{"__proto__": {"x": 1}, "y": 2}');
    expect(JSON.stringify(select(hostile, '__proto__'))).toBe('{"__proto__":{"x":1}}');
  });

  it('does not change items without fields, and selects from the elements of items that are lists', () => {
    expect(['text', 7, null].map((item) => select(item, 'id'))).toEqual(['text', 7, null]);
    expect(select([{ id: 1, x: 2 }], 'id')).toEqual([{ id: 1 }]);
    expect(select([1], 'id')).toEqual([]);
  });

  it('keeps a member that an item itself calls _computed', () => {
    expect(select({ _computed: { own: 1, other: 2 } }, '_computed.own', '_computed.age_days')).toEqual({
      _computed: { own: 1, age_days: null },
    });
  });

  it('bounds the depth of nested items', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], { a: 1 });
    expect(select({ deep, id: 1 }, 'deep.a', 'id')).toEqual({ id: 1 });
  });
});

describe('createProjection with presets', () => {
  const issues = [
    {
      node_id: 'x1',
      id: 1,
      number: 7,
      title: 'Crash',
      url: 'u',
      state: 'open',
      body: 'b'.repeat(900),
      user: { login: 'ann' },
      labels: ['bug'],
    },
    {
      node_id: 'x2',
      id: 2,
      number: 8,
      title: 'Typo',
      url: 'v',
      state: 'open',
      body: 'short',
      user: { login: 'bob' },
      labels: [],
    },
    {
      node_id: 'x3',
      id: 3,
      number: 9,
      title: 'Idea',
      url: 'w',
      state: 'shut',
      body: 'c'.repeat(501),
      user: null,
      labels: ['ui', 'new'],
    },
  ];

  it('selects identifying fields for minimal, at most four', () => {
    expect(preset('minimal', issues)[0]).toEqual({ id: 1, number: 7, title: 'Crash', url: 'u' });
  });

  it.each<[item: Record<string, unknown>, fields: readonly string[]]>([
    [{ type: 'file', name: 'a.txt', size: 3 }, ['name']],
    [{ widget_id: 'w1', status: 'on', widgetName: 'Atlas' }, ['widget_id', 'widgetName']],
    [{ status: 'on', count: 3 }, ['status']],
    [{ nested: { id: 1 }, count: 3 }, ['count']],
    [{ nested: { id: 1 } }, ['nested']],
  ])('selects for minimal of %j the fields %j', (item, fields) => {
    expect(Object.keys(preset('minimal', [item])[0] as object)).toEqual(fields);
  });

  it('leaves nested objects and mostly long texts out of standard', () => {
    expect(Object.keys(preset('standard', issues)[0] as object)).toEqual([
      'node_id',
      'id',
      'number',
      'title',
      'url',
      'state',
      'labels',
    ]);
  });

  it('leaves long lists out of standard, and does not cut what it keeps', () => {
    const long = 'x'.repeat(600);
    const items = [{ note: long, ids: Array(21).fill(1) }, { note: 'a' }, { note: 'b' }];
    expect(preset('standard', items)).toEqual([{ note: long }, { note: 'a' }, { note: 'b' }]);
  });

  it('selects the whole item for full, and for any preset of items without plain fields', () => {
    expect(preset('full', issues)).toEqual(issues);
    expect(preset('full', [USER], '_computed.age_days')).toEqual([{ ...USER, _computed: { age_days: 47 } }]);
    expect(preset('standard', [{ node: { id: 1 } }])).toEqual([{ node: { id: 1 } }]);
  });

  it("prefers the operator's preset, and extends presets by paths", () => {
    expect(preset('contact', [USER])).toEqual([{ name: 'Alice', email: 'alice@example.com' }]);
    expect(preset('minimal', [{ id: 1, name: 'a', created_at: 'c', x: 2 }], 'created_at')).toEqual([
      { id: 1, name: 'a', created_at: 'c' },
    ]);
  });

  it('selects the same fields of every item', () => {
    const items = [{ id: 1, name: 'a' }, { id: 2, name: 'b', title: 'c' }, { id: 3 }];
    expect(preset('minimal', items)).toEqual(items);
  });
});

/** Whether everything in the part is in the whole, at its path; of a list, in its order. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part) && Array.isArray(whole)) {
    let from = 0;
    return part.every((element) => {
      const found = whole.findIndex((other, index) => index >= from && isPartOf(element, other));
      from = found + 1;
      return found >= 0;
    });
  }
  if (!isJsonObject(part) || !isJsonObject(whole)) return part === whole;
  return Object.keys(part).every((key) => Object.hasOwn(whole, key) && isPartOf(part[key], whole[key]));
}

/** The paths of all that an object holds; a list that is not all objects with members is one value. */
function leavesOf(value: unknown, parent: readonly string[] = []): readonly (readonly string[])[] {
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((element) => isJsonObject(element) && Object.keys(element).length > 0)
  ) {
    return value.flatMap((element) => leavesOf(element, parent));
  }
  const members = isJsonObject(value) ? Object.entries(value) : [];
  if (members.length === 0) return [parent];
  return members.flatMap(([key, member]) => leavesOf(member, [...parent, key]));
}

describe('a projection of any item', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, 'x', null, true),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const item = fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true });
  const path = fc.array(key, { minLength: 1, maxLength: 4 });

  it('contains only what the item has', () => {
    fc.assert(
      fc.property(item, fc.array(path), (given, paths) => {
        expect(isPartOf(createProjection({ paths }, [given], SOURCE)(given), given)).toBe(true);
      }),
    );
  });

  it('is the whole item for all its paths', () => {
    fc.assert(
      fc.property(item, (given) => {
        const paths = leavesOf(given).filter((leaf) => leaf.length > 0);
        expect(createProjection({ paths }, [given], SOURCE)(given)).toEqual(given);
      }),
    );
  });
});
