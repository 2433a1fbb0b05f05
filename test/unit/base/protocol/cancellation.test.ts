import { expect, it, vi } from 'vitest';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';

it('a cancellation notifies its listeners once, and later listeners immediately', () => {
  const cancellation = new Cancellation();
  const early = vi.fn();
  cancellation.onCancel(early);
  expect(cancellation.cancelled).toBe(false);
  cancellation.cancel('first');
  cancellation.cancel('second');
  expect(early).toHaveBeenCalledTimes(1);
  expect(cancellation.reason).toBe('first');
  const late = vi.fn();
  cancellation.onCancel(late);
  expect(late).toHaveBeenCalledTimes(1);
});
