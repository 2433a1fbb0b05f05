import { expect, it } from 'vitest';
import { unreadable } from '../../../src/gateway/shape-large.js';

it.each([
  ['busy', true, true],
  ['busy', false, false],
  ['timeout', true, false],
] as const)(
  'an answer that cannot be read (%s) of a call that may run twice (%s) is retryable: %s',
  (kind, mayRepeat, retryable) => {
    const { details } = unreadable(kind, { upstream: 'one', retryable: mayRepeat }, 1_000_000);
    expect(details).toMatchObject({ reason: 'answer_too_complex', outcome: 'ran', retryable });
  },
);
