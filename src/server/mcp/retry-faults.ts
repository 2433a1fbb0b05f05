import { isJSONRPCRequest, type Transport } from '@modelcontextprotocol/server';
import { echoName } from '../../lib/text.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { RPC_ERROR } from './rpc-error.js';

const RETRIED_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Answers, on a transport whose receiver is set, retried calls that are malformed. The SDK drops what is malformed before its
 * handlers run, so that such a call would be taken for one without an answer.
 */
export function refuseWrongRetries(transport: Transport): void {
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
    .map(([path, value]) => describeFault(path, 'object', value));
  if (requestState === undefined || typeof requestState === 'string') return faults;
  return [...faults, describeFault('requestState', 'string', requestState)];
}

function describeFault(path: string, expected: string, value: unknown): string {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return `'${path}': expected ${expected}, received ${actual}`;
}
