import { join } from 'node:path';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { serveTasksHttp, type TasksServer } from '../fixtures/servers/tasks.mjs';
import { type AskedUser, connectAsked } from '../support/asked-client.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { waitFor } from '../support/patience.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

const STDIO = { command: process.execPath, args: [join(REPOSITORY, 'test/fixtures/servers/tasks-server.mjs')] };
const UPSTREAMS = ['older', 'newer'] as const;
const EXTENSION = 'io.modelcontextprotocol/tasks';
const ANSWER = { action: 'accept', content: { name: 'Ann' } };

let newer: TasksServer;
let gateway: RunningGateway;

beforeAll(async () => {
  newer = await serveTasksHttp();
  gateway = await hostGateway({
    endpoint: { mode: 'single' },
    clients: { ann: { token: 'token-of-ann-0123456789' }, bob: { token: 'token-of-bob-0123456789' } },
    mcpServers: { older: STDIO, newer: { url: newer.url } },
  });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await newer?.close();
});

const tokenOf = (client: string): string => `token-of-${client}-0123456789`;

/** One request of 2026-07-28 from a client that knows tasks, unless told otherwise. */
async function send(client: string, method: string, params: JsonObject, capabilities: JsonObject = KNOWS_TASKS) {
  const name = typeof params['taskId'] === 'string' ? params['taskId'] : String(params['name']);
  const _meta = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const { status, json } = await sendHttp(gateway.url, {
    headers: { ...modernHeaders(method, name), authorization: `Bearer ${tokenOf(client)}` },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
  });
  return { status, ...json };
}

const KNOWS_TASKS = { extensions: { [EXTENSION]: {} }, elicitation: { form: {} } };

const call = (client: string, operation: string, params: JsonObject = {}) =>
  send(client, 'tools/call', { name: 'mcp_aql', arguments: { operation, params } });

const dataOf = (result: JsonObject): unknown =>
  JSON.parse((result['content'] as readonly { readonly text: string }[])[0]?.text ?? 'null').data;

/** The task's status once it is this one. */
const untilStatus = (client: string, taskId: string, status: string): Promise<JsonObject> =>
  waitFor(
    async () => {
      const { result } = await send(client, 'tasks/get', { taskId });
      expect(result).toMatchObject({ status });
      return result;
    },
    { interval: 100 },
  );

