import { expect, it } from 'vitest';
import { oncePerTool } from '../../../../src/base/protocol/once-per-tool.js';

it('computes each of several things once for each tool', () => {
  const asked: string[] = [];
  const ask = (what: string) =>
    oncePerTool((tool): string | null => {
      asked.push(`${what} ${String(tool['name'])}`);
      return tool['name'] === 'b' ? null : what;
    });
  const [length, split] = [ask('length'), ask('split')];
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  for (let time = 0; time < 2; time += 1) {
    expect([length(a), split(a), length(b), split(b)]).toEqual(['length', 'split', null, null]);
  }
  expect(asked).toEqual(['length a', 'split a', 'length b', 'split b']);
});
