import type { FailedRequest } from './upstream-failure.js';

/** Answers of more bytes are read by a thread of their own, so that other calls do not wait for that. */
export const LARGE_BYTES = 1024 * 1024;

/** A call that may have failed, as far as its error tells of it. */
export interface FailedCall extends FailedRequest {
  readonly tool: string;
  /** Whether it is safe to send again, because it only reads or is idempotent. */
  readonly repeatable: boolean;
}

interface LargeAnswerParts {
  /** The message as it came, unread: it may be an error, or no JSON at all. In memory that threads share. */
  readonly bytes: Buffer;
  /** The id of the request that it should answer. */
  readonly id: unknown;
  /** The gateway's own credentials, which it must not give away. */
  readonly credentials: readonly string[];
  readonly call: FailedCall;
}

/**
 * An upstream's answer to a call of more than `LARGE_BYTES`. What it holds is not known: only the stage that shapes answers
 * reads it, in a thread.
 */
export class LargeAnswer {
  readonly parts: LargeAnswerParts;
  readonly isError: undefined;

  constructor(parts: LargeAnswerParts) {
    this.parts = parts;
  }
}

/** The parts of a message in one piece; a large one in memory that threads share. */
export function joinBytes(parts: readonly Buffer[], length: number): Buffer {
  const [first] = parts;
  if (length <= LARGE_BYTES) return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, length);
  const joined = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const part of parts) at += part.copy(joined, at);
  return joined;
}
