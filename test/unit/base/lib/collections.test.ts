import { expect, it } from 'vitest';
import { getOrMake, oncePer } from '../../../../src/base/lib/collections.js';

it('computes each of several things once for each object', () => {
  const asked: string[] = [];
  const ask = (what: string) =>
    oncePer((tool: { readonly name: string }): string | null => {
      asked.push(`${what} ${tool.name}`);
      return tool.name === 'b' ? null : what;
    });
  const [length, split] = [ask('length'), ask('split')];
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  for (let time = 0; time < 2; time += 1) {
    expect([length(a), split(a), length(b), split(b)]).toEqual(['length', 'split', null, null]);
  }
  expect(asked).toEqual(['length a', 'split a', 'length b', 'split b']);
});

it('makes what a map does not hold, once', () => {
  const kept = new Map<string, number>();
  expect([getOrMake(kept, 'a', () => 1), getOrMake(kept, 'a', () => 2), kept.get('a')]).toEqual([1, 1, 1]);
});
