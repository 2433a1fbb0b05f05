import { describe, expect, it } from 'vitest';
import { findInResult } from '../../../../src/results/stored/read-stored.js';

const RESULT = {
  items: [{ id: 1, body: 'text', 'a.b': true }, { id: 2 }],
  '3': 'three',
  none: [],
  empty: {},
  nothing: null,
  wide: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key_${index}`, index])),
};

describe('findInResult', () => {
  it.each([
    [undefined, RESULT, []],
    ['', RESULT, []],
    ['items[1].id', 2, ['items', 1, 'id']],
    ['items.1.id', 2, ['items', 1, 'id']],
    ['items[0]["a.b"]', true, ['items', 0, 'a.b']],
    ['3', 'three', ['3']],
    ['[3]', 'three', ['3']],
    ['nothing', null, ['nothing']],
  ])('finds the value at %j', (path, value, steps) => {
    expect(findInResult(RESULT, path)).toEqual({ path: steps, value });
  });

  it.each([
    ['items[2]', "'items' has no item '[2]': its items are '[0]' to '[1]'"],
    ['none[0]', "'none' is an empty list: there is no '0'"],
    [
      'items.body',
      "'items' is a list of 2 items, so 'body' needs an index before it: its items are '[0]' to '[1]'. To see 'body' of " +
        "every item, use 'fields'",
    ],
    ['items[0].bdy', "'items[0]' has no 'bdy' (did you mean 'body'?). It has 'id', 'body', 'a.b'"],
    ['empty.a', "'empty' has no 'a': it is empty"],
    ['items[0].body.a', "'items[0].body' is a text of 4 characters: there is no 'a' in it"],
    ['items[0].id[0]', "'items[0].id' is a number: there is no '0' in it"],
    ['nothing.a', "'nothing' is null: there is no 'a' in it"],
    [
      'a..b',
      "'path' cannot be read: 'a..b'. Write it like 'items[3].body', or 'files[\"a.b\"]' for a key with a dot or a bracket",
    ],
  ])('says of %j where the path ends and what is there', (path, message) => {
    expect(() => findInResult(RESULT, path)).toThrow(expect.objectContaining({ code: 'INTROSPECTION_ERROR', message }));
  });

  it.each(['constructor', '__proto__', 'items.length', 'items[0].toString'])(
    'finds no %j, which nobody sent',
    (path) => {
      expect(() => findInResult(RESULT, path)).toThrow(expect.objectContaining({ code: 'INTROSPECTION_ERROR' }));
    },
  );

  it('names the first of many keys and shortens long ones', () => {
    const wide = /It has 'key_0', .*'key_19' and 10 more$/;
    expect(() => findInResult(RESULT, 'wide.x')).toThrow(wide);
    const long = 'x'.repeat(10_000);
    const refused = (): unknown => findInResult({ [long]: 1 }, `y${long}`);
    expect(refused).toThrow(/^The result has no 'yx+…'.*It has 'x+…'$/);
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/.{400}/) }));
  });
});
