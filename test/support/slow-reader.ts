import type { ClientRequest, IncomingMessage } from 'node:http';
import { beginHttp, type RawRequest } from './raw-http.js';

/** A client that reads an answer when it is told to. */
export class SlowReader {
  readonly #outgoing: ClientRequest;
  readonly #incoming: Promise<IncomingMessage>;
  #text = '';

  constructor(url: string, request: RawRequest) {
    // Nobody else gets its connection.
    this.#outgoing = beginHttp(url, { ...request, headers: { ...request.headers, connection: 'close' } });
    this.#incoming = new Promise((resolve, reject) => {
      this.#outgoing.once('error', reject).once('response', resolve);
    });
    // Whoever resets the connection knows.
    this.#incoming.then((response) => response.on('error', () => undefined)).catch(() => undefined);
  }

  /** Reads until this has come, or everything where it is not given, and then no more. */
  async read(pattern?: RegExp): Promise<string> {
    const response = await this.#incoming;
    if (pattern?.test(this.#text) === true || response.readableEnded) return this.#text;
    return new Promise((resolve) => {
      const done = (): void => {
        response.pause().off('data', take).off('close', done);
        resolve(this.#text);
      };
      const take = (chunk: Buffer): void => {
        this.#text += chunk.toString('latin1');
        if (pattern?.test(this.#text) === true) done();
      };
      response.on('data', take).once('close', done).resume();
    });
  }

  /** Forgets what has been read. */
  forget(): void {
    this.#text = '';
  }

  /** Sends no more. */
  halfClose(): void {
    this.#outgoing.socket?.end();
  }

  reset(): void {
    this.#outgoing.on('error', () => undefined).socket?.resetAndDestroy();
  }
}
