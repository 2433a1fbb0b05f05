import type { JSONRPCMessage, RequestId, TransportSendOptions } from '@modelcontextprotocol/client';
import { HttpExchange, SKIP_BODY } from './http-exchange.js';

/** Pause before a broken response stream is asked for again, unless the server names one. */
const RESUME_MS = 500;

interface PostedMessage {
  readonly message: JSONRPCMessage;
  readonly options: TransportSendOptions | undefined;
  readonly requestId: RequestId | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One POST, and the GETs that take up its response stream when it breaks. */
export interface Post extends PostedMessage {
  exchange: HttpExchange;
  answered: boolean;
  /** Whether it is refused, and ends when it is known whether the server knows the session. */
  isHeld: boolean;
  /** Whether an answer to another request came in place of this one's. */
  foreign: boolean;
  redirects: number;
  resumes: number;
  lastEventId: string | undefined;
  retryMs: number;
}

export function newPost({ message, options, requestId, resolve, reject }: PostedMessage): Post {
  return {
    message,
    options,
    requestId,
    resolve,
    reject,
    exchange: NO_EXCHANGE,
    answered: false,
    isHeld: false,
    foreign: false,
    redirects: 0,
    resumes: 0,
    lastEventId: undefined,
    retryMs: RESUME_MS,
  };
}

const NO_EXCHANGE = new HttpExchange(
  () => SKIP_BODY,
  () => {},
);
