import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../../../src/upstream/transport/split-answer.js';
import { readMessages, TOO_DEEP } from '../../../../src/upstream/transport/wire-messages.js';

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
