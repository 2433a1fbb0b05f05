import { describe, expect, it } from 'vitest';
import { LargeMessage, MANY_VALUES } from '../../../../src/base/protocol/large-answer.js';
import { SplitAnswer } from '../../../../src/upstream/transport/split-answer.js';
import { recogniseMessage } from '../../../../src/upstream/transport/wire-messages.js';

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