describe('a client of 2026-07-28 that knows tasks', () => {
  it.each(UPSTREAMS)('gets a task for a call that %s makes a task of, and its result', async (upstream) => {
    const { result } = await call('ann', `${upstream}__research`, { steps: 3 });
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    expect(result).not.toHaveProperty('content');
    const ended = await untilStatus('ann', result.taskId, 'completed');
    expect(dataOf(ended['result'] as JsonObject)).toEqual({ polls: 3 });
    expect(ended).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number) });
  });

  it.each(UPSTREAMS)('answers what a task of %s asks', async (upstream) => {
    const { result } = await call('ann', `${upstream}__ask_name`);
    const { taskId } = result;
    const waiting = await untilStatus('ann', taskId, 'input_required');
    const [[key = '', question] = []] = Object.entries(waiting['inputRequests'] as JsonObject);
    expect(question).toMatchObject({ params: { message: `The server '${upstream}' asks: What is your name?` } });
    const updated = await send('ann', 'tasks/update', { taskId, inputResponses: { [key]: ANSWER } });
    expect(updated.result).toMatchObject({ resultType: 'complete' });
    const ended = await untilStatus('ann', taskId, 'completed');
    expect(dataOf(ended['result'] as JsonObject)).toEqual(ANSWER);
  });

  it.each(UPSTREAMS)('cancels a task, which cancels that of %s', async (upstream) => {
    const { result } = await call('ann', `${upstream}__never_ends`);
    const { taskId } = result;
    expect((await send('ann', 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    expect((await send('ann', 'tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
    await waitFor(async () => {
      const shown = dataOf((await call('ann', `${upstream}__show_tasks`)).result) as readonly JsonObject[];
      expect(shown.filter(({ name }) => name === 'never_ends').at(-1)).toMatchObject({ status: 'cancelled' });
    });
  });

  it.each(UPSTREAMS)('learns that a task of %s has failed, with its error and without a result', async (upstream) => {
    const { result } = await call('ann', `${upstream}__fail_hard`);
    const ended = await untilStatus('ann', result.taskId, 'failed');
    expect(ended).toMatchObject({ error: { code: -32603, message: expect.stringContaining('the disk is full') } });
    expect(ended).not.toHaveProperty('result');
  });

  it('gets the answer itself of a call that is no task', async () => {
    expect((await call('ann', 'newer__show_tasks')).result).toMatchObject({ resultType: 'complete' });
  });

  it('does not reach the task of another client', async () => {
    const { result } = await call('ann', 'newer__never_ends');
    const { taskId } = result;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await send('bob', method, { taskId })).error).toMatchObject({ code: -32602 });
    }
    expect((await send('ann', 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
    await send('ann', 'tasks/cancel', { taskId });
  });
});

it('a client of 2026-07-28 that does not declare the extension waits for the result, and has no task methods', async () => {
  const params = { name: 'mcp_aql', arguments: { operation: 'newer__research', params: { steps: 2 } } };
  expect((await send('ann', 'tools/call', params, {})).result).toMatchObject({ resultType: 'complete' });
  expect(await send('ann', 'tasks/get', { taskId: 'x' }, {})).toMatchObject({
    status: 400,
    error: { code: -32021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } },
  });
});

describe('a client of 2025-11-25', () => {
  const connect = async (user: AskedUser = {}) => {
    const { client, ...rest } = await connectAsked('SDK v1', { url: gateway.url, token: tokenOf('ann') }, user);
    if (!(client instanceof OldClient)) throw new Error('another client was connected');
    const begin = async (operation: string, params: JsonObject = {}) => {
      const request = { method: 'tools/call' as const, params: { name: 'mcp_aql', arguments: { operation, params } } };
      return (await client.request(request, CreateTaskResultSchema, { task: { ttl: 60_000 } })).task;
    };
    return { client, begin, ...rest };
  };

  it('runs any call as a task, and fetches its result', async () => {
    await using session = await connect();
    const { client, begin } = session;
    expect(client.getServerCapabilities()).toMatchObject({ tasks: { requests: { tools: { call: {} } } } });
    for (const operation of ['older__research', 'newer__research', 'older__show_tasks']) {
      const task = await begin(operation);
      expect(task).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: expect.any(Number) });
      const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
      expect(result).toMatchObject({ _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } });
      expect(dataOf(result)).toBeDefined();
      expect(await client.experimental.tasks.getTask(task.taskId)).toMatchObject({ status: 'completed' });
    }
    expect((await client.experimental.tasks.listTasks()).tasks).toHaveLength(3);
  });

  it('is asked what its task asks while it fetches the result', async () => {
    await using session = await connect({ elicit: () => ANSWER });
    const { client, begin } = session;
    const { taskId } = await begin('older__ask_name');
    await waitFor(async () =>
      expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: 'input_required' }),
    );
    expect(dataOf(await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema))).toEqual(ANSWER);
  });

  it('cancels a task once', async () => {
    await using session = await connect();
    const { client, begin } = session;
    const { taskId } = await begin('older__never_ends');
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' });
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toThrow('has ended already');
    await expect(client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toThrow(
      'was cancelled',
    );
  });

  it('has its tasks cancelled when its session ends', async () => {
    const { client, begin } = await connect();
    const count = async (): Promise<readonly unknown[]> => {
      const shown = dataOf((await call('bob', 'older__show_tasks')).result) as readonly JsonObject[];
      return shown.filter(({ name }) => name === 'never_ends').map(({ status }) => status);
    };
    const before = await count();
    await begin('older__never_ends');
    const transport = client.transport as unknown as { terminateSession(): Promise<void> };
    await transport.terminateSession();
    await client.close();
    await waitFor(async () => expect(await count()).toEqual([...before, 'cancelled']));
  });
});
