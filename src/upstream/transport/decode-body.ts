import { PassThrough, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { UpstreamFault } from './fault.js';

/** Takes a response body as it arrives. Throwing ends the exchange with that error. */
export interface BodyReader {
  read(chunk: Buffer): void;
  /** A promise where the end comes only after what has arrived is decoded. */
  end(): void | Promise<void>;
  /** The exchange has ended before the body did. */
  cancel?(): void;
  /** Whether what still comes is let go by, so that it need not be decoded. */
  readonly isSated?: boolean;
}

/** The response that a reader reads. */
export interface ResponseFlow {
  pause(): void;
  resume(): void;
  /** Ends the exchange with an error. */
  abort(error: Error): void;
}

// A body that is cut off gives what there is of it, as with `fetch`: the reader says what is missing.
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

type DecoderOf = (firstByte: number) => Transform;

/** How each coding is undone, by its first byte: some servers send the deflate format without its zlib header. */
const DECODERS: Readonly<Record<string, DecoderOf>> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB)),
  br: () => createBrotliDecompress(BROTLI),
};

/** More codings than any server means. */
const MOST_CODINGS = 5;

/**
 * Reads a body that a server compressed although no request asks for it, as some do.
 *
 * The reader bounds what it takes, so that a small body that grows without end is ended there. An error's body that cannot be decoded
 * gives what was read until then: its status says more.
 * @param codings in the order in which they were applied
 * @param open the reader of what is decoded, which paces the decoder by the flow that it gets
 * @throws UpstreamFault for more codings than are undone
 */
export function openDecoded(
  codings: readonly string[],
  status: number,
  response: ResponseFlow,
  open: (flow: ResponseFlow) => BodyReader,
): BodyReader {
  const last = codings.at(-1);
  if (last === undefined) return open(response);
  if (codings.length > MOST_CODINGS) throw new UpstreamFault('malformed', `it has ${codings.length} Content-Encodings`);
  const coding = last.slice(0, 40);
  const before = codings.slice(0, -1);
  const body = new DecodedBody(response, { coding, isError: status >= 300 });
  const reader = openDecoded(before, status, body, open);
  if (reader.isSated === true) return reader;
  const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  return body.passTo(reader, create ?? ((firstByte) => leaveUnknown(coding, before.length > 0 || isText(firstByte))));
}

/** Some servers name a charset there, `none`, or what a proxy before them has undone: such a body is taken as it is. */
function leaveUnknown(coding: string, isPlain: boolean): Transform {
  if (isPlain) return new PassThrough();
  const known = Object.keys(DECODERS).join(', ');
  const fault = new UpstreamFault('malformed', `it is compressed as '${coding}', which is none of ${known}`);
  return new Transform({ transform: (_chunk, _encoding, done) => done(fault) });
}

/** Whether JSON, an event or words may begin so, with a byte order mark or without. */
function isText(firstByte: number): boolean {
  return firstByte === 0xef || /[\s\w{["<:]/.test(String.fromCharCode(firstByte));
}

/** One body: its reader pauses the decoder, and the decoder the response. */
class DecodedBody implements ResponseFlow {
  readonly #response: ResponseFlow;
  readonly #body: { readonly coding: string; readonly isError: boolean };
  #decoder: Transform | undefined;
  #outcome: Promise<Error | undefined> = Promise.resolve(undefined);

  constructor(response: ResponseFlow, body: { readonly coding: string; readonly isError: boolean }) {
    this.#response = response;
    this.#body = body;
  }

  pause(): void {
    this.#decoder?.pause();
  }

  resume(): void {
    this.#decoder?.resume();
  }

  abort(error: Error): void {
    this.#decoder?.destroy(error);
  }

  passTo(reader: BodyReader, create: DecoderOf): BodyReader {
    return {
      read: (chunk) => {
        const [firstByte] = chunk;
        if (firstByte === undefined) return;
        this.#decoder ??= this.#open(create(firstByte), reader);
        if (!this.#decoder.destroyed && !this.#decoder.write(chunk)) this.#response.pause();
      },
      end: async () => {
        this.#decoder?.end();
        const fault = await this.#outcome;
        if (fault !== undefined) throw fault;
        await reader.end();
      },
      cancel: () => {
        this.#decoder?.destroy();
        reader.cancel?.();
      },
    };
  }

  #open(decoder: Transform, reader: BodyReader): Transform {
    decoder.on('drain', () => this.#response.resume());
    decoder.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk);
        if (reader.isSated === true) decoder.destroy();
      } catch (error) {
        decoder.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    this.#outcome = finished(decoder).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => this.#settle(error),
    );
    return decoder;
  }

  /** What the exchange fails with, if it does. */
  #settle(error: NodeJS.ErrnoException): Error | undefined {
    this.#response.resume();
    const { coding, isError } = this.#body;
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || isError) return undefined;
    const isZlibs = error.errno !== undefined;
    const fault = isZlibs
      ? new UpstreamFault('malformed', `it is not '${coding}', as its Content-Encoding says`)
      : error;
    this.#response.abort(fault);
    return fault;
  }
}
