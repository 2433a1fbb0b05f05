import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../../../src/upstream/split-answer.js';
import { messagesOf, TOO_DEEP } from '../../../../src/upstream/transport/wire-messages.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const read = (text: string) => messagesOf(JSON.parse(text), text);
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

  it('is dropped where it answers nothing', () => {
    expect(read(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${nested(10_000)}}}`)).toEqual([]);
  });

  it('is read up to the depth that answers may have', () => {
    const answer = `{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"a":${nested(510)}}}}`;
    expect(read(answer)).toEqual([JSON.parse(answer)]);
  });
});
