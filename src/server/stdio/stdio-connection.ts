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
import type { Observer } from '../../base/observe/observation.js';
import { NO_ABILITIES, readAbilities } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { Gateway, NativeListener } from '../../gateway/gateway.js';
import { showAnswer } from '../mcp/answer-handshake.js';
import {
  applyCancellation,
  type CallsInFlight,
  type InterruptListener,
  type Peer,
  type Responder,
  splitBatch,
} from '../mcp/calls-in-flight.js';
import { OpenQuestions } from '../mcp/elicitation.js';
import { clientNameOf, createFastAnswerer, type FastRequest, recogniseFastRequest } from '../mcp/fast-path.js';
import { LogLevels } from '../mcp/log-levels.js';
import type { MessageText } from '../mcp/message-text.js';
import { ParkedCalls } from '../mcp/parked-calls.js';
import { RPC_ERROR, writeRpcError } from '../mcp/rpc-error.js';
import { createSdkServerFactory, type RequestOrigin } from '../mcp/sdk-server.js';
import type { ServerTransport } from '../mcp/sdk-transport.js';
import { createStreamWatches, type StreamWatch } from '../mcp/stream-watches.js';
import type { Era, ResultWriter, ServerInfo } from '../mcp/write-result.js';
import type { LineWriter } from './lines.js';

/** The messages of one stdio connection; the first ones decide its era. */
interface StdioConnection {
  readonly sessionId: string;
  /** Ends what waits for the client. */
  end(): void;
  /** Creates the SDK's server for this connection, once its era is known. */
  readonly createServer: McpServerFactory;
  /** The era, once it is known. */
  era(): Era | undefined;
  /** Handles a parsed line. */
  accept(message: unknown): void;
  notifyToolsChanged(): void;
  /** Takes news of resources and prompts. */
  readonly news: NativeListener;
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
  const questions = new OpenQuestions(gateway.config.server.questionTimeoutMs);
  questions.notifySession = (text) => lines.write(text);
  const parked = new ParkedCalls();
  const logs = new LogLevels(gateway);
  const answerFast = createFastAnswerer({ gateway, writer: deps.results, questions, parked, logs, observe });
  const createSdkServer = createSdkServerFactory(gateway, deps.serverInfo, logs);
  const client = new StdioClient(transport.calls);
  const watches = createStreamWatches(gateway.native);
  const streams = new Map<unknown, StreamWatch>();
  let era: Era | undefined;
  /** The server that sends notifications; for modern clients the SDK sends them to subscriptions only. */
  let notifier: Server | undefined;

  const refuse = (problem: string): void =>
    lines.write(writeRpcError(null, RPC_ERROR.invalidRequest, `Invalid Request: ${problem}`));

  /** An envelope needs no handshake, and calls before it are answered as after it; a connection is of one era. */
  const recogniseOpen = (message: unknown): FastRequest | undefined => {
    const fast = recogniseFastRequest(message);
    const isOpen = era === undefined || fast?.era === era;
    return isOpen ? fast : undefined;
  };

