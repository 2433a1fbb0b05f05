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
import { joinPieces, type Pieces } from '../../base/json/pieces.js';
import { LargeMessage } from '../../base/protocol/large-answer.js';
import { turns } from '../../base/turns/turns.js';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { EventReader } from './event-reader.js';
import { endedWithSession, forgotten, UpstreamFault } from './fault.js';
import type { HttpExchange } from './http-exchange.js';
import { configuredHeaders } from './http-headers.js';
import { describePlace, networkFault } from './network-fault.js';
import type { SocketOpener } from './outbound.js';
import { CHECK_ID, mayMeanLoss, type RefusedWith, readError, SessionDoubts } from './session-doubts.js';
import type { UpstreamTransport } from './transport.js';
import type { RequestCredentials } from './user-rights.js';
import { readMessageId, readMessages, recogniseMessage } from './wire-messages.js';

export interface SseTransportOptions {
  readonly endpoint: HttpEndpoint;
  readonly connect: SocketOpener;
  /** An answer that is longer fails its request alone. */
  readonly maxAnswerBytes: number;
  /** What requests carry beside the configured headers. */
  readonly credentials: RequestCredentials | undefined;
}

/** Where a message was last sent, and with what. */
interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

interface Requested {
  readonly answer: Response;
  /** What it was sent with. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The HTTP+SSE transport of protocol 2024-11-05: the SDK's own, over undici. Its event source connects again by itself, but to
 * a server that has then forgotten the handshake; so the first break ends this transport and a new connection is made. Where a
 * proxy keeps the stream of a server that is gone, the refusal of a message is what tells it (`session-doubts.ts`).
 */
export class SseTransport implements UpstreamTransport {
  readonly kind = 'sse';
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  onlost?: UpstreamTransport['onlost'];
  onoversize?: UpstreamTransport['onoversize'];
  onlarge?: UpstreamTransport['onlarge'];
  onanswer?: UpstreamTransport['onanswer'];
  admits?: UpstreamTransport['admits'];

  readonly #inner: SSEClientTransport;
  readonly #agent: Agent;
  readonly #credentials: RequestCredentials | undefined;
  readonly #place: string;
  readonly #maxAnswerBytes: number;
  readonly #doubts: SessionDoubts;
  #posted: Posted | undefined;
  #started = false;
  /** Whether anything has come in this session: a refusal before says nothing of it. */
  #isProven = false;
  #networkError: unknown;
  #closing: Promise<void> | undefined;

