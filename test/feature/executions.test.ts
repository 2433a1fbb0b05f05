import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { behaviourServer } from '../support/behaviours.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { inlineServer } from '../support/inline-server.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { waitFor } from '../support/patience.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';

/** `flaky` fails at first, `large` answers more than is sent at once, `picture` with a block beside its data. */
const JOBS = inlineServer(`{
  flaky: { tool: { annotations: { readOnlyHint: true } }, run: ({}, { tools }) => {
    tools.runs = (tools.runs ?? 0) + 1;
    return tools.runs % 2 === 1 ? { error: { code: -32000, message: 'try later' } } : { content: [{ type: 'text', text: '{"total":12345678901234567890}' }] };
  } },
  large: { tool: { annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: JSON.stringify(Array.from({ length: 4000 }, (_, id) => ({ id, name: 'a name of some length' }))) }] }) },
  picture: { tool: { annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: 'a cat' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] }) },
  charge: { tool: { annotations: { readOnlyHint: false } }, run: () => ({ error: { code: -32000, message: 'declined' } }) },
  start_export: { tool: { inputSchema: { type: 'object', properties: { steps: { type: 'number' } } } }, run: ({ steps }, server) => {
    const id = (server.jobs ??= []).push({ steps, asked: 0 });
    return { content: [{ type: 'text', text: JSON.stringify({ job: { id } }) }] };
  } },
  get_export: { tool: { inputSchema: { type: 'object', properties: { job_id: { type: 'number' } } }, annotations: { readOnlyHint: true } }, run: ({ job_id }, { jobs }) => {
    const job = jobs[job_id - 1];
    job.asked += 1;
    const state = job.steps < 0 ? 'broken' : job.asked > job.steps ? 'done' : 'working';
    const data = { job: { state, percent: 50 }, ...(state === 'done' ? { file: 'export.csv' } : {}) };
    return { content: [{ type: 'text', text: JSON.stringify(data) }] };
  } },
  stop_export: { tool: { inputSchema: { type: 'object', properties: { job_id: { type: 'number' } } } }, run: ({ job_id }, server) => {
    (server.stopped ??= []).push(job_id);
    return { content: [] };
  } },
  list_stopped: { tool: { annotations: { readOnlyHint: true } }, run: ({}, { stopped = [] }) => ({ content: [{ type: 'text', text: JSON.stringify(stopped) }] }) },
  wipe: { tool: {}, run: () => ({ content: [{ type: 'text', text: 'wiped' }] }) },
  create_note: { tool: {}, run: () => ({ content: [] }) },
}`);

const OPERATIONS = { '*': { category: 'EXECUTE', danger: 'reversible' } };
const EXPORT = {
  poll: 'get_export',
  cancel: 'stop_export',
  id: 'job.id',
  parameter: 'job_id',
  status: 'job.state',
  percentage: 'job.percent',
  states: { done: 'completed', broken: 'failed' },
  everySeconds: 0.05,
};
const tokenOf = (name: string): string => `token-of-${name}-0123456789`;

const configure = (executions: object, more: object = {}) => ({
  clients: { ann: { token: tokenOf('ann') }, bob: { token: tokenOf('bob') } },
  executions: { enabled: true, ...executions },
  mcpServers: {
    behaviour: { ...behaviourServer(), operations: OPERATIONS },
    jobs: {
      ...JOBS,
      operations: {
        charge: OPERATIONS['*'],
        wipe: { category: 'EXECUTE', danger: 'destructive' },
        stop_export: OPERATIONS['*'],
        start_export: { ...OPERATIONS['*'], lifecycle: EXPORT },
      },
    },
  },
  ...more,
});

const BACKGROUND = { _execution: { background: true } };

let live: LiveGateway;
let ann: Client;

beforeAll(async () => {
  live = await openLiveGateway(configure({}));
  ann = await live.connect('http', 'legacy', tokenOf('ann'));
});

