import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  Server,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../protocol/json.js';
import { refuseWrongRetries } from './retry-faults.js';
import { RPC_ERROR } from './rpc-error.js';
import type { Era, ServerInfo } from './write-result.js';

/** A server of the SDK that refuses params of the wrong form with -32602 and a sentence. */
export class ExplainingServer extends Server {
  readonly #era: Era;

  constructor(serverInfo: ServerInfo, options: ServerOptions, era: Era) {
    super(serverInfo, options);
    this.#era = era;
  }

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
export function explainSchemaFaults(message: JSONRPCMessage): JSONRPCMessage {
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