  /** The SDK serves streams of subscriptions; what they name is subscribed to here, until they are cancelled. */
  const deliver = (message: JSONRPCMessage, responder: Responder): void => {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      streams.get(id)?.end();
      streams.delete(id);
    }
    const isListen = isJSONRPCRequest(message) && message.method === 'subscriptions/listen';
    const watch = isListen ? watches.open(message, client.caller) : undefined;
    if (watch === undefined || !isListen) {
      transport.deliver(message, responder);
      return;
    }
    streams.set(message.id, watch);
    watch.honored.then(
      (honored) => transport.deliver({ ...message, ...honored }, responder),
      (cause) => observe({ kind: 'defect', where: 'subscriptions/listen', cause }),
    );
  };

  /** What comes between a handshake and its answer waits for that. */
  let greeting: (() => void)[] | undefined;
  const greet = (responder: Responder): Responder => {
    greeting = [];
    return showAnswer(responder, () => {
      const held = greeting ?? [];
      greeting = undefined;
      setImmediate(() => {
        for (const goOn of held) goOn();
      });
    });
  };

  const dispatch = (message: unknown, responder: Responder): void => {
    client.learnName(message);
    const fast = recogniseOpen(message);
    if (fast !== undefined && greeting !== undefined) {
      greeting.push(() => dispatch(message, responder));
      return;
    }
    if (fast === undefined) {
      client.noteCapabilities(message);
      applyCancellation(message, transport.calls);
      questions.noteChange(client.caller.sessionId, message);
      if (questions.takeResponse(client.caller.sessionId, message)) return;
      if (isMessage(message)) deliver(message, isInitializeRequest(message) ? greet(responder) : responder);
      else refuse('the line is not a JSON-RPC message');
      return;
    }
    if (fast.era === 'modern') era = client.speakModern();
    answerFast(fast, client, responder);
  };

  const acceptBatch = (batch: readonly unknown[]): void => {
    if (batch.length === 0 || !batch.every(isMessage)) {
      refuse('a batch must hold JSON-RPC messages only');
      return;
    }
    const responder = new StdioResponder(lines);
    const count = batch.filter(isJSONRPCRequest).length;
    const responders = count === 0 ? [] : [...splitBatch(count, responder)];
    for (const message of batch)
      dispatch(message, (isJSONRPCRequest(message) ? responders.shift() : undefined) ?? responder);
  };

  const originOf = (): RequestOrigin => ({ caller: client.caller });

  return {
    sessionId: client.caller.sessionId,
    era: () => era,
    createServer(context) {
      const server = createSdkServer(context.era, originOf);
      if (context.era === 'modern') notifier = server;
      else {
        server.oninitialized = () => {
          era = 'legacy';
          notifier = server;
        };
      }
      return server;
    },
    accept(message) {
      if (Array.isArray(message)) acceptBatch(message);
      else dispatch(message, new StdioResponder(lines));
    },
    news: {
      // One that has not declared them does not send them.
      listChanged(kind) {
        if (notifier?.transport === undefined) return;
        const sent = kind === 'prompts' ? notifier.sendPromptListChanged() : notifier.sendResourceListChanged();
        sent.catch(() => undefined);
      },
      resourceUpdated(uri, subscribers) {
        const isOwn = ({ subscriber }: StreamWatch): boolean => subscribers.has(subscriber);
        const isMeant = subscribers.has(client.caller.sessionId) || [...streams.values()].some(isOwn);
        if (!isMeant || notifier?.transport === undefined) return;
        notifier.sendResourceUpdated({ uri }).catch(() => undefined);
      },
      logged(_sessionId, message) {
        const text = logs.messageFor(client.caller.sessionId, message);
        if (text !== undefined) lines.write(text);
      },
    },
    end() {
      parked.endAll();
      for (const stream of streams.values()) stream.end();
      streams.clear();
    },
    notifyToolsChanged() {
      if (notifier?.transport === undefined) return;
      notifier.sendToolListChanged().catch((cause) => observe({ kind: 'defect', where: 'tools/list_changed', cause }));
    },
  };
}

function isMessage(message: unknown): message is JSONRPCMessage {
  return isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message);
}

/** One connection is one session; its client's name and capabilities come from the first messages that state them. */
class StdioClient implements Peer {
  readonly calls: CallsInFlight;
  caller: Caller = {
    sessionId: randomUUID(),
    clientName: 'unnamed client',
    transport: 'stdio',
    era: 'legacy',
    requestId: undefined,
  };
  abilities = NO_ABILITIES;
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

  speakModern(): 'modern' {
    if (this.caller.era !== 'modern') this.caller = { ...this.caller, era: 'modern' };
    return 'modern';
  }

  noteCapabilities(message: unknown): void {
    if (isInitializeRequest(message)) this.abilities = readAbilities(message.params.capabilities);
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
