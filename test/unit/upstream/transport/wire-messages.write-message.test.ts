import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type WrittenMessage, writeAhead, writeMessage } from '../../../../src/upstream/transport/wire-messages.js';

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

describe('arguments that are written ahead', () => {
  /** No piece of a message may be much larger: a stream writes each at once. */
  const MOST_AT_ONCE = 1_000_000;

  it.each([
    ['a long list', { list: Array.from({ length: 100_000 }, (_, index) => index) }],
    ['a long text', { text: 'é"\ud83d\ude00'.repeat(500_000) }],
    ['many texts that are long together', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, LONG]))],
  ])('of %s become bytes in pieces, in their place in the message', async (_name, args) => {
    const message: JSONRPCMessage = call({ ...args, last: '$&' });
    await writeAhead((message.params as { arguments: Record<string, unknown> }).arguments);
    const written = writeMessage(message);
    expect(typeof written).not.toBe('string');
    expect(textOf(written) === JSON.stringify(message)).toBe(true);
    expect(Math.max(...[...written].map(({ length }) => length))).toBeLessThan(MOST_AT_ONCE);
  });

  it('are not where writing them takes no time', () => {
    expect(writeAhead({ list: [1, 2, 3], text: LONG })).toBeUndefined();
  });
});
