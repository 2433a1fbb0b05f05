import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { type Responder, splitBatch } from '../../../../src/server/mcp/calls-in-flight.js';

function recordingPort(): Responder & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    cancellation: new Cancellation(),
    canNotify: true,
    notify: (text) => seen.push(`notify ${text}`),
    answer: (message) => seen.push(String(message)),
    cancel: () => seen.push('cancelled'),
    interrupt: () => undefined,
    onInterrupt: () => undefined,
  };
}

describe('splitBatch', () => {
  it('answers the batch once, with all answers', () => {
    const batch = recordingPort();
    const [first, second, third] = splitBatch(3, batch);
    third?.answer('3');
    first?.answer('1');
    first?.answer('1 again');
    expect(batch.seen).toEqual([]);
    second?.cancel('enough');
    expect(batch.seen).toEqual(['[3,1]']);
    expect(second?.cancellation.reason).toBe('enough');
  });

  it('cancels the batch when every request was cancelled', () => {
    const batch = recordingPort();
    for (const responder of splitBatch(2, batch)) responder.cancel('enough');
    expect(batch.seen).toEqual(['cancelled']);
  });

  it('cancels every request when the client disconnects', () => {
    const batch = recordingPort();
    const responders = splitBatch(2, batch);
    batch.cancellation.cancel('gone');
    expect(responders.map(({ cancellation }) => cancellation.cancelled)).toEqual([true, true]);
  });
});
