import type { ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { beginHttp, type RawRequest } from './raw-http.js';

/** A client that reads an answer when it is told to. */
export class SlowReader {
  readonly #connection: () => Socket | null;
  readonly #incoming: Promise<Readable>;
  #text = '';

  private constructor(connection: () => Socket | null, incoming: Promise<Readable>) {
    this.#connection = connection;
    this.#incoming = incoming;
    // Whoever resets the connection knows.
    incoming.then((each) => each.on('error', () => undefined)).catch(() => undefined);
  }

  /** Sends one request, and reads its body. */
  static ask(url: string, request: RawRequest): SlowReader {
    // Nobody else gets its connection.
    const outgoing = beginHttp(url, { ...request, headers: { ...request.headers, connection: 'close' } });
    const incoming = new Promise<Readable>((resolve, reject) =>
      outgoing.once('error', reject).once('response', resolve),
    );
    return new SlowReader(() => ignoreFaults(outgoing).socket, incoming);
  }

  /** Asks for a page so often in one connection, without waiting for the answers, which it reads with their heads. */
  static askOften(url: string, headers: Readonly<Record<string, string>>, times: number): SlowReader {
    const { host, hostname, port, pathname, search } = new URL(url);
    const head = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
    const lines = [...head, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n');
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`${`${lines}\r\n\r\n`.repeat(times - 1)}${lines}\r\nConnection: close\r\n\r\n`);
    return new SlowReader(() => socket, Promise.resolve(socket));
  }

  /** Reads until this has come, or everything where it is not given, and then no more. */
  async read(pattern?: RegExp): Promise<string> {
    const incoming = await this.#incoming;
    if (pattern?.test(this.#text) === true || incoming.closed) return this.#text;
    return new Promise((resolve) => {
      const done = (): void => {
        incoming.pause().off('data', take).off('close', done);
        resolve(this.#text);
      };
      const take = (chunk: Buffer): void => {
        this.#text += chunk.toString('latin1');
        if (pattern?.test(this.#text) === true) done();
      };
      incoming.on('data', take).once('close', done).resume();
    });
  }

  /** Forgets what has been read. */
  forget(): void {
    this.#text = '';
  }

  /** Sends no more. */
  halfClose(): void {
    this.#connection()?.end();
  }

  reset(): void {
    this.#connection()?.resetAndDestroy();
  }
}

function ignoreFaults(outgoing: ClientRequest): ClientRequest {
  return outgoing.on('error', () => undefined);
}
