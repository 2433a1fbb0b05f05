import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Observer } from '../../observe/observation.js';
import { refuseDuplicate } from './answer-fast.js';
import { CallsInFlight, type Peer, type Responder } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import type { SdkServerFactory } from './sdk-server.js';

/** Answers any legacy request through the SDK's protocol layer. */
export type SlowAnswerer = (message: JSONRPCMessage, peer: Required<Peer>, port: Responder) => void;

/** Where the SDK's messages go that answer no registered request. */
interface TransportOutlet {
  /** Notifications and requests of the server's own, and responses to long-lived requests. */
  send(text: string): void;
  /** Called once the SDK is ready for messages. */
  onStart?(): void;
}

/** Requests that stay unanswered by design: not in flight, but subscribed. */
const LONG_LIVED: ReadonlySet<string> = new Set(['subscriptions/listen']);

/** The thin end between the SDK's protocol layer and the ports that requests came from. */
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

  /** Hands a message to the SDK. `port` is where the response to a request goes. */
  deliver(message: JSONRPCMessage, port: Responder): void {
    const registered = isJSONRPCRequest(message) && !LONG_LIVED.has(message.method);
    if (registered && !this.calls.begin(message.id, port)) port.answer(refuseDuplicate(message.id));
    else this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const text = JSON.stringify(message);
    const isResponse = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const id = isResponse ? message.id : options?.relatedRequestId;
    const port = id === undefined ? undefined : isResponse ? this.calls.take(id) : this.calls.get(id);
    if (port === undefined) this.#outlet.send(text);
    else if (isResponse) port.answer(text);
    else port.notify(text);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/**
 * Gives each request a server of its own, which is garbage once it has answered. A session's server would be awake for the
 * handshake alone and sleep in 5 kB for the rest of its life: what it offers has no state, and tool calls are hot.
 */
export function createSlowAnswerer(
  createServer: SdkServerFactory,
  questions: OpenQuestions,
  observe: Observer,
): SlowAnswerer {
  return (message, peer, port) => {
    const { caller, calls } = peer;
    const transport = new ServerTransport({ send: () => undefined }, calls);
    const reportDefect = (cause: unknown): void =>
      observe({ kind: 'defect', where: 'answering a legacy request', cause });
    port.cancellation.onCancel(() => {
      // A server whose transport is closed aborts what it was doing and never answers.
      if (isJSONRPCRequest(message)) calls.forget(message.id, port);
      transport.close().catch(reportDefect);
    });
    createServer('legacy', () => ({ caller, user: questions.channel(peer, port) }))
      .connect(transport)
      .then(() => transport.deliver(message, port))
      .catch(reportDefect);
  };
}