afterAll(() => live?.[Symbol.asyncDispose]());

const call = (operation: string, params: JsonObject = {}, client = ann): Promise<Envelope> =>
  live.call(client, operation, params);

const begin = async (operation: string, params: JsonObject = {}, client = ann): Promise<string> => {
  const { data, error } = await call(operation, { ...params, ...BACKGROUND }, client);
  expect(error).toBeUndefined();
  return data.execution_id;
};

const ended = (id: string, client = ann): Promise<Envelope> =>
  call('get_execution_status', { execution_id: id, wait_seconds: 20 }, client);

describe.each(['legacy', 'modern'] as const)('a client of the %s era', (era) => {
  let client: Client;
  beforeAll(async () => {
    client = await live.connect('http', era, tokenOf('ann'));
  });

  it('begins a call, sees its progress, waits for its end and reads its result', async () => {
    const { data } = await call('progress', { steps: 3, every_ms: 20, ...BACKGROUND }, client);
    expect(data).toEqual({
      execution_id: expect.stringMatching(/^exec_[\w-]{24}$/),
      status: 'running',
      operation: 'behaviour__progress',
      started_at: expect.any(String),
    });

    const { data: state } = await ended(data.execution_id, client);

    expect(state).toMatchObject({
      execution_id: data.execution_id,
      status: 'completed',
      finished_at: expect.any(String),
      progress: { percentage: 100, current: 3, total: 3, message: 'step 3' },
      result: { success: true, data: 'done' },
    });
  });

  it('cancels a call, which its server notices, and cannot cancel it again', async () => {
    const key = `cancel-${era}`;
    const id = await begin('hold', { key }, client);
    const { data } = await call('cancel_execution', { execution_id: id }, client);
    expect(data).toMatchObject({
      status: 'cancelled',
      progress: { message: 'Cancelled: the client has cancelled it' },
    });
    await waitFor(async () => expect((await call('cancelled')).data).toContain(key));

    const again = await call('cancel_execution', { execution_id: id }, client);

    expect(again.error).toMatchObject({
      code: 'CONFLICT_INVALID_STATE',
      details: { execution_id: id, status: 'cancelled', allowed_from: ['pending', 'running'] },
    });
  });
});

it('finds no execution of another client, whose list does not hold it either', async () => {
  const bob = await live.connect('http', 'legacy', tokenOf('bob'));
  const id = await begin('jobs__picture');
  for (const operation of ['get_execution_status', 'cancel_execution', 'retry_execution']) {
    expect((await call(operation, { execution_id: id }, bob)).error).toMatchObject({
      code: 'NOT_FOUND_RESOURCE',
      details: { resource_type: 'execution', resource_id: id },
    });
  }
  expect((await call('list_executions', {}, bob)).data).toEqual({ executions: [], total: 0 });
  await ended(id);
  expect((await call('list_executions', { status: 'completed' })).data.executions[0]).toMatchObject({
    execution_id: id,
  });
});

it('keeps a result as it was: what is too large is read on like any answer, and blocks stay blocks', async () => {
  const large = await ended(await begin('large'));
  expect(large.data.result).toMatchObject({ success: true });
  const handle = /res_[\w-]+/.exec(JSON.stringify(large))?.[0];
  const part = await call('introspect', { query: 'result', name: handle, path: 'result.data[3999].id' });
  expect(JSON.stringify(part.data)).toContain('3999');

  const picture = await ended(await begin('picture'));
  expect(picture.data.result.data.content[0]).toMatchObject({ text: 'a cat' });
  expect(picture.blocks).toEqual([expect.objectContaining({ type: 'image', data: 'AAAA' })]);
});

it('runs again what has failed, where it only reads, and keeps every digit', async () => {
  const id = await begin('flaky');
  expect((await ended(id)).data).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('try later') },
  });

  expect((await call('retry_execution', { execution_id: id })).data).toMatchObject({ status: 'running' });

  const { content } = await ann.callTool({
    name: 'mcp_aql',
    arguments: { operation: 'get_execution_status', params: { execution_id: id, wait_seconds: 20 } },
  });
  expect(JSON.stringify(content)).toContain('12345678901234567890');
});

