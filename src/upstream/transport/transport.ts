import type { RequestId, Transport } from '@modelcontextprotocol/client';
import type { UpstreamFault } from '../fault.js';

/** Largest single message, in bytes, that an upstream may send: a server that never ends a line must not fill the memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * The SDK's `Transport` and what the gateway needs beyond it. `send` settles when the message is delivered; where each
 * request has a response stream of its own it settles when that stream has ended, and rejects when it ended without an answer.
 */
export interface UpstreamTransport extends Transport {
  readonly kind: 'stdio' | 'http' | 'sse';
  /**
   * Told once, before `onclose`, when the server is gone or has forgotten the session: nothing new can be sent, but what is
   * in flight on a response stream of its own may still be answered.
   */
  onlost?: ((fault: UpstreamFault) => void) | undefined;
  /** Closes the response stream of one request, if it has one. */
  abandon?(id: RequestId): void;
}
