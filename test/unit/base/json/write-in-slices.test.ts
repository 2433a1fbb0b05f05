import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExactResult } from '../../../../src/base/json/exact-result.js';
import { joinPieces } from '../../../../src/base/json/pieces.js';
import { takesLongToWrite, writeMembers } from '../../../../src/base/json/write-in-slices.js';

async function write(value: unknown): Promise<string> {
  const [member] = await writeMembers({ value });
  return joinPieces(member?.json ?? []).toString('utf8');
}

const repeat = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('writeMembers', () => {
  it.each([
    ['a long list of numbers', repeat(30_000, 0.5)],
    ['a long list of objects', repeat(20_000, { a: [1, 'x"\n\u2028'], b: null })],
    ['a long text with pairs and halves of characters', `${'x'.repeat(199_999)}😀${'\ud83d"\\'.repeat(100_000)}`],
    ['an object of long members', { a: repeat(10_000, []), 'b"': 'y'.repeat(500_000), c: {} }],
    [
      'many members, one of them a prototype',
      JSON.parse(`{"__proto__":{"a":1},${repeat(20_000, 0).map((_, i) => `"k${i}":${i}`)}}`),
    ],
    ['lists in lists', repeat(3, repeat(3, repeat(4_000, 'ab')))],
    ['groups of long texts', repeat(40, 'z'.repeat(20_000))],
  ])('writes %s as JSON.stringify does', async (_name, value) => {
    expect(takesLongToWrite(value)).toBe(true);
    expect((await write(value)) === JSON.stringify(value)).toBe(true);
  });

  it('writes any value as JSON.stringify does', async () => {
    const shape = fc.json({ depthSize: 'medium' }).map((text): unknown => JSON.parse(text));
    await fc.assert(
      fc.asyncProperty(shape, fc.integer({ min: 0, max: 3_000 }), async (value, times) => {
        const many = { value, list: repeat(times, value) };
        return (await write(many)) === JSON.stringify(many);
      }),
      { numRuns: 20 },
    );
  });

  it.each([2, 20_000])('writes the numbers of items as their server wrote them, in a list of %i', async (count) => {
    const items = repeat(count, '{"id":9007199254740993,"share":0.1,"name":"x"}').join(',');
    const { tools } = readExactResult(`{"tools":[${items},"a text"]}`);
    expect((await write(tools)) === `[${items},"a text"]`).toBe(true);
  });

  it('looks no further into a value than it has to', () => {
    let looked = 0;
    const list = new Proxy(repeat(10_000, 'x'.repeat(100)), {
      get(items, name) {
        looked += 1;
        return Reflect.get(items, name);
      },
    });
    expect(takesLongToWrite(list)).toBe(true);
    expect(looked).toBeLessThan(4_000);
  });
});
