import { expect, it, onTestFinished, vi } from 'vitest';
import { MessageBytes } from '../../../../src/base/protocol/large-answer.js';

it('the bytes of a message that come one by one are copied a few times, and none is lost', () => {
  const text = Buffer.from('0123456789'.repeat(20_000));
  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  const bytes = new MessageBytes();
  for (let at = 0; at < text.length; at += 1) bytes.add(text.subarray(at, at + 1));
  const taken = bytes.take();
  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  expect(copied).toBeLessThanOrEqual(2 * text.length);
  expect(Buffer.concat(taken as Buffer[]).equals(text)).toBe(true);
  expect(bytes.length).toBe(0);
});
