import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type McpServerFactory,
  type Server,
} from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/call.js';
import { Cancellation } from '../../protocol/cancellation.js';
import { createHotAnswerer } from '../mcp/answer-fast.js';
import { type CallsInFlight, heedCancellation, type Peer, type Responder, splitBatch } from '../mcp/calls-in-flight.js';
import { OpenQuestions } from '../mcp/elicitation.js';
import { showsForms } from '../mcp/elicitation-form.js';
import { clientNameOf, type Era, type HotRequest, type RequestId, recogniseHotRequest } from '../mcp/fast-request.js';
import { RPC_ERROR, writeRpcError } from '../mcp/rpc-error.js';
import { createSdkServerFactory, type RequestOrigin } from '../mcp/sdk-server.js';
import type { ServerTransport } from '../mcp/sdk-transport.js';
import type { ResultWriter, ServerInfo } from '../mcp/write-result.js';
import type { LineWriter } from './lines.js';

/** The messages of one stdio connection, whose first ones decide its era. */
interface StdioConnection {
  readonly sessionId: string;
  /** Makes the SDK's server for this connection, once its era is known. */
  readonly createServer: McpServerFactory;
  /** The era as far as it is settled. */
  era(): Era | undefined;
  /** Takes a parsed line. */
  accept(message: unknown): void;
  tellToolsChanged(): void;
}

interface StdioConnectionDeps {
  readonly gateway: Gateway;
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
  readonly results: ResultWriter;
  readonly lines: LineWriter;
  readonly transport: ServerTransport;
}

export function createStdioConnection(deps: StdioConnectionDeps): StdioConnection {
  const { gateway, observe, lines, transport } = deps;
  const questions = new OpenQuestions();
  const answerHot = createHotAnswerer({ gateway, writer: deps.results, questions, observe });
  const createSdkServer = createSdkServerFactory(gateway, deps.serverInfo);
  const client = new StdioClient(transport.calls);
  let era: Era | undefined;
  /** The server that may speak unasked; the SDK keeps a modern one's notifications to those who subscribed. */
  let speaker: Server | undefined;

  const refuse = (problem: string): void =>
    lines.write(writeRpcError(null, RPC_ERROR.invalidRequest, `Invalid Request: ${problem}`));

  /** Until the handshake is over only the SDK knows the order of things; an envelope needs no handshake. */
  const recogniseOpen = (message: unknown): HotRequest | undefined => {
    const hot = recogniseHotRequest(message);
    const isOpen = hot?.era === 'legacy' ? era === 'legacy' : era !== 'legacy';
    return isOpen ? hot : undefined;
  };

  const dispatch = (message: unknown, port: Responder): void => {
    client.learnName(message);
    const hot = recogniseOpen(message);
    if (hot === undefined) {
      client.heedHandshake(message);
      heedCancellation(message, transport.calls);
      if (questions.takeResponse(client.caller.sessionId, message)) return;
      if (isMessage(message)) transport.deliver(message, port);
      else refuse('the line is no JSON-RPC message');
      return;
    }
    era = hot.era;
    answerHot(hot, client, port);
  };

  const acceptBatch = (batch: readonly unknown[]): void => {
    if (batch.length === 0 || !batch.every(isMessage)) {
      refuse('a batch must hold JSON-RPC messages only');
      return;
    }
    const port = new StdioResponder(lines);
    const count = batch.filter(isJSONRPCRequest).length;
    const ports = count === 0 ? [] : [...splitBatch(count, port)];
    for (const message of batch) dispatch(message, (isJSONRPCRequest(message) ? ports.shift() : undefined) ?? port);
  };

  /** Requests that the SDK answers wait for it under their id. */
  const originOf = (id: RequestId): RequestOrigin => {
    const port = transport.calls.get(id);
    return { caller: client.caller, user: port && questions.channel(client, port) };
  };

  return {
    sessionId: client.caller.sessionId,
    era: () => era,
    createServer(context) {
      const server = createSdkServer(context.era, originOf);
      if (context.era === 'modern') speaker = server;
      else {
        server.oninitialized = () => {
          era = 'legacy';
          speaker = server;
        };
      }
      return server;
    },
    accept(message) {
      if (Array.isArray(message)) acceptBatch(message);
      else dispatch(message, new StdioResponder(lines));
    },
    tellToolsChanged() {
      if (speaker?.transport === undefined) return;
      speaker.sendToolListChanged().catch((cause) => observe({ kind: 'defect', where: 'tools/list_changed', cause }));
    },
  };
}

function isMessage(message: unknown): message is JSONRPCMessage {
  return isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message);
}

/** One connection is one session; what its client is called and can do shows in the first messages that say so. */
class StdioClient implements Peer {
  readonly calls: CallsInFlight;
  caller: Caller = { sessionId: randomUUID(), clientName: 'unnamed client', transport: 'stdio' };
  elicits = false;
  #named = false;

  constructor(calls: CallsInFlight) {
    this.calls = calls;
  }

  learnName(message: unknown): void {
    if (this.#named) return;
    const clientName = clientNameOf(message);
    if (clientName === undefined) return;
    this.#named = true;
    this.caller = { ...this.caller, clientName };
  }

  heedHandshake(message: unknown): void {
    if (isInitializeRequest(message)) this.elicits = showsForms(message.params.capabilities);
  }
}

/** A request that is answered with a line. */
class StdioResponder implements Responder {
  readonly cancellation = new Cancellation();
  readonly canNotify = true;
  readonly #writer: LineWriter;
  #done = false;

  constructor(writer: LineWriter) {
    this.#writer = writer;
  }

  notify(text: string): void {
    if (!this.#done) this.#writer.write(text);
  }

  answer(text: string): void {
    if (this.#done) return;
    this.#done = true;
    this.#writer.write(text);
  }

  cancel(reason: string): void {
    if (this.#done) return;
    this.#done = true;
    this.cancellation.cancel(reason);
  }
}
