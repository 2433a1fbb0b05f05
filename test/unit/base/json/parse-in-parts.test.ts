import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepExactNumbers, writeExactMembers } from '../../../../src/base/json/exact-result.js';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { parseInParts, parsePartsAtOnce } from '../../../../src/base/json/parse-in-parts.js';

/** What parsing gives, or that it failed, and in how many slices. */
function parse(text: string, wholeBytes?: number): { readonly value?: unknown; readonly slices: number } {
  const work = parseInParts(Buffer.from(text), wholeBytes === undefined ? {} : { wholeBytes });
  for (let slices = 1; ; slices += 1) {
    try {
      const step = work.next();
      if (step.done === true) return { value: step.value, slices };
    } catch (cause) {
      expect(cause).toBeInstanceOf(SyntaxError);
      return { slices };
    }
  }
}

function parseAtOnce(text: string): { readonly value?: unknown } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

describe('parsing in parts', () => {
  it('gives what JSON.parse gives, however small the parts are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), fc.nat(40), (value, space, wholeBytes) => {
        const text = JSON.stringify(value, null, space);
        expect(parse(text, wholeBytes).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('fails where JSON.parse fails', () => {
    const unit = fc.constantFrom(...'{}[]",:\\1-etrue \n');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.nat(6), (text, wholeBytes) => {
        const { slices: _slices, ...parsed } = parse(text, wholeBytes);
        expect(parsed).toEqual(parseAtOnce(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['{"__proto__":{"a":[1,2,3]},"b":1}', '{"a":1,"b":2,"a":3}', '{"2":1,"1":2,"x":[{"y":"}]\\""}]}'])(
    'keeps names as JSON.parse does: %s',
    (text) => {
      const { value } = parse(text, 4);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    },
  );

  it('takes a slice for each part of a long list, an object of many members, and what lies deep', () => {
    const list = Array.from({ length: 1_000 }, (_, index) => ({ name: `tool_${index}`, text: 'x'.repeat(1_000) }));
    const members = Object.fromEntries(list.map((tool) => [tool.name, tool]));
    const text = JSON.stringify({ result: { tools: list, deep: { members } } });
    const { value, slices } = parse(text, 10_000);
    expect(value).toEqual(JSON.parse(text));
    expect(slices).toBeGreaterThan(200);
  });

  it('takes as many slices for what lies deep as for what does not', () => {
    const small = `[${'{},'.repeat(50_000)}1]`;
    const deep = `${'['.repeat(100)}${small}${']'.repeat(100)}`;
    const [flat, nested] = [parse(small, 10_000), parse(deep, 10_000)];
    expect(nested.value).toEqual(JSON.parse(deep));
    expect(flat.slices).toBeGreaterThan(14);
    expect(nested.slices).toBeLessThan(flat.slices + 110);
  });

  it('takes slices for a long text, and changes none of its characters', () => {
    const unit = fc.constantFrom('"', '\\', '\n', '\u2028', 'é', '😀', '\ud83d', '\u0000', 'u', 'a');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), fc.nat(40), fc.boolean(), (text, wholeBytes, isEscaped) => {
        const json = JSON.stringify({ a: [text], [text]: text });
        const written = isEscaped ? json.replace(/[^ -~]/g, escapeUnit) : json;
        expect(parse(written, wholeBytes).value).toEqual(JSON.parse(json));
      }),
    );
    for (const character of ['"', 'x', '😀']) {
      const { value, slices } = parse(JSON.stringify({ text: character.repeat(1_000_000) }));
      expect(value).toEqual({ text: character.repeat(1_000_000) });
      expect(slices).toBeGreaterThan(7);
    }
  });

  it('keeps the numbers of a message as reading it at once does', () => {
    const number = fc.constantFrom(9007199254740993n, 12n);
    const value = fc.array(number, { maxLength: 3 }).map((list) => `{"a":[${list}],"b":${list[0] ?? 1}}`);
    const lists = fc.constantFrom('tools', 'contents', '_meta', 'x');
    fc.assert(
      fc.property(fc.array(fc.tuple(lists, fc.array(value), value)), fc.nat(60), (parts, wholeBytes) => {
        const members = parts.map(([name, list, one]) => `"${name}":${name === '_meta' ? one : `[${list}]`}`);
        const text = `{"id":1,"result":{${members}}}`;
        const whole = JSON.parse(text) as { result: JsonObject };
        keepExactNumbers(whole, text);
        const parsed = parsePartsAtOnce(Buffer.from(text), { wholeBytes, keepsNumbers: true });
        const { result } = parsed as { result: JsonObject };
        expect(writeExactMembers(result)).toBe(writeExactMembers(whole.result));
      }),
    );
  });

  it('does not parse at once what fails at its end', () => {
    for (const end of [',]', ']]', '}', ',"x]']) {
      const { value, slices } = parse(`[${'{},'.repeat(200_000)}1${end}`);
      expect(value).toBeUndefined();
      expect(slices).toBeGreaterThan(1);
    }
  });
});
