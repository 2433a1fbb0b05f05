import type { ThreadFault } from '../lib/thread-pool.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';

export const REASONS: Readonly<Record<ThreadFault['kind'], string>> = {
  memory: 'reading it takes too much memory',
  failed: 'the gateway failed to read it',
  ended: 'the gateway stopped before it was read',
  timeout: 'reading it takes too long',
  busy: 'too many others are being read',
};

/** The failure of a call whose answer cannot be read: it ran, so that only what may run twice is retryable. */
export function unreadable(
  kind: ThreadFault['kind'],
  { upstream, retryable }: Pick<Operation, 'upstream' | 'retryable'>,
  bytes: number,
): OperationError {
  return new OperationError(
    'INTERNAL_ERROR',
    `The server '${upstream}' gave an answer of ${bytes} bytes, but ${REASONS[kind]}. The call ran. Ask for less, for example for a page or a shorter range`,
    { upstream, reason: 'answer_too_complex', retryable: kind === 'busy' && retryable, outcome: 'ran' },
  );
}
