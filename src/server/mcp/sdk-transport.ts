import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Observer } from '../../base/observe/observation.js';
import { callerOf } from '../../base/protocol/caller.js';
import { CallsInFlight, type Peer, type Responder } from './calls-in-flight.js';
import { refuseDuplicate } from './fast-path.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import type { SdkServerFactory } from './sdk-server.js';

/** Answers any legacy request through the SDK's protocol layer. */
export type SdkAnswerer = (message: JSONRPCMessage, peer: Required<Peer>, responder: Responder) => void;

/** Receives the SDK's messages that answer no registered request. */
interface TransportOutlet {
  /** Notifications and requests of the server's own, and responses to long-lived requests. */
  send(text: string): void;
  /** Called once the SDK is ready for messages. */
  onStart?(): void;
}

/** Requests that stay unanswered by design: they are subscriptions and do not count as in flight. */
const LONG_LIVED: ReadonlySet<string> = new Set(['subscriptions/listen']);

/** Connects the SDK's protocol layer with the responders of the requests. */
export class ServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly calls: CallsInFlight;
  readonly #outlet: TransportOutlet;
  #closed = false;

  /** @param calls where requests are registered; several transports may share one. */
  constructor(outlet: TransportOutlet, calls = new CallsInFlight()) {
    this.#outlet = outlet;
    this.calls = calls;
  }

  async start(): Promise<void> {
    this.#outlet.onStart?.();
  }

  /** Passes a message to the SDK. `responder` sends the response to a request. */
  deliver(message: JSONRPCMessage, responder: Responder): void {
    const registered = isJSONRPCRequest(message) && !LONG_LIVED.has(message.method);
    if (registered) {
      const { id } = message;
      if (!this.calls.begin(id, responder)) {
        responder.answer(refuseDuplicate(id));
        return;
      }
      responder.onInterrupt((reason) => {
        this.calls.take(id, responder);
        responder.answer(writeRpcError(id, RPC_ERROR.refused, `Not answered: ${reason}.`));
      });
    }
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const text = JSON.stringify(message);
    const isResponse = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const id = isResponse ? message.id : options?.relatedRequestId;
    const responder = id === undefined ? undefined : isResponse ? this.calls.take(id) : this.calls.get(id);
    if (responder === undefined) this.#outlet.send(text);
    else if (isResponse) responder.answer(text);
    else responder.notify(text);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/**
 * Creates a server for each request, which is freed once it has answered. A server per session would take 5 kB for the
 * session's lifetime and answer little but the handshake: it has no state, and tool calls take the fast path.
 */
export function createSdkAnswerer(createServer: SdkServerFactory, observe: Observer): SdkAnswerer {
  return (message, peer, responder) => {
    const { caller, calls } = peer;
    const transport = new ServerTransport({ send: () => undefined }, calls);
    const reportDefect = (cause: unknown): void =>
      observe({ kind: 'defect', where: 'answering a legacy request', cause });
    responder.cancellation.onCancel(() => {
      // A server whose transport is closed aborts its requests and never answers them.
      if (isJSONRPCRequest(message)) calls.take(message.id, responder);
      transport.close().catch(reportDefect);
    });
    createServer('legacy', () => ({ caller: callerOf(caller, responder.carried) }))
      .connect(transport)
      .then(() => transport.deliver(message, responder))
      .catch(reportDefect);
  };
}
