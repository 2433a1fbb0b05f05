import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import type { Pieces } from '../../base/json/pieces.js';
import { LARGE_BYTES, LargeMessage, MessageBytes } from '../../base/protocol/large-answer.js';
import { PacedQueue } from '../../base/turns/turns.js';
import { type BodyReader, openDecoded, type ResponseFlow } from './decode-body.js';
import { EventReader, type ServerEvent } from './event-reader.js';
import { answerTooLong, UpstreamFault } from './fault.js';

/** Names and values in lower case, as undici hands them over. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A header's first value. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The media type of a body, without its parameters. */
export function mediaTypeOf(headers: ResponseHeaders): string | undefined {
  const type = headerOf(headers, 'content-type');
  // As most servers spell it.
  return type === 'application/json' ? type : type?.split(';', 1)[0]?.trim().toLowerCase();
}

/** The codings of a body that is compressed all the same, in the order in which they were applied. */
function codingsOf(headers: ResponseHeaders): readonly string[] {
  const codings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  return codings.map((coding) => coding.trim()).filter((coding) => coding !== '' && coding !== 'identity');
}

/** A charset beside the media type. Events are UTF-8, whatever is declared. */
const CHARSET = /;\s{0,20}charset\s{0,20}=\s{0,20}["']?([^\s"';]{1,40})/i;
const PLAIN_CHARSET = /^(?:utf-?8|us-ascii|ascii)$/i;

/**
 * Gives the reader UTF-8 where the server declares another charset, as some still do for JSON.
 * @throws UpstreamFault for a charset that is not known: its bytes would be read as other texts
 */
export function inUtf8(headers: ResponseHeaders, reader: BodyReader): BodyReader {
  const type = headerOf(headers, 'content-type');
  if (type === undefined || type === 'application/json') return reader;
  const charset = CHARSET.exec(type)?.[1];
  if (charset === undefined || PLAIN_CHARSET.test(charset)) return reader;
  const decoder = openDecoder(charset);
  const pass = (text: string): void => {
    if (text !== '') reader.read(Buffer.from(text));
  };
  return {
    read: (chunk) => pass(decoder.decode(chunk, { stream: true })),
    end: () => {
      pass(decoder.decode());
      return reader.end();
    },
  };
}

function openDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new UpstreamFault('malformed', `it is declared to be in the charset '${charset}', which is not known`);
  }
}

/** Types by which servers declare JSON that is none of theirs. Of others the body is not read. */
const LOOSE_TYPES: ReadonlySet<string> = new Set(['text/plain', 'text/json', 'application/octet-stream', '']);

/**
 * Takes a body that is JSON, as it is declared or as it plainly is.
 * @throws SdkError where it is declared as something else; so does the function that is returned
 */
export function asJson<T>(headers: ResponseHeaders, deliver: (body: T) => void): (body: T) => void {
  const type = mediaTypeOf(headers) ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return deliver;
  const fault = new SdkError(
    SdkErrorCode.ClientHttpUnexpectedContent,
    `the answer is '${type === '' ? 'nothing' : type}' instead of JSON or events`,
  );
  if (!LOOSE_TYPES.has(type)) throw fault;
  return (body) => {
    try {
      deliver(body);
    } catch (error) {
      throw error instanceof SyntaxError ? fault : error;
    }
  };
}