it('does not run again what may have changed something', async () => {
  const id = await begin('charge');
  expect((await ended(id)).data.status).toBe('failed');
  const { error } = await call('retry_execution', { execution_id: id });
  expect(error).toMatchObject({
    code: 'CONFLICT_INVALID_STATE',
    message: expect.stringContaining('cannot be run again'),
  });
});

it.each([
  ['list_executions', BACKGROUND, 'immediately'],
  ['create_note', BACKGROUND, 'CREATE'],
  ['large', { _execution: { background: 'yes' } }, '{"background": true}'],
  ['large', { _execution: { background: true, for: 'ever' } }, '{"background": true}'],
])('refuses to run %s %j in the background', async (operation, params, why) => {
  const { error } = await call(operation, params);
  expect(error).toMatchObject({ code: 'VALIDATION_INVALID_VALUE', details: { param_name: '_execution' } });
  expect(error?.message).toContain(why);
});

it('answers an item of a batch with its state, of which other items use the id alone', async () => {
  const { content } = await ann.callTool({
    name: 'mcp_aql',
    arguments: {
      operations: [
        { operation: 'large', params: BACKGROUND },
        {
          operation: 'get_execution_status',
          params: { execution_id: '$results[0].data.execution_id', wait_seconds: 20 },
        },
        { operation: 'hold', params: { key: '$results[0].data[0].name' } },
      ],
    },
  });
  const { results } = JSON.parse((content as readonly { text: string }[])[0]?.text ?? '{}');
  const answers = results.map((item: JsonObject) => item['result'] ?? item);
  expect(answers[0]).toMatchObject({ data: { status: 'running' } });
  expect(answers[1]).toMatchObject({ data: { status: 'completed' } });
  expect(answers[2].error.message).toContain('its result is not known yet');
});

it('is cancelled when the session that began it ends, and the client sees that in its next session', async () => {
  const session = await live.connect('http', 'legacy', tokenOf('ann'));
  const id = await begin('hold', { key: 'session' }, session);
  await (session.transport as StreamableHTTPClientTransport).terminateSession();

  expect((await ended(id)).data).toMatchObject({
    status: 'cancelled',
    progress: { message: 'Cancelled: the session has ended' },
  });
});

