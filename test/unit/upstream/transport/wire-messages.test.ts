import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { exactTextOf } from '../../../../src/base/json/exact-result.js';
import { isJsonObject } from '../../../../src/base/json/json.js';
import { LargeMessage, MANY_VALUES } from '../../../../src/base/protocol/large-answer.js';
import { SplitAnswer, splitAnswer } from '../../../../src/upstream/transport/split-answer.js';
import {
  readMessageId,
  readMessages,
  recogniseMessage,
  splitLines,
  TOO_DEEP,
  type WrittenMessage,
  writeMessage,
} from '../../../../src/upstream/transport/wire-messages.js';

it('a message behind a byte order mark, with which some consoles begin their output, is read with all its digits', () => {
  const [message] = readMessages('\ufeff{"jsonrpc":"2.0","id":1,"result":{"n":[9007199254740993]}}\r');
  const result = message !== undefined && 'result' in message ? message.result : undefined;
  expect(isJsonObject(result) && exactTextOf(result, 'n')).toBe('[9007199254740993]');
});

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; overflows: string[] } {
  const lines: string[] = [];
  const overflows: string[] = [];
  const feed = splitLines({ maxBytes, onOverflow: (start) => overflows.push(start.toString('utf8')) });
  for (const chunk of chunks) lines.push(...feed(chunk));
  return { lines, overflows };
}

