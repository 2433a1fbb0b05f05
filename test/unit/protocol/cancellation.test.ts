import { expect, it, vi } from 'vitest';
import { Cancellation } from '../../../src/protocol/cancellation.js';

it('tells its listeners once, and late ones at once', () => {
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
