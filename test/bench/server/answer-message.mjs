import { resultOf } from './catalogue.mjs';

const PROTOCOL_VERSION = '2025-11-25';

/**
 * Answers JSON-RPC messages as the leanest correct server of the legacy era would.
 * @returns a function from a parsed message to the answer's JSON text, or undefined where none is due
 */
export function createAnswerer(tools) {
  const initializeResult = JSON.stringify({
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench-upstream', version: '1.0.0' },
  });
  const listResult = JSON.stringify({ tools });
  const answers = {
    initialize: () => initializeResult,
    ping: () => '{}',
    'tools/list': () => listResult,
    'tools/call': ({ name, arguments: args }) => resultOf(name, args),
  };
  return ({ id, method, params }) => {
    if (id === undefined) return undefined;
    const answer = answers[method];
    const outcome =
      answer === undefined
        ? '"error":{"code":-32601,"message":"Method not found"}'
        : `"result":${answer(params ?? {})}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
  };
}
