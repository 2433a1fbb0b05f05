import { Pool } from 'undici';
import { INITIALIZE, INITIALIZED, LEGACY_VERSION, MODERN_VERSION } from './write-request.mjs';

const ANSWER_TIMEOUT_MS = 15_000;
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/**
 * An MCP client over keep-alive connections, one request on each at a time: no SDK and no promises, because what it costs
 * is taken from the processes it measures.
 * `send(text, tool, done)` calls `done({status, contentType, body, sessionId} | {fault})` exactly once.
 */
export async function openHttpClient(target) {
  const url = new URL(target.url);
  const pool = new Pool(url.origin, {
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  const post = (text, headers, done) =>
    pool.dispatch({ path: url.pathname, method: 'POST', headers, body: text }, new Exchange(done));
  const openSession = () => initialize(post);

  if (target.era === 'modern') {
    return {
      send: (text, tool, done) => post(text, modernHeaders(tool), done),
      openSession,
      close: () => pool.destroy(),
    };
  }
  const headers = await openSession();
  return { send: (text, _tool, done) => post(text, headers, done), openSession, close: () => pool.destroy() };
}

/** Opens a legacy session; resolves with the headers that its requests carry. */
async function initialize(post) {
  const greeting = await ask(post, INITIALIZE, JSON_HEADERS);
  if (greeting.status !== 200) throw new Error(`initialize was answered with ${greeting.status}: ${greeting.body}`);
  const session = greeting.sessionId === undefined ? {} : { 'mcp-session-id': greeting.sessionId };
  const headers = { ...JSON_HEADERS, ...session, 'mcp-protocol-version': LEGACY_VERSION };
  await ask(post, INITIALIZED, headers);
  return headers;
}

function ask(post, text, headers) {
  return new Promise((resolve, reject) => {
    post(text, headers, (answer) => (answer.fault === undefined ? resolve(answer) : reject(new Error(answer.fault))));
  });
}

function modernHeaders(tool) {
  const headers = {
    ...JSON_HEADERS,
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': tool === undefined ? 'tools/list' : 'tools/call',
  };
  return tool === undefined ? headers : { ...headers, 'mcp-name': tool };
}

/** undici's handler of one exchange. */
class Exchange {
  #done;
  #answer;
  #chunks = [];

  constructor(done) {
    this.#done = done;
  }

  onRequestStart() {}

  onResponseStart(_controller, status, headers) {
    this.#answer = { status, contentType: headers['content-type'], sessionId: headers['mcp-session-id'] };
  }

  onResponseData(_controller, chunk) {
    this.#chunks.push(chunk);
  }

  onResponseEnd() {
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#done({ ...this.#answer, body });
  }

  onResponseError(_controller, error) {
    this.#done({ fault: `${error.code ?? error.name}: ${error.message}` });
  }
}
