import {
  type FetchLike,
  type JSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { Agent, fetch } from 'undici';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { UpstreamFault } from '../fault.js';
import { describePlace, networkFault } from './network-fault.js';
import type { UpstreamTransport } from './transport.js';

/**
 * The HTTP+SSE transport of protocol 2024-11-05: the SDK's own, over undici. Its event source connects again by itself, but to
 * a server that has then forgotten the handshake; so the first break ends this transport and a new connection is made.
 */
export class SseTransport implements UpstreamTransport {
  readonly kind = 'sse';
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  onlost?: UpstreamTransport['onlost'];

  readonly #inner: SSEClientTransport;
  readonly #agent = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  readonly #place: string;
  #started = false;
  #networkError: unknown;
  #closing: Promise<void> | undefined;

  constructor(endpoint: HttpEndpoint) {
    const url = new URL(endpoint.url);
    this.#place = describePlace(url);
    this.#inner = new SSEClientTransport(url, {
      fetch: this.#fetch(),
      requestInit: { headers: { ...endpoint.headers } },
    });
    this.#inner.onmessage = (message) => this.onmessage?.(message);
    this.#inner.onerror = (error) => this.#afterError(error);
  }

  #fetch(): FetchLike {
    return async (url, init) => {
      // The types of undici and of the built-in fetch differ in name only.
      const options = { ...init, dispatcher: this.#agent } as unknown as Parameters<typeof fetch>[1];
      const response = await fetch(String(url), options).catch((error: unknown) => {
        this.#networkError = error;
        throw error;
      });
      const answer = response as unknown as Response;
      // The event source reports the status of its own requests.
      if (answer.ok || init?.method !== 'POST') return answer;
      const text = await answer.text().catch(() => '');
      throw httpError(answer.status, text);
    };
  }

  async start(): Promise<void> {
    try {
      await this.#inner.start();
    } catch (error) {
      throw this.#faultOf(error);
    }
    this.#started = true;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#inner.send(message);
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#inner.close();
    await this.#agent.destroy();
    this.onclose?.();
  }

  #afterError(error: Error): void {
    if (!(error instanceof SseError) || !this.#started || this.#closing !== undefined) {
      this.onerror?.(error);
      return;
    }
    this.onlost?.(new UpstreamFault('lost', `the event stream of ${this.#place} ended`, { cause: error }));
    void this.close();
  }

  /** The event source keeps nothing but the text of what went wrong on the network. */
  #faultOf(error: unknown): unknown {
    if (error instanceof SdkHttpError) return error;
    if (!(error instanceof SseError)) return networkFault(error, this.#place);
    return error.code === undefined
      ? networkFault(this.#networkError ?? error, this.#place)
      : httpError(error.code, '');
  }
}

function httpError(status: number, text: string): SdkHttpError {
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, text });
}
