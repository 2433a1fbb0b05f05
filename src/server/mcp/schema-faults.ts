import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  type JSONRPCMessage,
  Server,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import { RPC_ERROR } from './rpc-error.js';
import type { Era, ServerInfo } from './write-result.js';

/** A server of the SDK that refuses params of the wrong form with -32602 and a sentence. */
export class ExplainingServer extends Server {
  readonly #era: Era;

  constructor(serverInfo: ServerInfo, options: ServerOptions, era: Era) {
    super(serverInfo, options);
    this.#era = era;
  }

  /**
   * Which servers are connected changes between a session's handshake and its requests, so that what is declared says nothing of what
   * may be asked: every method has its handler, and a handshake cannot fail for one.
   */
  protected override assertRequestHandlerCapability(): void {}

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(explainSchemaFaults(message), options);
    const started = super.connect(transport);
    // The SDK has set its receiver by now, and the transport delivers nothing before its start has ended.
    if (this.#era === 'modern') refuseWrongRetries(transport);
    await started;
  }
}

/** The SDK's message for params that do not fit their schema: the faults as JSON, after a heading or alone. */
const FAULTS = /^(?:Invalid [\w/]+ request: )?(\[\s*\{[\s\S]*\}\s*\])$/;

/** Replaces the SDK's list of faults in an error response; every other message is returned unchanged. */
function explainSchemaFaults(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  const faults = readFaults(message.error.message);
  if (faults === undefined) return message;
  return { ...message, error: { code: RPC_ERROR.invalidParams, message: `Invalid params: ${faults.join('; ')}` } };
}

function readFaults(text: string): readonly string[] | undefined {
  const json = FAULTS.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    return (JSON.parse(json) as readonly unknown[]).map(describeFault);
  } catch {
    // Not the SDK's list: the message stays as it is.
    return undefined;
  }
}

function describeFault(fault: unknown): string {
  const { path, message } = isJsonObject(fault) ? fault : {};
  const place = Array.isArray(path) ? path.join('.') : '';
  return `'${place}': ${String(message).replace(/^Invalid input: /, '')}`;
}

const RETRIED_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Answers, on a transport whose receiver is set, retried calls that are malformed. The SDK drops what is malformed before its
 * handlers run, so that such a call would be taken for one without an answer.
 */
function refuseWrongRetries(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!isJSONRPCRequest(message) || !RETRIED_METHODS.has(message.method)) {
      onmessage?.(message, extra);
      return;
    }
    const faults = findRetryFaults(message.params);
    if (faults.length === 0) {
      onmessage?.(message, extra);
      return;
    }
    const error = { code: RPC_ERROR.invalidParams, message: `Invalid params: ${faults.join('; ')}` };
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch((cause) => transport.onerror?.(cause));
  };
}

/** Answers beyond are not looked at: the gateway asks one question. */
const MOST_ANSWERS = 10;

/**
 * What is wrong with the members of a retried call: an object of objects, and a text.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
function findRetryFaults({ inputResponses, requestState }: JsonObject = {}): readonly string[] {
  const answers = isJsonObject(inputResponses) ? Object.entries(inputResponses).slice(0, MOST_ANSWERS) : [];
  const objects = [
    ['inputResponses', inputResponses] as const,
    ...answers.map(([name, answer]) => [`inputResponses.${echoName(name)}`, answer] as const),
  ];
  const faults = objects
    .filter(([, value]) => value !== undefined && !isJsonObject(value))
    .map(([path, value]) => describeRetryFault(path, 'object', value));
  if (requestState === undefined || typeof requestState === 'string') return faults;
  return [...faults, describeRetryFault('requestState', 'string', requestState)];
}

function describeRetryFault(path: string, expected: string, value: unknown): string {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return `'${path}': expected ${expected}, received ${actual}`;
}