  constructor({ endpoint, connect, maxAnswerBytes, credentials }: SseTransportOptions) {
    this.#credentials = credentials;
    this.#agent = new Agent({ bodyTimeout: 0, headersTimeout: 0, connect });
    const url = new URL(endpoint.url);
    // `fetch` refuses an address that holds them.
    [url.username, url.password] = ['', ''];
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#place = describePlace(url);
    this.#inner = new SSEClientTransport(url, {
      fetch: this.#fetch(),
      requestInit: { headers: { ...configuredHeaders(endpoint) } },
    });
    this.#inner.onerror = (error) => this.#afterError(error);
    this.#doubts = new SessionDoubts({
      dispatch: (message, exchange) => this.#dispatch(JSON.stringify(message), exchange),
      onBytes: () => undefined,
      answersElsewhere: true,
    });
  }

  /** Sends a message of the gateway's own as the last one was sent. */
  #dispatch(body: string, exchange: HttpExchange): void {
    if (this.#posted === undefined) throw new TypeError('only what was sent can have been refused');
    const { url, headers } = this.#posted;
    const path = url.pathname + url.search;
    this.#agent.dispatch({ origin: url.origin, method: 'POST', path, headers, body }, exchange);
  }

  #fetch(): FetchLike {
    return async (url, init) => {
      const { answer, headers } = await this.#request(String(url), init ?? {}, true);
      // The event source reports the status of its own requests.
      if (init?.method !== 'POST') return answer.ok ? this.#bounded(answer) : answer;
      this.#posted = { url: new URL(answer.url), headers };
      if (answer.ok && !holdsJson(answer)) return answer;
      throw httpError(answer.status, await readBeginning(answer).catch(() => ''));
    };
  }

  /** Sends it once more where other credentials have come meanwhile: what was refused for them has not run. */
  async #request(url: string, init: RequestInit, mayRepeat: boolean): Promise<Requested> {
    const sent = (await this.#credentials?.headers()) ?? {};
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...sent };
    // The types of undici and of the built-in fetch differ in name only.
    const options = { ...init, headers, dispatcher: this.#agent } as unknown as Parameters<typeof fetch>[1];
    const response = await fetch(url, options).catch((error: unknown) => {
      this.#networkError = error;
      throw error;
    });
    const answer = response as unknown as Response;
    const { status } = answer;
    if (status !== 401 && status !== 403) return { answer, headers };
    const challenge = answer.headers.get('www-authenticate') ?? undefined;
    const isNew = await this.#credentials?.refused({ status, challenge, sent, isLast: !mayRepeat });
    if (!mayRepeat || isNew !== true) return { answer, headers };
    await answer.body?.cancel();
    return this.#request(url, init, false);
  }

  /**
   * The event source keeps an event until it is complete, joins it and parses it, however long: it gets no message, but only the
   * events that tell where messages go.
   */
  #bounded(answer: Response): Response {
    if (answer.body === null) return answer;
    const events = boundEvents(this.#maxAnswerBytes, (id) => this.onoversize?.(id));
    const body = answer.body.pipeThrough(events).pipeThrough(takeMessages((data) => this.#deliver(data)));
    const { status, statusText, headers, url, redirected } = answer;
    const bounded = new Response(body, { status, statusText, headers });
    // The event source resolves the address of the messages against the one that answered.
    return Object.defineProperties(bounded, { url: { value: url }, redirected: { value: redirected } });
  }

  #deliver(data: Pieces | LargeMessage): void {
    this.#isProven = true;
    const message = recogniseMessage(data);
    if (message instanceof LargeMessage) {
      const id = readMessageId(message.edges(EDGE_BYTES));
      if (id !== undefined) this.onlarge?.(message, id);
      return;
    }
    if (typeof message !== 'string') {
      this.onanswer?.(message);
      return;
    }
    if (this.admits?.(message) === false) return;
    try {
      for (const read of readMessages(message)) if (!isOfCheck(read)) this.onmessage?.(read);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
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
      const fault = await this.#afterRefusal(this.#faultOf(error));
      if (fault !== undefined) throw fault;
    }
  }

  /** What becomes of a message that was not taken; undefined where its answer comes on the stream. */
  async #afterRefusal(fault: unknown): Promise<unknown> {
    if (!(fault instanceof SdkHttpError)) return fault;
    const { status = 0, text } = fault.data as { readonly status?: number; readonly text?: string };
    const refusal: RefusedWith = { status, error: readError(text ?? '') };
    if (this.#isProven && this.#closing === undefined && mayMeanLoss(refusal)) {
      const verdict = await this.#doubts.judge(refusal);
      if (verdict !== 'known') {
        this.#lose(forgotten());
        return verdict === 'never-reached' ? forgotten() : endedWithSession();
      }
    }
    return status < 300 ? undefined : fault;
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
    this.#lose(new UpstreamFault('lost', `the event stream of ${this.#place} ended`, { cause: error }));
  }

  #lose(fault: UpstreamFault): void {
    if (this.#closing !== undefined) return;
    this.onlost?.(fault);
    void this.close();
  }

  /** The event source keeps nothing but the text of what went wrong on the network. */
  #faultOf(error: unknown): unknown {
    if (error instanceof SdkHttpError || error instanceof UpstreamFault) return error;
    if (!(error instanceof SseError)) return networkFault(error, this.#place);
    return error.code === undefined
      ? networkFault(this.#networkError ?? error, this.#place)
      : httpError(error.code, '');
  }
}

function httpError(status: number, text: string): SdkHttpError {
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, text });
}

