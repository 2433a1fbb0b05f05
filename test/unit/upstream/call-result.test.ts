import { describe, expect, it } from 'vitest';
import { writeExactMembers } from '../../../src/base/json/exact-result.js';
import { isJsonObject } from '../../../src/base/json/json.js';
import { LargeMessage } from '../../../src/base/protocol/large-answer.js';
import { readLarge, UnreadMessage } from '../../../src/upstream/call-result.js';

describe('an answer of any size to a request that is no call', () => {
  it.each([
    ['resources/read', '"contents":[{"uri":"a:b","text":"x","_meta":{"id":9007199254740993}}]'],
    ['prompts/get', '"messages":[],"_meta":{"n":[12345678901234567890,1e400]}'],
    ['tools/list', '"tools":[{"name":"a","inputSchema":{"maximum":9223372036854775807}}]'],
    ['completion/complete', '"completion":{"values":[],"total":9007199254740993}'],
    ['tasks/result', '"content":[],"structuredContent":{"id":9007199254740993}'],
  ])('keeps the digits of what answers %s', async (_method, members) => {
    for (const filling of ['', 'z'.repeat(600_000)]) {
      const result = `${members},"filling":"${filling}"`;
      const message = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{${result}}}`);
      const read = await readLarge(new UnreadMessage(LargeMessage.copyOf([message]), 1));
      expect(isJsonObject(read['result']) && writeExactMembers(read['result'])).toBe(result);
    }
  });
});
