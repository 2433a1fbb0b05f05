import type { Readable, Writable } from 'node:stream';
import type { Observer } from '../../base/observe/observation.js';
import { payloadTooLarge } from '../../base/protocol/limits.js';
import { turns } from '../../base/turns/turns.js';
import type { Gateway } from '../../gateway/gateway.js';
import { decodeMessage, refuseMessage } from '../mcp/decode-message.js';
import { createResultWriter, type ServerInfo } from '../mcp/write-result.js';
import { LineReader, LineWriter } from './lines.js';
import { createStdioConnection } from './stdio-connection.js';

/** One client on a pair of streams. */
export interface StdioGatewayServer {
  /** Resolves when the client has gone (the input has ended) or the server was closed, and the output is written. */
  readonly done: Promise<void>;
  /**
   * Lets calls in flight finish for `server.drainMs`, and answers the rest that their outcome is unknown. At once where the
   * input has ended: then the client does not wait.
   */
  close(): Promise<void>;
}

interface StdioServerDeps {
  readonly input: Readable;
  /** Carries protocol messages and nothing else. */
  readonly output: Writable;
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
}

/** How long a client may take to read the last answers. */
const FLUSH_MS = 1_000;

/** Serves MCP on a pair of streams, both eras. Bytes are counted and checked before they are parsed. */
export function serveStdio(gateway: Gateway, deps: StdioServerDeps): StdioGatewayServer {
  const { input, output, observe, serverInfo } = deps;
  const { limits, server: settings } = gateway.config;
  const { maxRequestSize, maxNestingDepth, maxArrayElements: maxMembers, maxValues } = limits;
  const results = createResultWriter(serverInfo, gateway.config.endpoint);
  const lines = new LineWriter(output, (backedUp) => (backedUp ? input.pause() : input.resume()));
  const connection = createStdioConnection({ gateway, observe, serverInfo, results, lines });
  const eraOrLegacy = () => connection.era() ?? 'legacy';
  const reader = new LineReader(maxRequestSize, {
    onLine(bytes) {
      turns.spend(bytes.length);
      // One client has the process for itself, and its messages keep their order.
      const options = { era: eraOrLegacy(), writer: results, maxNestingDepth, maxMembers, maxValues };
      const decoded = decodeMessage(bytes, options);
      if (decoded.kind === 'message') connection.accept(decoded.message);
      else lines.write(decoded.refusal.text);
    },
    onOverlong(excerpt) {
      const error = payloadTooLarge('request_size', excerpt.size, limits);
      lines.write(refuseMessage(excerpt.sketch(), error, eraOrLegacy(), results).text);
    },
  });

  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const readChunk = (chunk: Buffer): void => reader.push(chunk);
  let finishing = false;
  const finish = (): void => {
    finishing = true;
    connection.endStreams();
    const timer = setTimeout(end, settings.drainMs);
    connection.calls.whenIdle(() => {
      clearTimeout(timer);
      end();
    });
  };
  // A client that ends its input may still read.
  const finishInput = (): void => {
    reader.end();
    finish();
  };
  input.on('data', readChunk).once('end', finishInput).on('error', end);
  output.on('error', end);

  const done = ended.then(async () => {
    input.off('data', readChunk).off('end', finishInput).pause();
    connection.endStreams();
    connection.end();
    connection.calls.interruptAll('the gateway is stopping');
    connection.end();
    gateway.endSession(connection.sessionId);
    await lines.drain(FLUSH_MS);
  });
  return {
    done,
    close() {
      if (finishing) end();
      else finish();
      return done;
    },
  };
}
