import type { JsonObject } from '../../src/base/json/json.js';
import type { Answer } from './mcp-client.js';
import { MODERN_META, modernHeaders, sendHttp } from './raw-http.js';

/** The envelope of an answer. */
export type LeanAnswer = Omit<Answer, 'raw'>;

/** Calls an operation through a tool: `(tool, operation, params)`. */
export type LeanCall = (tool: string, operation: string, params?: JsonObject) => Promise<LeanAnswer>;

/** Calls without the SDK's client, which costs ten times as much as the gateway: for tests of thousands of calls. */
export function leanCaller(url: string, token?: string): LeanCall {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  let id = 0;
  return async (tool, operation, params = {}) => {
    id += 1;
    const call = { name: tool, arguments: { operation, params }, _meta: MODERN_META };
    const { status, text, json } = await sendHttp(url, {
      headers: { ...modernHeaders('tools/call', tool), ...authorization },
      body: { jsonrpc: '2.0', id, method: 'tools/call', params: call },
    });
    // A call that takes long is answered on a stream.
    const written = json?.result ?? (json === undefined ? resultOf(text) : undefined);
    if (written === undefined) throw new Error(`'${operation}' was refused: ${status} ${text}`);
    return JSON.parse(written.content[0].text) as LeanAnswer;
  };
}

/** The result on a stream of events, if there is one. */
function resultOf(text: string) {
  const events = text.split('\n').filter((line) => line.startsWith('data: {'));
  return events.map((line) => JSON.parse(line.slice('data: '.length)).result).find((result) => result !== undefined);
}