/** Cuts a buffer at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, at) => bytes.subarray(from, sorted[at] ?? bytes.length));
}

describe('splitLines', () => {
  it('finds the same lines however the bytes arrive', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''), 'utf8');
        expect(split(cut(bytes, places)).lines).toEqual(lines.filter((text) => text !== ''));
      }),
    );
  });

  it('cuts a line when it is asked for, and passes over many empty ones at once', () => {
    const chunk = Buffer.from(`${'\n'.repeat(50_000)}one\n${'\n'.repeat(10)}two\n`);
    const [first, second, ...rest] = splitLines({ maxBytes: 100 })(chunk);
    expect([first, second, rest]).toEqual(['one', 'two', []]);
    const lines = splitLines({ maxBytes: 100 })(Buffer.from('one\ntwo\n'))[Symbol.iterator]();
    expect(lines.next().value).toBe('one');
    expect(lines.next().value).toBe('two');
    expect(lines.next().done).toBe(true);
  });

  it('keeps back a line that is not complete', () => {
    expect(split([Buffer.from('one\ntw')]).lines).toEqual(['one']);
  });

  it('tells once of a line that is too long, drops it, and goes on with the next', () => {
    const chunks = ['short\n', 'far ', 'too ', 'long ', 'indeed\n', 'next\n'].map((text) => Buffer.from(text));
    expect(split(chunks, 6)).toEqual({ lines: ['short', 'next'], overflows: ['far too '] });
  });
});

describe('a line that is too long', () => {
  const padding = 'x'.repeat(2_000);

  it.each([
    ['first', `{"jsonrpc":"2.0","id":17,"result":{"text":"${padding}"}}`, 17],
    ['first, with spaces', `{ "jsonrpc": "2.0", "id": "a1", "result": {"text": "${padding}"} }`, 'a1'],
    ['last', `{"result":{"id":3,"text":"${padding}"},"jsonrpc":"2.0","id":17}`, 17],
    ['before the version', `{"result":{"text":"${padding}"},"id":17,"jsonrpc":"2.0"}`, 17],
    ['of the result only', `{"result":{"text":"${padding}","id":3},"more":{"id":4}}`, undefined],
    ['of a nested object that ends the text', `{"result":{"text":"${padding}","id":3}}`, undefined],
  ])('gives away its id where that stands %s', (_where, line, id) => {
    const ids: unknown[] = [];
    const feed = splitLines({
      maxBytes: 1_000,
      onSkipped: (skipped) => ids.push(readMessageId(skipped)),
    });
    for (const chunk of cut(Buffer.from(`${line}\n`), [300, 900, 1_100, 1_900])) Array.from(feed(chunk));
    expect(ids).toEqual([id]);
  });

  it('is given up once it goes on without an end', () => {
    let endless = 0;
    const feed = splitLines({
      maxBytes: 100,
      endlessBytes: 3_000,
      onEndless: () => {
        endless += 1;
      },
    });
    for (let sent = 0; sent < 100; sent += 1) Array.from(feed(Buffer.alloc(50, 'x')));
    expect(endless).toBe(1);
  });
});

const LONG = 'é.'.repeat(4 * 1024);

function call(args: object) {
  return {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'tools/call',
    params: { name: 'a', arguments: { ...args }, _meta: { b: 1 } },
  };
}

function textOf(written: WrittenMessage): string {
  return typeof written === 'string' ? written : Buffer.concat(written).toString('utf8');
}

it('writes what JSON.stringify writes, whatever long texts a call holds', () => {
  const values = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }).map((text) => LONG + text),
    fc.constantFrom(
      LONG,
      `${LONG}"`,
      `${LONG}\\`,
      `${LONG}\ud800`,
      `\u0000${LONG}`,
      `${LONG}\u007f\u2028`,
      `$&$1${LONG}`,
    ),
  );
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', '1', 'z', '$&'));
  fc.assert(
    fc.property(fc.dictionary(names, values), (args) => {
      expect(textOf(writeMessage(call(args)))).toBe(JSON.stringify(call(args)));
    }),
    { numRuns: 150 },
  );
});

it('does not walk a long text that needs no escapes', () => {
  const message = call({ text: LONG, other: LONG });
  const stringify = vi.spyOn(JSON, 'stringify');
  const text = textOf(writeMessage(message));
  const written = stringify.mock.results.map(({ value }) => String(value).length);
  stringify.mockRestore();
  expect(JSON.parse(text)).toEqual(message);
  expect(Math.max(...written)).toBeLessThan(1_000);
});

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const read = readMessages;
const refused = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: TOO_DEEP } });
const text = (length: number) => `"content":[{"type":"text","text":"${'x'.repeat(length)}"}]`;

describe('a message that is nested so deeply that writing it would exhaust the stack', () => {
  it.each([
    `"structuredContent":{"a":${nested(10_000)}}`,
    `"_meta":{"a":${nested(10_000)}}`,
    `"content":[{"type":"text","text":"x","annotations":${nested(10_000)}}]`,
    `${text(9_000)},"_meta":{"a":${nested(10_000)}}`,
  ])('fails its call alone, wherever it is deep: %#', (result) => {
    const answer = `{"jsonrpc":"2.0","id":3,"result":{${result}}}`;
    expect(splitAnswer([Buffer.from(answer)])).toBeUndefined();
    expect(read(answer)).toEqual([refused(3)]);
    expect(read(`[${answer},{"jsonrpc":"2.0","id":4,"result":{}}]`)).toEqual([refused(3), refused(4)]);
  });

  it('is not parsed where it is large, and fails the call whose id stands at one of its ends', () => {
    const deep = `"result":{"a":${nested(100_000)}}`;
    expect(read(`{"jsonrpc":"2.0","id":3,${deep}}`)).toEqual([refused(3)]);
    expect(read(`{${deep},"jsonrpc":"2.0","id":4}`)).toEqual([refused(4)]);
    expect(read(`{"jsonrpc":"2.0","id":5,"result":{"a":${'['.repeat(200_000)}}}`)).toEqual([refused(5)]);
  });

  it('is dropped where it answers nothing', () => {
    expect(read(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${nested(10_000)}}}`)).toEqual([]);
  });

  it('is read up to the depth that answers may have', () => {
    const answer = `{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"a":${nested(510)}}}}`;
    expect(read(answer)).toEqual([JSON.parse(answer)]);
  });
});

const objects = (count: number): string => `[${Array(count).fill('{}').join()}]`;
const answer = (result: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${result}}`);
const structured = (count: number): string => `{"content":[],"structuredContent":{"items":${objects(count)}}}`;

describe('a message', () => {
  it('of very many values is one for a thread, in memory of its own', () => {
    const bytes = answer(structured(MANY_VALUES.inJson));
    const large = recogniseMessage([bytes.subarray(0, 50), bytes.subarray(50)]);
    expect(large).toBeInstanceOf(LargeMessage);
    if (!(large instanceof LargeMessage)) return;
    expect(large.pieces[0]?.buffer).not.toBe(bytes.buffer);
    expect(large.join().equals(bytes)).toBe(true);
  });

  it('of as many bytes and fewer values is read here', () => {
    const bytes = answer(`{"content":[],"structuredContent":{"a":"${'x'.repeat(500_000)}"}}`);
    expect(recogniseMessage([bytes])).toBe(bytes.toString());
  });

  it('of very many values that answers nothing is read here', () => {
    const bytes = Buffer.from(`{"jsonrpc":"2.0","method":"notifications/message","params":${objects(60_000)}}`);
    expect(recogniseMessage([bytes])).toBe(bytes.toString());
  });

  it('of one long text stays unread, whatever the text holds', () => {
    const bytes = answer(`{"content":[{"type":"text","text":${JSON.stringify(objects(60_000))}}]}`);
    expect(recogniseMessage([bytes])).toBeInstanceOf(SplitAnswer);
  });
});
