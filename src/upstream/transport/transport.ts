import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import type { LargeMessage } from '../../base/protocol/large-answer.js';
import type { UpstreamEndpoint } from '../../config/gateway-config.js';
import type { UpstreamFault } from './fault.js';
import type { SplitAnswer } from './split-answer.js';

/**
 * The SDK's `Transport` and what the gateway needs beyond it. `send` settles when the message is delivered; where each
 * request has a response stream of its own it settles when that stream has ended, and rejects when it ended without an answer.
 */
export interface UpstreamTransport extends Transport {
  readonly kind: UpstreamEndpoint['type'];
  /** Grows whenever anything arrives from the server, also a part of a message. Absent where only whole messages are seen. */
  readonly activity?: number;
  /** A message of the server's own that came on the response stream of a request, in place of `onmessage`. */
  onrelated?: ((message: JSONRPCMessage, requestId: RequestId) => void) | undefined;
  /** A message for a thread to read, because it is large or holds very many values, in place of `onmessage`. @param id of the request that it seems to answer */
  onlarge?: ((message: LargeMessage, id: RequestId) => void) | undefined;
  /** An answer that consists of one long text, in place of `onmessage`. */
  onanswer?: ((answer: SplitAnswer) => void) | undefined;
  /** Asked with the text of each message before it is parsed; `false` drops it. */
  admits?: ((text: string) => boolean) | undefined;
  /** A message was longer than it may be and was not kept. `undefined` where its id could not be read. */
  onoversize?: ((id: RequestId | undefined) => void) | undefined;
  /** A message could not be read, but holds the id of an answer. @param why in words that follow "its answer" in a fault */
  onmalformed?: ((id: RequestId, why: string) => void) | undefined;
  /**
   * Called once, before `onclose`, when the server is gone or has forgotten the session: nothing new can be sent, but what is
   * in flight on a response stream of its own may still be answered.
   */
  onlost?: ((fault: UpstreamFault) => void) | undefined;
  /** The server may have told of changes that were not heard. */
  onmissed?: (() => void) | undefined;
  /** Whether the server has no way to tell of changes unasked. */
  readonly isUnheard?: boolean;
  /** Closes the response stream of one request, if it has one. */
  abandon?(id: RequestId): void;
}
