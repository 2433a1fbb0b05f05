import { expect, it } from 'vitest';
import { explainParamsFault } from '../../../src/server/mcp/params-fault.js';

const failed = (code: number, message: string) => ({ jsonrpc: '2.0', id: 1, error: { code, message } }) as const;

it("says in words which parameters of a request are malformed, as JSON-RPC's error for that", () => {
  const dump = JSON.stringify([
    { code: 'invalid_type', path: ['params', 'cursor'], message: 'expected string, received object' },
  ]);
  expect(explainParamsFault(failed(-32603, dump))).toEqual(
    failed(-32602, "Invalid request: 'params.cursor': expected string, received object"),
  );
});

it.each([failed(-32603, 'broken'), failed(-32603, '[not JSON'), failed(-32601, '[{}]')])(
  'keeps other errors: %j',
  (error) => {
    expect(explainParamsFault(error)).toBe(error);
  },
);
