import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactTextOf,
  keepExactNumbers,
  replaceInItems,
  withExactText,
  writeExactMembers,
} from '../../../../src/base/json/exact-result.js';
import type { JsonObject } from '../../../../src/base/json/json.js';

function read(text: string): JsonObject {
  const message = JSON.parse(text);
  keepExactNumbers(message, text);
  return message.result;
}

describe('a result of which parsing changed numbers', () => {
  it.each([
    ['{"id":9007199254740993}'],
    ['{"a":[{"b":1e400}]}'],
    ['{"x":0.1000000000000000055511151231257827}'],
    ['{"text":"a\\"} ,{[\\\\","n":12345678901234567890}'],
    ['{ "n" : -123456789012345678901 , "s" : "]" }'],
  ])('keeps the text of %s', (structured) => {
    const result = read(
      `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":${structured},"isError":false}}`,
    );
    expect(exactTextOf(result, 'structuredContent')).toBe(structured);
    expect(exactTextOf({ ...result }, 'structuredContent')).toBe(structured);
    expect(writeExactMembers(result)).toBe(`"content":[],"structuredContent":${structured},"isError":false`);
  });

  it('is kept on one line, as messages of some transports end with a line', () => {
    const result = read('{"result":{"structuredContent":{\r\n  "n":\n 12345678901234567890,\n  "s": "a\\nb"}}}');
    expect(writeExactMembers(result)).toBe('"structuredContent":{   "n":  12345678901234567890,   "s": "a\\nb"}');
  });

  it.each([
    ['{"id":"9007199254740993"}'],
    ['{"at":1700000000000000}'],
    ['{"x":0.30000000000000004}'],
    ['{"hex":"1e400"}'],
  ])('keeps nothing of %s, which parsing did not change', (structured) => {
    expect(exactTextOf(read(`{"result":{"structuredContent":${structured}}}`), 'structuredContent')).toBeUndefined();
  });

  it('keeps the numbers of each tool in a list, also where some of it is written with another name', () => {
    const list = '[{"name":"a","inputSchema":{"maximum":9223372036854775807}},7,{"name":"b","limit":1e400}]';
    const { tools } = read(`{"id":1,"result":{"tools":${list}}}`) as { readonly tools: readonly JsonObject[] };
    const [first, , last] = tools;
    expect(writeExactMembers({ ...first, name: 's__a' })).toBe(
      '"name":"s__a","inputSchema":{"maximum":9223372036854775807}',
    );
    expect(writeExactMembers({ tools: [last, first, 7, { name: 'c' }] })).toBe(
      '"tools":[{"name":"b","limit":1e400},{"name":"a","inputSchema":{"maximum":9223372036854775807}},7,{"name":"c"}]',
    );
  });

  it('is kept of each message of a list', () => {
    const structured = ['{"n":12345678901234567890}', '{"n":1}', '{"n":[9007199254740993]}'];
    const messages = structured.map((one, id) => `{"id":${id},"result":{"content":[],"structuredContent":${one}}}`);
    const text = ` [ ${messages[0]} , 7,"],[" ,${messages[1]},\n${messages[2]}]`;
    const parsed = JSON.parse(text);
    keepExactNumbers(parsed, text);
    const results = parsed.filter((one: unknown) => typeof one === 'object').map((one: JsonObject) => one['result']);
    expect(results.map((result: JsonObject) => exactTextOf(result, 'structuredContent'))).toEqual([
      structured[0],
      undefined,
      structured[2],
    ]);
  });

  it.each(['[]', '[ ]', '[1]', '[[]]'])('is nothing of the list %s', (text) => {
    expect(() => keepExactNumbers(JSON.parse(text), text)).not.toThrow();
  });

  it('is no affair of members outside the result', () => {
    const message = JSON.parse('{"x":9007199254740993,"result":{}}');
    expect(() => keepExactNumbers(message, '{"x":9007199254740993,"result":{}}')).not.toThrow();
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    [
      '{"id":9007199254740993,"\\"12345678901234567890":[1,"1e400",1e400]}',
      { id: '9007199254740993', '"12345678901234567890': [1, '1e400', '1e400'] },
    ],
    [`["${'x'.repeat(100_001)}",9007199254740993]`, undefined],
    ['{"at":1700000000000000}', { at: 1700000000000000 }],
  ])("has the digits of an error's data as texts, or leaves it out where it is long: %.60s", (data, expected) => {
    const text = `{"id":1,"error":{"code":1,"message":"m","data":${data}}}`;
    const message = JSON.parse(text);
    keepExactNumbers(message, text);
    expect(message.error.data).toEqual(expected);
  });
});

it('a result is written with the numbers that it came with, whatever it holds', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
  const json = fc.oneof(
    digits,
    fc.json({ maxDepth: 3 }),
    fc.string().map((text) => JSON.stringify(text)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), json, digits)), (entries) => {
      const members = new Map(entries.map(([name, value, number]) => [name, `{"v":${value},"n":[${number}]}`]));
      const result = read(
        `{"id":1,"result":{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}}`,
      );
      for (const [name, text] of members) {
        if (name === '__proto__') continue;
        const written = exactTextOf(result, name) ?? JSON.stringify(result[name]);
        const numberOf = (from: string) => /"n":\[(-?\d+)\]\}$/.exec(from)?.[1];
        expect(numberOf(written)).toBe(numberOf(text));
      }
    }),
  );
});

describe('a copy of a result of which parsing changed numbers', () => {
  const CONTENTS = '[{"uri":"a:1","_meta":{"uri":"a:1","id":9007199254740993}},{"uri":"a:2"},7]';

  it('has the digits of its metadata, whatever members are added there', () => {
    const result = read('{"result":{"content":[],"_meta":{"id":9007199254740993,"own":12345678901234567890}}}');
    const meta = { ...(result['_meta'] as JsonObject), own: 'mine', more: 1 };
    expect(writeExactMembers(meta)).toBe('"id":9007199254740993,"own":"mine","more":1');
  });

  it('has no text of a member that was replaced', () => {
    const result = read(`{"result":{"contents":${CONTENTS}}}`);
    expect(writeExactMembers({ ...result, contents: [] })).toBe('"contents":[]');
  });

  it('has the digits of a list in whose items a text was replaced', () => {
    const result = read(`{"result":{"contents":${CONTENTS}}}`);
    const text = replaceInItems(CONTENTS, { name: 'uri', held: 'a:1', given: 'one:"a"' });
    const renamed = withExactText(result, 'contents', text);
    expect(writeExactMembers(renamed)).toBe(`"contents":${CONTENTS.replace('"a:1"', JSON.stringify('one:"a"'))}`);
  });
});