/** How much of a refusal is read; more says nothing more. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Whether a message was answered where none is due: some servers say so, and with a success, that they do not know the session. */
function holdsJson({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('json') === true;
}

/** Whether it answers what `session-doubts.ts` has asked, of which the status was enough. */
function isOfCheck(message: JSONRPCMessage): boolean {
  return 'id' in message && message.id === CHECK_ID && !('method' in message);
}

async function readBeginning({ body }: Response): Promise<string> {
  if (body === null) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_REFUSAL_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_REFUSAL_BYTES).toString('utf8');
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How much of the beginning and end of a long event is kept: enough for the members around its result. */
const EDGE_BYTES = 512;

/**
 * Passes events on as they are complete, and drops those that are too long.
 * @param onTooLong is given the id of the JSON-RPC answer in the event, where its edges hold one
 */
export function boundEvents(
  maxBytes: number,
  onTooLong: (id: string | number | undefined) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let event = new HeldEvent(maxBytes);
  /** The bytes of the line that has not ended yet, as far as a blank line may have: one, and then a carriage return. */
  let lineBytes = 0;
  let beginsWithReturn = false;
  return new TransformStream({
    transform(bytes, controller) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let from = 0;
      /** What comes after it has not been held: lines of a few bytes are held together. */
      let heldTo = 0;
      while (from < chunk.length) {
        const feed = chunk.indexOf(LINE_FEED, from);
        const to = feed === -1 ? chunk.length : feed + 1;
        if (lineBytes === 0) beginsWithReturn = chunk[from] === CARRIAGE_RETURN;
        lineBytes += (feed === -1 ? to : feed) - from;
        from = to;
        if (feed === -1) break;
        const isBlank = lineBytes === 0 || (lineBytes === 1 && beginsWithReturn);
        lineBytes = 0;
        if (!isBlank) continue;
        event.hold(chunk.subarray(heldTo, to));
        heldTo = to;
        if (event.isTooLong) onTooLong(event.readId());
        else for (const part of event.take()) controller.enqueue(part);
        event = new HeldEvent(maxBytes);
      }
      if (heldTo < chunk.length) event.hold(chunk.subarray(heldTo));
    },
  });
}

/** Units of work that a line costs beside its bytes. */
const LINE_UNITS = 10;

/** Takes the messages out of a stream of events; the other events go on. A flood of lines waits for turns of its own. */
function takeMessages(onMessage: (data: Pieces | LargeMessage) => void): TransformStream<Uint8Array, Uint8Array> {
  let others: Buffer[] = [];
  const reader = new EventReader(
    {
      onEvent: ({ type, data, length }) => {
        if (type === '' || type === 'message') {
          if (length > 0) onMessage(data);
        } else if (!(data instanceof LargeMessage)) {
          others.push(
            Buffer.from(`event: ${type}\ndata: ${joinPieces(data).toString('utf8').replaceAll('\n', '\ndata: ')}\n\n`),
          );
        }
      },
      onRetry: () => undefined,
      onTooLong: () => {
        throw new RangeError('no event is longer than what has been let through');
      },
    },
    Number.POSITIVE_INFINITY,
  );
  return new TransformStream({
    async transform(bytes, controller) {
      const lines = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      turns.spend(bytes.length + LINE_UNITS * lines);
      for (const other of others) controller.enqueue(other);
      others = [];
      const room = turns.enter('events');
      if (room !== undefined) await room;
    },
  });
}

/** An event that has not ended yet; of one that is too long, its edges. */
class HeldEvent {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #edges: { readonly start: Buffer; end: Buffer } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLong(): boolean {
    return this.#edges !== undefined;
  }

  hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#edges === undefined) {
      this.#parts.push(part);
      if (this.#bytes <= this.#maxBytes) return;
      const all = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#edges = { start: Buffer.from(all.subarray(0, EDGE_BYTES)), end: Buffer.from(all.subarray(-EDGE_BYTES)) };
    } else
      this.#edges.end = Buffer.from(Buffer.concat([this.#edges.end, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES));
  }

  /** In the parts in which it came. */
  take(): readonly Buffer[] {
    return this.#parts;
  }

  /** The id of the answer in the data, without the names of the event's fields. */
  readId(): string | number | undefined {
    const dataOf = (edge: Buffer | undefined): Buffer =>
      Buffer.from(
        (edge ?? Buffer.alloc(0))
          .toString('utf8')
          .replace(/^(?:(?:event|id|retry|):.*\r?\n)*data: ?/, '')
          .replace(/\r?\ndata: ?/g, '\n'),
      );
    return readMessageId({ start: dataOf(this.#edges?.start), end: dataOf(this.#edges?.end) });
  }
}
