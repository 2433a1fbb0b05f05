/** Large answers to requests that are no calls, in both eras: results of tasks of some 50 MB, and resources of 10. */
import { setTimeout as delay } from 'node:timers/promises';
import { REVISION, writeCall } from './soak-gateway.mjs';

const TASKS = 'io.modelcontextprotocol/tasks';
const ENDED = /"status":"(?:completed|failed|cancelled)"/;
const BETWEEN_MS = 50;

/** The beginning of an answer says all that is asked of it; reading the rest as JSON would take this process long. */
const startOf = (text) => text.slice(0, 2_000);
const taskIn = (text) => /"taskId":"([^"]+)"/.exec(startOf(text))?.[1] ?? 'none';

async function post(url, headers, message) {
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
  return { session: response.headers.get('mcp-session-id'), text: await response.text() };
}

/** A session of a client up to 2025-11-25: what sends its requests. */
async function openSession(url) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (method, params, id = 1) => post(url, headers, { jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'soak', version: '1' };
  const { session } = await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  headers['mcp-session-id'] = session;
  await post(url, headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return send;
}

/** A client up to 2025-11-25, which decides that its call is a task. */
function fetchAsSession(operation) {
  return async (url) => {
    const send = await openSession(url);
    const params = { name: 'mcp_aql', arguments: { operation, params: {} }, task: { ttl: 60_000 } };
    const taskId = taskIn((await send('tools/call', params)).text);
    for (let id = 2; !ENDED.test(startOf((await send('tasks/get', { taskId }, id)).text)); id += 1)
      await delay(BETWEEN_MS);
    return judge((await send('tasks/result', { taskId })).text);
  };
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
};

/** A request of a client of 2026-07-28. @param name what `Mcp-Name` repeats */
async function ask(url, method, name, given) {
  const { headers } = writeCall({ operation: '', params: {} }, 1);
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...given, _meta: ENVELOPE } };
  return (await post(url, { ...headers, 'mcp-method': method, 'mcp-name': name }, message)).text;
}

/** A client of 2026-07-28, whose call is a task where its server makes it one. */
function fetchByStatus(operation) {
  return async (url) => {
    const { params } = JSON.parse(writeCall({ operation, params: {} }, 1).body);
    const send = (method, name, given) => ask(url, method, name, given);
    const taskId = taskIn(await send('tools/call', params.name, params));
    for (;;) {
      const text = await send('tasks/get', taskId, { taskId });
      if (ENDED.test(startOf(text))) return judge(text);
      await delay(BETWEEN_MS);
    }
  };
}

function judge(text) {
  const isWhole = text.length > 1_000_000;
  return { answer: startOf(text), code: isWhole ? 'OK' : `short: ${text.slice(0, 200)}` };
}

const RESOURCES = ['text', 'blob', 'many', 'digits'].map((name) => `soak:${name}`);
const readInSession = (uri) => async (url) => {
  const send = await openSession(url);
  return judge((await send('resources/read', { uri }, 2)).text);
};
const readAlone = (uri) => async (url) => judge(await ask(url, 'resources/read', uri, { uri }));

const ANSWERS = ['list_rows', 'list_structured', 'get_image', 'list_blocks'];
const attack = (name, execution, run) => ({
  name,
  program: 'answer-upstream.mjs',
  tools: ANSWERS.map((tool) => ({
    name: tool,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    ...execution,
  })),
  requests: ANSWERS.map((tool) => ({ run: run(tool) })),
  config: { limits: { maxResponseSize: 104_857_600 }, results: { maxTokens: 0 } },
});

const AS_TASKS = { execution: { taskSupport: 'required' } };

export const TASK_ATTACKS = [
  attack('answers of 50 MB as results of tasks', {}, fetchAsSession),
  attack("answers of 50 MB of servers' tasks, by session", AS_TASKS, fetchAsSession),
  attack("answers of 50 MB of servers' tasks, by status", AS_TASKS, fetchByStatus),
  {
    ...attack('resources of 10 MB', {}, fetchAsSession),
    requests: [...RESOURCES.map(readInSession), ...RESOURCES.map(readAlone)].map((run) => ({ run })),
  },
];
