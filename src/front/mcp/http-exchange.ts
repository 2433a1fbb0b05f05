import type { ServerResponse } from 'node:http';
import { Cancellation } from '../../protocol/cancellation.js';
import type { AnswerPort } from './calls-in-flight.js';
import { sendJson, sendNothing } from './http-answer.js';
import { type SseStreams, toSseEvent } from './sse-stream.js';

/** Something that stays in memory while it is used and for an idle time afterwards. */
export interface Seat {
  /** Requests and streams that are open now. */
  open: number;
  /** When the last one closed, in milliseconds since the epoch. */
  lastUsedAt: number;
}

/**
 * One HTTP request that waits for its JSON-RPC response: plain JSON, or an event stream from the first message that comes
 * before the response. While it is open it holds the seat of its session.
 */
export class HttpExchange implements AnswerPort {
  readonly cancellation = new Cancellation();
  readonly canNotify: boolean;
  /** Undefined once answered: whoever still holds the exchange must not hold the connection's buffers. */
  #response: ServerResponse | undefined;
  readonly #streams: SseStreams;
  #streaming = false;

  /** @param acceptsStream whether the client can read an event stream. */
  constructor(response: ServerResponse, seat: Seat, streams: SseStreams, acceptsStream: boolean) {
    this.#response = response;
    this.#streams = streams;
    this.canNotify = acceptsStream;
    occupy(seat, response, () => {
      if (this.#finish() !== undefined) this.cancellation.cancel('the client closed the connection');
    });
  }

  notify(text: string): void {
    const response = this.#response;
    if (response === undefined || !this.canNotify) return;
    if (!this.#streaming) this.#streams.open(response);
    this.#streaming = true;
    response.write(toSseEvent(text));
  }

  answer(text: string): void {
    const response = this.#finish();
    if (response === undefined) return;
    if (this.#streaming) response.end(toSseEvent(text));
    else sendJson(response, 200, text);
  }

  /** Answers nothing: 202 is what a client gets for messages that have no answer. */
  cancel(reason: string): void {
    const response = this.#finish();
    if (response === undefined) return;
    this.cancellation.cancel(reason);
    if (this.#streaming) response.end();
    else sendNothing(response, 202);
  }

  /** The response, for the one who answers first. */
  #finish(): ServerResponse | undefined {
    const response = this.#response;
    this.#response = undefined;
    return response;
  }
}

/** Holds a seat until the response is closed, by whichever side. */
export function occupy(seat: Seat, response: ServerResponse, onClose?: () => void): void {
  seat.open += 1;
  response.once('close', () => {
    seat.open -= 1;
    seat.lastUsedAt = Date.now();
    onClose?.();
  });
}
