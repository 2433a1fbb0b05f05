import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import { FailedAttempts } from '../../../src/upstream/repeats.js';
import { failedCallOf, translateFailure } from '../../../src/upstream/translate-failure.js';
import { type FaultKind, UpstreamFault } from '../../../src/upstream/transport/fault.js';
import '../../support/property-seed.js';

const CALL = { tool: 'set_price', arguments: {}, retryable: true };

interface Attempt {
  readonly error: unknown;
  /** Whether the server may have run it. */
  readonly delivered: boolean;
}

const fault = (kind: FaultKind, undelivered: boolean): Attempt => ({
  error: new UpstreamFault(kind, `it was ${kind}`, { undelivered }),
  delivered:
    !undelivered && !['forgotten', 'unavailable', 'stopped', 'full', 'busy', 'command', 'cancelled'].includes(kind),
});

const refused: Attempt = {
  error: new OperationError('PERMISSION_DENIED', 'it has changed', { outcome: 'not_run' }),
  delivered: false,
};

const attempts: readonly Attempt[] = [
  ...(['lost', 'exited', 'unresponsive', 'outgrown'] as const).flatMap((kind) => [
    fault(kind, false),
    fault(kind, true),
  ]),
  ...(['unavailable', 'stopped', 'full', 'busy', 'command', 'cancelled'] as const).map((kind) => fault(kind, false)),
  fault('forgotten', true),
  fault('timeout', false),
  fault('timeout', true),
  refused,
];

/** How a call ends whose attempts fail one after the other as given, and how many of them were made. */
function end(row: readonly Attempt[], retryable: boolean) {
  const failed = new FailedAttempts();
  let made = 0;
  let ended: unknown;
  for (const { error } of row) {
    made += 1;
    const again = failed.add(error, { retryable });
    ended = failed.endOf(error);
    if (again === undefined) break;
  }
  const { details } = translateFailure(ended, failedCallOf('one', { ...CALL, retryable }));
  return { made, outcome: details['outcome'] };
}

describe('the outcome of a call that was sent several times', () => {
  it('is that it did not run only where no attempt was delivered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...attempts), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (row, retryable) => {
          const { made, outcome } = end(row, retryable);
          if (outcome === 'not_run') expect(row.slice(0, made).some(({ delivered }) => delivered)).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is unknown where the second attempt finds no server', () => {
    const ran = fault('lost', false);
    for (const second of [
      fault('unavailable', false),
      fault('stopped', false),
      fault('full', false),
      fault('busy', false),
      refused,
    ])
      expect(end([ran, second], true)).toEqual({ made: 2, outcome: 'unknown' });
    expect(end([fault('lost', true), fault('unavailable', false)], true)).toEqual({ made: 2, outcome: 'not_run' });
  });
});

describe('a call', () => {
  it('that was never sent is sent up to three times, whether or not it may be repeated', () => {
    const unsent = fault('lost', true);
    for (const retryable of [true, false]) expect(end(Array(5).fill(unsent), retryable).made).toBe(3);
  });

  it('that the server may have run is sent once more where it may be repeated, and not at all otherwise', () => {
    const ran = fault('lost', false);
    expect(end(Array(5).fill(ran), true).made).toBe(2);
    expect(end(Array(5).fill(ran), false).made).toBe(1);
  });
});