/** Whether the data of an event begin as a message does. */
export function mayBeJson(data: Pieces | LargeMessage): boolean {
  return data instanceof LargeMessage || /^[\ufeff\s]*[{[]/.test(data[0]?.toString('utf8', 0, 64) ?? '');
}

export function isEventStream(headers: ResponseHeaders): boolean {
  return mediaTypeOf(headers) === 'text/event-stream';
}

/**
 * One HTTP request and its response, handled chunk by chunk. undici's `dispatch` under this costs a fraction of its
 * `request` or `fetch`: no stream, no AbortController, no promise a chunk.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #open: (status: number, headers: ResponseHeaders, flow: ResponseFlow) => BodyReader;
  readonly #done: (error?: Error) => void;
  readonly #onBytes: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  #abortReason: Error | undefined;

  /**
   * @param open chooses the reader once status and headers are known.
   * @param done called once, with the error if the exchange did not come to its end.
   * @param onBytes called whenever something arrives: the server is alive.
   */
  constructor(
    open: (status: number, headers: ResponseHeaders, flow: ResponseFlow) => BodyReader,
    done: (error?: Error) => void,
    onBytes: () => void = () => {},
  ) {
    this.#open = open;
    this.#done = done;
    this.#onBytes = onBytes;
  }

  get aborted(): boolean {
    return this.#abortReason !== undefined;
  }

  /** Closes the response stream; `done` hears the reason. */
  abort(reason: Error): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.#onBytes();
    if (status < 200) return;
    try {
      const open = (flow: ResponseFlow): BodyReader => this.#open(status, headers, flow);
      this.#reader = openDecoded(codingsOf(headers), status, controller, open);
    } catch (error) {
      controller.abort(asError(error));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#onBytes();
    try {
      this.#reader?.read(chunk);
    } catch (error) {
      controller.abort(asError(error));
    }
  }

  onResponseEnd(): void {
    try {
      const ended = this.#reader?.end();
      if (ended !== undefined) {
        ended.then(
          () => this.#done(this.#abortReason),
          (error: unknown) => this.#done(asError(error)),
        );
        return;
      }
    } catch (error) {
      this.#done(asError(error));
      return;
    }
    this.#done();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reader?.cancel?.();
    this.#done(this.#abortReason ?? error);
  }
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

/** Reads a body whole. @param maxBytes what comes beyond it is an error. */
export function readBytes(onMessage: (message: Pieces | LargeMessage) => void, maxBytes: number): BodyReader {
  const body = new MessageBytes();
  let begun: Buffer = Buffer.alloc(0);
  return {
    read: (chunk) => {
      if (body.length + chunk.length > maxBytes) throw answerTooLong(maxBytes);
      if (body.length > 0) return body.add(chunk);
      begun = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
      if (begun.length >= BYTE_ORDER_MARK.length) body.add(withoutMark(begun));
    },
    end: () => {
      if (body.length === 0 && begun.length > 0) body.add(withoutMark(begun));
      onMessage(body.take());
    },
  };
}

/** Some servers put it before their JSON, and a parser may ignore it: https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** Reads the beginning of an error's body and lets the rest go by. */
export function readStart(onText: (text: string) => void, maxBytes = 64 * 1024): BodyReader {
  const chunks: Buffer[] = [];
  let held = 0;
  return {
    read: (chunk) => {
      if (held < maxBytes) chunks.push(chunk);
      held += chunk.length;
    },
    get isSated() {
      return held >= maxBytes;
    },
    end: () => onText(Buffer.concat(chunks).toString('utf8', 0, maxBytes)),
  };
}

/** Reads a body without using it, so that its connection can be used again. */
export const SKIP_BODY: BodyReader = { read: () => {}, end: () => {}, isSated: true };

interface EventHandlers {
  /** The data of an event of type `message`. */
  readonly onData: (data: Pieces | LargeMessage) => void;
  readonly onEventId: (id: string) => void;
  /** How long the server asks clients to wait before a new connection, in milliseconds. */
  readonly onRetry: (ms: number) => void;
}

/**
 * Reads server-sent events.
 * @param maxBytes an event whose data are longer is an error.
 */
export function readEvents(handlers: EventHandlers, maxBytes: number, flow: ResponseFlow): BodyReader {
  const events = new PacedQueue<ServerEvent>({
    handle: (event) => passEvent(event, handlers),
    costOf: ({ length }) => EVENT_UNITS + (length > LARGE_BYTES ? 0 : length),
    lane: 'events',
    source: flow,
    onFault: (fault) => {
      events.clear();
      flow.abort(asError(fault));
    },
  });
  const reader = new EventReader(
    {
      onEvent: (event) => events.push(event),
      onRetry: handlers.onRetry,
      onTooLong: () => {
        throw answerTooLong(maxBytes);
      },
    },
    maxBytes,
  );
  return {
    read: (chunk) => {
      const lines = reader.read(chunk);
      events.spend(CHUNK_UNITS + chunk.length + LINE_UNITS * lines);
    },
    end: () => {},
  };
}

/** Units of work that an event costs beside its bytes (it is decoded, parsed and passed on), and so a line, and a chunk. */
const EVENT_UNITS = 200;
const LINE_UNITS = 10;
const CHUNK_UNITS = 100;

function passEvent({ id, type, data, length }: ServerEvent, { onData, onEventId }: EventHandlers): void {
  if (id !== undefined && id !== '') onEventId(id);
  if (length > 0 && (type === '' || type === 'message')) onData(data);
}
