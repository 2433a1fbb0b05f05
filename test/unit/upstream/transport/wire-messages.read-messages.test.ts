import { expect, it } from 'vitest';
import { exactTextOf } from '../../../../src/base/json/exact-result.js';
import { isJsonObject } from '../../../../src/base/json/json.js';
import { readMessages } from '../../../../src/upstream/transport/wire-messages.js';

it('a message behind a byte order mark, with which some consoles begin their output, is read with all its digits', () => {
  const [message] = readMessages('\ufeff{"jsonrpc":"2.0","id":1,"result":{"n":[9007199254740993]}}\r');
  const result = message !== undefined && 'result' in message ? message.result : undefined;
  expect(isJsonObject(result) && exactTextOf(result, 'n')).toBe('[9007199254740993]');
});
