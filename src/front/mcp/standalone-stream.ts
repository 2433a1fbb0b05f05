import type { ServerResponse } from 'node:http';
import { toSseEvent } from './sse-stream.js';

/** A legacy session's GET stream, while there is one. */
export class StandaloneStream {
  #response: ServerResponse | undefined;

  /** Takes an open event stream. A client that opens another one has lost the first, which ends. */
  attach(response: ServerResponse): void {
    this.end();
    this.#response = response;
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
  }

  /** Sends a message (JSON text); without a stream it is lost, as the protocol has it. */
  write(text: string): void {
    this.#response?.write(toSseEvent(text));
  }

  end(): void {
    this.#response?.end();
    this.#response = undefined;
  }
}
