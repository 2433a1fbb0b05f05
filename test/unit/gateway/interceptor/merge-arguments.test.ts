import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../src/base/json/json.js';
import { deepMerge } from '../../../../src/gateway/interceptor/merge-arguments.js';

/** What a value is on the other side of a wire: member names as JSON has them, `__proto__` included. */
const object = (text: string) => JSON.parse(text) as JsonObject;

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString'),
  fc.string({ maxLength: 3 }),
);
const { value, anObject } = fc.letrec<{ value: unknown; anObject: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(null, 0, 1, 'text', true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('anObject'),
  ),
  // Through JSON, so that `__proto__` is a member like any other.
  anObject: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((members) => Object.fromEntries(members) as JsonObject),
}));

/** Every leaf of an object by its path; lists and empty objects are leaves. */
function leaves(of: JsonObject, path: readonly string[] = []): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(of).flatMap(([name, member]): [string, unknown][] => {
      const at = [...path, name];
      if (isJsonObject(member) && Object.keys(member).length > 0) return [...leaves(member, at)];
      return [[JSON.stringify(at), member]];
    }),
  );
}

describe('deepMerge', () => {
  it("merges the specification's examples", () => {
    const current = object('{"title":"Old Title","metadata":{"priority":"low","tags":["draft"],"author":"alice"}}');
    const input = object('{"title":"New Title","metadata":{"priority":"high","tags":["published","reviewed"]}}');
    expect(deepMerge(current, input)).toEqual({
      title: 'New Title',
      metadata: { priority: 'high', tags: ['published', 'reviewed'], author: 'alice' },
    });
  });

  // RFC 7396, appendix A: https://www.rfc-editor.org/rfc/rfc7396
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('merges %s with %s into %s', (current, change, expected) => {
    expect(deepMerge(JSON.parse(current), JSON.parse(change))).toEqual(JSON.parse(expected));
  });

  it('gives the same result when a change is merged twice', () => {
    fc.assert(
      fc.property(anObject, anObject, (current, change) => {
        const once = deepMerge(current, change);
        expect(deepMerge(once, change)).toEqual(once);
      }),
    );
  });

  it('keeps every member that the change does not name, and takes every one that it names, except null', () => {
    fc.assert(
      fc.property(anObject, anObject, (current, change) => {
        const merged = deepMerge(current, change) as JsonObject;
        for (const name of Object.keys(current)) {
          if (!Object.hasOwn(change, name)) expect(merged[name]).toEqual(current[name]);
        }
        const after = leaves(merged);
        for (const [path, leaf] of leaves(change)) {
          if (leaf === null) expect(after.has(path)).toBe(false);
          else if (!isJsonObject(leaf)) expect(after.get(path)).toEqual(leaf);
        }
      }),
    );
  });

  it('changes neither of its inputs, nor any prototype', () => {
    fc.assert(
      fc.property(anObject, anObject, (current, change) => {
        const before = JSON.stringify([current, change]);
        const merged = deepMerge(current, change);
        expect(JSON.stringify([current, change])).toBe(before);
        expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('replaces any value by any other that is not an object', () => {
    fc.assert(
      fc.property(value, value, (current, change) => {
        if (!isJsonObject(change)) expect(deepMerge(current, change)).toEqual(change);
        else expect(isJsonObject(deepMerge(current, change))).toBe(true);
      }),
    );
  });

  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"a":{"__proto__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ])('makes plain members of %s', (text) => {
    const merged = deepMerge(object('{"a":{"b":1}}'), object(text));
    expect(({} as JsonObject)['polluted']).toBeUndefined();
    expect(JSON.stringify(merged)).toContain('polluted');
  });
});
