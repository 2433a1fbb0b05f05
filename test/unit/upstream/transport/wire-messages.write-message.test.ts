import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { writeMessage } from '../../../../src/upstream/transport/wire-messages.js';

const LONG = 'é.'.repeat(4 * 1024);

function call(args: object) {
  return {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'tools/call',
    params: { name: 'a', arguments: { ...args }, _meta: { b: 1 } },
  };
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
      expect(writeMessage(call(args))).toBe(JSON.stringify(call(args)));
    }),
    { numRuns: 150 },
  );
});

it('does not walk a long text that needs no escapes', () => {
  const message = call({ text: LONG, other: LONG });
  const stringify = vi.spyOn(JSON, 'stringify');
  const text = writeMessage(message);
  const written = stringify.mock.results.map(({ value }) => String(value).length);
  stringify.mockRestore();
  expect(JSON.parse(text)).toEqual(message);
  expect(Math.max(...written)).toBeLessThan(1_000);
});