it('is a task for a client that knows tasks', async () => {
  const _meta = {
    ...MODERN_META,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const send = async (method: string, name: string, params: JsonObject) => {
    const headers = { ...modernHeaders(method, name), authorization: `Bearer ${tokenOf('ann')}` };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    return (await sendHttp(live.url, { headers, body })).json.result;
  };
  const args = { operation: 'hold', params: { key: 'task', ...BACKGROUND } };
  const { resultType, taskId } = await send('tools/call', 'mcp_aql', { name: 'mcp_aql', arguments: args });
  expect(resultType).toBe('task');
  await waitFor(async () => expect((await call('release', { key: 'task' })).data).toBe('true'));
  await waitFor(async () =>
    expect(JSON.stringify(await send('tasks/get', taskId, { taskId }))).toContain('released task'),
  );
});

it('is accepted only when policy has admitted the call', async () => {
  const { error } = await call('wipe', BACKGROUND);
  expect(error?.code).toBe('CONFIRMATION_REQUIRED');
  const token = error?.details?.['confirmation_token'];

  const { data } = await call('wipe', { _confirmation: token, ...BACKGROUND });

  expect(data).toMatchObject({ status: 'running' });
  expect((await ended(data.execution_id)).data.result).toMatchObject({ success: true, data: 'wiped' });
});

it('follows the job that an operation starts to its end, and ends it with the execution', async () => {
  const done = await begin('start_export', { steps: 2 });
  expect((await ended(done)).data).toMatchObject({
    status: 'completed',
    progress: { percentage: 50, message: 'working' },
    result: { data: { job: { state: 'done' }, file: 'export.csv' } },
  });
  expect((await ended(await begin('start_export', { steps: -1 }))).data).toMatchObject({
    status: 'failed',
    error: { message: "The job has failed: the job is 'broken'" },
  });
  const endless = await begin('start_export', { steps: 1_000_000 });
  await waitFor(async () =>
    expect((await call('get_execution_status', { execution_id: endless })).data.progress).toBeDefined(),
  );
  await call('cancel_execution', { execution_id: endless });
  await waitFor(async () => expect((await call('list_stopped')).data).toHaveLength(1));
});

it('shows the lifecycle of each operation that executes', async () => {
  const { data } = await call('introspect', { query: 'operations', name: 'charge' });
  expect(data.operation.lifecycle).toEqual({
    states: ['pending', 'running', 'completed', 'failed', 'cancelled'],
    supports_cancel: true,
    supports_retry: false,
    progress_reporting: true,
  });
});

it('goes on by itself after the configured time, but not where the client says that it waits', async () => {
  await using slow = await openLiveGateway(configure({ backgroundAfterMs: 100 }));
  const client = await slow.connect('http', 'legacy', tokenOf('ann'));
  expect(
    (await slow.call(client, 'progress', { steps: 3, every_ms: 50, _execution: { background: false } })).data,
  ).toBe('done');
  expect((await slow.call(client, 'counter')).data).toBe('1');

  const { data } = await slow.call(client, 'hold', { key: 'slow' });
  expect(data).toMatchObject({ status: 'running', operation: 'behaviour__hold' });
  await slow.call(client, 'release', { key: 'slow' });

  const { data: state } = await slow.call(client, 'get_execution_status', {
    ...{ execution_id: data.execution_id },
    wait_seconds: 20,
  });
  expect(state).toMatchObject({ status: 'completed', result: { data: 'released slow' } });
});

it('is remembered after a restart, without its result, and what ran is cancelled', async () => {
  await using directory = await makeDirectory();
  const config = configure({}, { store: { type: 'sqlite', file: `${directory.path}/state.db` } });
  const ids: string[] = [];
  {
    await using before = await openLiveGateway(config);
    const client = await before.connect('http', 'legacy', tokenOf('ann'));
    for (const [operation, params] of [
      ['picture', {}],
      ['hold', { key: 'restart' }],
    ] as const) {
      ids.push((await before.call(client, operation, { ...params, ...BACKGROUND })).data.execution_id);
    }
    await before.call(client, 'get_execution_status', { execution_id: ids[0], wait_seconds: 20 });
  }
  await using after = await openLiveGateway(config);
  const client = await after.connect('http', 'legacy', tokenOf('ann'));

  const [done, held] = await Promise.all(
    ids.map((id) => after.call(client, 'get_execution_status', { execution_id: id })),
  );

  expect(done).toMatchObject({ data: { status: 'completed' }, warnings: [{ code: 'EXECUTION_RESULT_GONE_WARNING' }] });
  expect(held?.data).toMatchObject({ status: 'cancelled' });
});

it('is counted by state in the figures of the gateway', () => {
  const { executions } = live.gateway.figures();
  expect(executions).toMatchObject({ pending: 0, running: 0, completed: expect.any(Number) });
  expect(executions?.['completed']).toBeGreaterThan(1);
});

it('is not offered unless it is configured, and its directive is refused', async () => {
  await using plain = await openLiveGateway({ mcpServers: { jobs: JOBS } });
  const client = await plain.connect('http', 'legacy');
  expect((await plain.call(client, 'large', BACKGROUND)).error?.message).toContain("'executions.enabled'");
  expect((await plain.call(client, 'list_executions')).error?.code).toBe('NOT_FOUND_OPERATION');
});
