import {
  type InitializeRequest,
  isJSONRPCResultResponse,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Peer, RequestId, Responder } from './calls-in-flight.js';
import { piecesOf } from './message-text.js';
import type { SdkAnswerer } from './sdk-transport.js';

/** A well-formed `initialize` with its id. */
export type Handshake = InitializeRequest & { readonly jsonrpc: '2.0'; readonly id: RequestId };

/** Answers the `initialize` of a new session. */
type HandshakeAnswerer = (message: Handshake, peer: Required<Peer>, responder: Responder) => void;

/** What the gateway has changes as servers come and go. */
const MOST_KEPT = 50;

/**
 * Remembers what the SDK answers to each protocol version, as its answer depends on nothing else but what the gateway has then. A server of the SDK for each
 * handshake is 9 kB of garbage that lives long enough to reach the old part of the heap: with 10,000 sessions 90 MB.
 */
export function createHandshakeAnswerer(answerWithSdk: SdkAnswerer, capabilities: () => unknown): HandshakeAnswerer {
  const results = new Map<string, string>();
  return (message, peer, responder) => {
    const { protocolVersion } = message.params;
    const key = `${protocolVersion} ${JSON.stringify(capabilities())}`;
    const known = results.get(key);
    if (known !== undefined) {
      responder.answer(`{"result":${known},"jsonrpc":"2.0","id":${JSON.stringify(message.id)}}`);
      return;
    }
    const remember = (text: string): void => {
      const answer: unknown = JSON.parse(text);
      if (!isJSONRPCResultResponse(answer)) return;
      if (results.size >= MOST_KEPT) results.clear();
      results.set(key, JSON.stringify(answer.result));
    };
    // Clients may ask for any text, of which only these are remembered.
    const isBounded = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion);
    answerWithSdk(message, peer, isBounded ? showAnswer(responder, remember) : responder);
  };
}

/** The same responder, whose answer is shown before it is sent. */
export function showAnswer(responder: Responder, show: (text: string) => void): Responder {
  return {
    cancellation: responder.cancellation,
    canNotify: responder.canNotify,
    notify: (text) => responder.notify(text),
    answer(message) {
      show(piecesOf(message).join(''));
      responder.answer(message);
    },
    cancel: (reason) => responder.cancel(reason),
    interrupt: (reason) => responder.interrupt(reason),
    onInterrupt: (listener) => responder.onInterrupt(listener),
  };
}
