import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { refuseDuplicate } from './answer-hot-request.js';
import { type AnswerPort, CallsInFlight } from './calls-in-flight.js';

/** Where the SDK's messages go that answer no registered request. */
export interface TransportOutlet {
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
  deliver(message: JSONRPCMessage, port: AnswerPort): void {
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
