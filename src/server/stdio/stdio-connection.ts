import { randomUUID } from 'node:crypto';
import type { Observer } from '../../base/observe/observation.js';
import { NO_ABILITIES, readAbilities } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { Gateway } from '../../gateway/gateway.js';
import { CallsInFlight, type InterruptListener, type Peer, type Responder } from '../mcp/calls-in-flight.js';
import { openMcpServer } from '../mcp/mcp-server.js';
import type { MessageText } from '../mcp/message-text.js';
import { passNewsOn } from '../mcp/pass-news-on.js';
import type { Received } from '../mcp/read-message.js';
import { writeFault } from '../mcp/receive-message.js';
import { type Era, MODERN_REVISION, type ResultWriter, type ServerInfo } from '../mcp/write-result.js';
import type { LineWriter } from './lines.js';

/** The messages of one stdio connection. */
interface StdioConnection {
  readonly sessionId: string;
  readonly calls: CallsInFlight;
  /** The era, once it is known. */
  era(): Era | undefined;
  /** Handles a parsed line. */
  accept(message: unknown): void;
  /** Ends the subscriptions; calls go on. */
  endStreams(): void;
  /** Ends what waits for the client. */
  end(): void;
}

interface StdioConnectionDeps {
  readonly gateway: Gateway;
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
  readonly results: ResultWriter;
  readonly lines: LineWriter;
}

export function createStdioConnection(deps: StdioConnectionDeps): StdioConnection {
  const { gateway, observe, serverInfo, results: writer, lines } = deps;
  const client = new StdioClient();
  const { sessionId } = client.caller;
  const { receive, questions, parked, logs, subscriptions } = openMcpServer({ gateway, serverInfo, observe, writer });
  questions.notifySession = (text) => lines.write(text);
  const stopListening = passNewsOn(gateway, {
    // A client that has not opened a session does not expect it.
    notify: (text, isWanted) => client.isInitialized && isWanted?.(client.caller) !== false && lines.write(text),
    subscriptions,
    logs,
    onlySession: sessionId,
  });

  return {
    sessionId,
    calls: client.calls,
    era: () => client.era,
    accept(message) {
      receive(message, {
        revision: client.era === 'modern' ? MODERN_REVISION : undefined,
        enter(received, goOn) {
          client.learn(received);
          goOn({ peer: client, open: () => new StdioResponder(lines), acknowledge: () => undefined });
        },
        refuse: (fault, id) => lines.write(writeFault(fault, id)),
      });
    },
    endStreams() {
      stopListening();
      subscriptions.close();
    },
    end() {
      parked.endAll();
    },
  };
}

/** One connection is one session; its client's name, abilities and era come from the first messages that state them. */
class StdioClient implements Peer {
  readonly calls = new CallsInFlight();
  caller: Caller = {
    sessionId: randomUUID(),
    clientName: 'unnamed client',
    transport: 'stdio',
    era: 'legacy',
    requestId: undefined,
  };
  abilities = NO_ABILITIES;
  era: Era | undefined;
  /** Whether it has opened a session, as clients up to 2025-11-25 do. */
  isInitialized = false;
  #isNamed = false;

  learn({ era, requests, notices }: Received): void {
    for (const { method, params, clientName } of requests) {
      if (method === 'initialize') this.abilities = readAbilities(params['capabilities']);
      // Clients of both eras ask first which one it is.
      if (era === 'modern' && method !== 'server/discover' && this.era === undefined) {
        this.era = era;
        this.caller = { ...this.caller, era };
      }
      if (this.#isNamed || clientName === undefined) continue;
      this.#isNamed = true;
      this.caller = { ...this.caller, clientName };
    }
    if (!notices.some(({ method }) => method === 'notifications/initialized')) return;
    this.era ??= 'legacy';
    this.isInitialized = true;
  }
}

/** A request that is answered with a line. */
class StdioResponder implements Responder {
  readonly cancellation = new Cancellation();
  readonly canNotify = true;
  readonly #writer: LineWriter;
  #done = false;
  #interrupted: InterruptListener | undefined;

  constructor(writer: LineWriter) {
    this.#writer = writer;
  }

  notify(text: string): void {
    if (!this.#done) this.#writer.write(text);
  }

  answer(message: MessageText): void {
    if (this.#done) return;
    this.#done = true;
    this.#writer.write(message);
  }

  cancel(reason: string): void {
    if (this.#done) return;
    // What it withdraws is still sent.
    this.cancellation.cancel(reason);
    this.#done = true;
  }

  onInterrupt(listener: InterruptListener): void {
    this.#interrupted = listener;
  }

  interrupt(reason: string): void {
    if (this.#done) return;
    this.#interrupted?.(reason);
    this.#done = true;
    this.cancellation.cancel(reason);
  }
}
