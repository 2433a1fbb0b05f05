import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from '../../../../src/server/mcp/decode-message.js';
import { createResultWriter, type Era } from '../../../../src/server/mcp/write-result.js';

const writer = createResultWriter({ name: 'test', version: '1' }, { errors: 'all', structuredContent: false });
const decode = (bytes: Buffer, era: Era = 'legacy') =>
  decodeMessage(bytes, { era, writer, maxNestingDepth: 20, maxMembers: 1_000, maxValues: 250_000 });

const call = (args: string, id = 7) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"mcp_aql_delete","arguments":${args}}}`;

/** The failure that the model reads, or what a JSON-RPC error says. */
function failureOf(text: string, era: Era = 'legacy') {
  const decoded = decode(Buffer.from(text), era);
  if (decoded.kind !== 'refused') return undefined;
  const { result, error } = JSON.parse(decoded.refusal.text);
  return result === undefined ? error.data.error : JSON.parse(result.content[0].text).error;
}

describe('decodeMessage', () => {
  it('parses every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (message) => {
        const text = JSON.stringify(message);
        const decoded = decode(Buffer.from(text));
        expect(decoded).toEqual({ kind: 'message', message: JSON.parse(text) });
      }),
    );
  });

  it('reads characters of several bytes beside the signs of JSON, and numbers behind them', () => {
    const said = 'Ģ"[{,ü€😀\\'.repeat(50);
    const text = call(JSON.stringify({ operation: 'x', params: { [said]: [said, 1] } }));
    expect(decode(Buffer.from(text))).toEqual({ kind: 'message', message: JSON.parse(text) });
    const inexact = call(`{"operation":"x","params":{"said":${JSON.stringify(said)},"id":9007199254740993}}`);
    expect(failureOf(inexact)).toMatchObject({ details: { param_name: 'id', value: '9007199254740993' } });
  });

  it('names the first byte that is not UTF-8, also after valid replacement characters', () => {
    const clean = fc.array(fc.constantFrom('\uFFFD', 'a', 'ü', '€', '😀')).map((characters) => characters.join(''));
    fc.assert(
      fc.property(clean, fc.constantFrom(0xff, 0xfe, 0xc0, 0x80), fc.string(), (before, byte, after) => {
        const start = Buffer.from(before);
        const decoded = decode(Buffer.concat([start, Buffer.from([byte]), Buffer.from(after)]));
        if (decoded.kind !== 'refused') throw new Error('was not refused');
        expect(JSON.parse(decoded.refusal.text).error.data.error).toMatchObject({
          code: 'VALIDATION_INVALID_ENCODING',
          details: { byte_offset: start.length, location: `byte ${start.length} of the message` },
        });
      }),
    );
  });

  it('refuses a long message in which one object has too many members, and counts no others', () => {
    const objects = `[${'{"a":1,"b":[1,2,3]},'.repeat(20_000)}0]`;
    const members = (count: number): string => Array.from({ length: count }, (_, at) => `"${at}":{"a":[1,2]}`).join();
    const text = (count: number) => call(`{"operation":"x","params":{"list":${objects},"map":{${members(count)}}}}`);
    expect(failureOf(text(1_000))).toBeUndefined();
    expect(failureOf(text(1_001))).toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      details: { limit_type: 'object_members', limit_value: 1_000, actual_value: 1_001, unit: 'members' },
    });
  });

  it('refuses a message of more values than allowed, however short its lists are', () => {
    const text = (count: number) => call(`{"operation":"x","params":{"lists":[${'[1,[],{}],'.repeat(count)}0]}}`);
    expect(failureOf(text(30_000))).toBeUndefined();
    expect(failureOf(text(50_000))).toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      details: { limit_type: 'values', limit_value: 250_000, unit: 'values', setting: 'limits.maxValues' },
    });
  });

  it('names a character that is cut off at the end', () => {
    const decoded = decode(Buffer.from([0x22, 0xe2, 0x82]));
    expect(decoded).toMatchObject({ refusal: { text: expect.stringContaining('"byte_offset":1') } });
  });

  it.each<[string, string, string]>([
    ['{"operation":"delete_message","params":{"id":9007199254740993}}', 'id', '9007199254740993'],
    ['{"operation":"delete_message","id":1e-999}', 'id', '1e-999'],
    ['{"operation":"x","params":{"input":{"ids":[1,1234567890123456789]}}}', 'input.ids[1]', '1234567890123456789'],
    [
      '{"operations":[{"operation":"x","params":{"id":9007199254740993}}]}',
      'operations[0].params.id',
      '9007199254740993',
    ],
  ])('refuses %s in both eras: the number would become another one', (args, param, literal) => {
    for (const era of ['legacy', 'modern'] as const) {
      const failure = failureOf(call(args), era);
      expect(failure).toMatchObject({
        code: 'VALIDATION_OUT_OF_RANGE',
        details: { param_name: param, value: literal },
      });
      expect(failure.message).toContain(`send it as text ("${literal}")`);
    }
  });

  it('answers such a call under its own id, and leaves other messages and texts alone', () => {
    const refused = decode(Buffer.from(call('{"id":9007199254740993}')));
    expect(refused).toMatchObject({ refusal: { status: 200, text: expect.stringContaining('"id":7') } });
    expect(failureOf(call('{"id":"9007199254740993","n":1.0,"e":1e2}'))).toBeUndefined();
    expect(failureOf('{"jsonrpc":"2.0","method":"notifications/x","params":{"n":9007199254740993}}')).toBeUndefined();
  });

  it('finds such an argument behind any number of others that go nowhere', () => {
    const others = `"_meta":{"a":[${'9007199254740993,'.repeat(50)}1]}`;
    const text = call('{"id":9007199254740993}').replace('"params":{', `"params":{${others},`);
    expect(failureOf(text)).toMatchObject({ details: { param_name: 'id' } });
  });

  it.each(['9007199254740993', '1e999'])("refuses %s in what a client answers to a server's question", (number) => {
    const retried = call('{}').replace('"arguments"', `"inputResponses":{"q":{"content":{"x":${number}}}},"arguments"`);
    expect(failureOf(retried)).toMatchObject({ details: { param_name: 'inputResponses.q.content.x' } });
    const answered = decode(Buffer.from(`{"jsonrpc":"2.0","id":3,"result":{"content":{"x":${number}}}}`));
    const error = { code: -32602, message: expect.stringContaining(`'content.x' is ${number}`) };
    expect(answered).toEqual({ kind: 'message', message: { jsonrpc: '2.0', id: 3, error } });
  });

  it('refuses what is nested too deeply before it is parsed, wherever brackets stand in texts', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(failureOf(call(`{"a":${nested(19)}}`))).toBeUndefined();
    expect(failureOf(call(`{"a":${nested(500_000)}}`))).toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      details: { limit_type: 'nesting_depth', limit_value: 20 },
    });
    expect(failureOf('['.repeat(900_000))).toMatchObject({ code: 'VALIDATION_PAYLOAD_TOO_LARGE' });
    expect(failureOf(call(`{"a":${JSON.stringify(`\\"${'['.repeat(100)}\\`)}}`))).toBeUndefined();
  });
});
