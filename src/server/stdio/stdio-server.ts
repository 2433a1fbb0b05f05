import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import { decodeMessage, payloadTooLarge, refuseMessage } from '../mcp/decode-message.js';
import { ServerTransport } from '../mcp/sdk-transport.js';
import { createResultWriter, type ServerInfo } from '../mcp/write-result.js';
import { LineReader, LineWriter } from './lines.js';
import { createStdioConnection } from './stdio-connection.js';

/** One client on a pair of streams. */
export interface StdioGatewayServer {
  /** Resolves when the client has gone (the input has ended) or the server was closed, and the output is written. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

interface StdioServerDeps {
  readonly input: Readable;
  /** Carries protocol messages and nothing else. */
  readonly output: Writable;
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
}

/** A client that ends its input may still read: its open requests are answered within this time. */
const FINISH_MS = 1_000;

/** Serves MCP on a pair of streams, both eras. Bytes are counted and checked before they are parsed. */
export function serveStdio(gateway: Gateway, deps: StdioServerDeps): StdioGatewayServer {
  const { input, output, observe, serverInfo } = deps;
  const { maxRequestSize, maxNestingDepth } = gateway.config.limits;
  const results = createResultWriter(serverInfo);
  const lines = new LineWriter(output, (backedUp) => (backedUp ? input.pause() : input.resume()));
  const transport = new ServerTransport({
    send: (text) => lines.write(text),
    onStart: () => input.resume(),
  });
  const connection = createStdioConnection({ gateway, observe, serverInfo, results, lines, transport });
  const eraOrLegacy = () => connection.era() ?? 'legacy';
  const reader = new LineReader(maxRequestSize, {
    onLine(bytes) {
      const decoded = decodeMessage(bytes, { era: eraOrLegacy(), writer: results, maxNestingDepth });
      if (decoded.kind === 'message') connection.accept(decoded.message);
      else lines.write(decoded.refusal.text);
    },
    onOverlong(excerpt) {
      const error = payloadTooLarge(maxRequestSize, excerpt.size);
      lines.write(refuseMessage(excerpt.sketch(), error, eraOrLegacy(), results).text);
    },
  });

  const stopListening = gateway.onToolsChanged(connection.notifyToolsChanged);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const readChunk = (chunk: Buffer): void => reader.push(chunk);
  const finishInput = (): void => {
    reader.end();
    const timer = setTimeout(end, FINISH_MS);
    transport.calls.whenIdle(() => {
      clearTimeout(timer);
      end();
    });
  };
  // The input is paused first: bytes that come before the SDK is ready stay in the stream.
  input.pause().on('data', readChunk).once('end', finishInput).on('error', end);
  output.on('error', end);
  const sdk = serveSdkStdio(connection.createServer, {
    transport,
    onerror: (error) => observe({ kind: 'notice', level: 'debug', message: error.message }),
  });

  const done = ended.then(async () => {
    input.off('data', readChunk).off('end', finishInput).pause();
    stopListening();
    transport.calls.cancelAll('the client has gone');
    gateway.endSession(connection.sessionId);
    await sdk.close();
    await lines.drain(FINISH_MS);
  });
  return {
    done,
    close() {
      end();
      return done;
    },
  };
}
