import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ElicitationCompleteNotificationSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json/json.js';
import { type AskingServer, serveAskingHttp, serveAskingModernHttp } from '../fixtures/servers/asking.mjs';
import { serveTasksHttp, type TasksServer } from '../fixtures/servers/tasks.mjs';
import {
  type AskedClient,
  type AskedUser,
  CLIENT_KINDS,
  type ClientKind,
  connectAsked,
} from '../support/asked-client.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { waitFor } from '../support/patience.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { REPOSITORY } from '../support/served-gateway.js';

/** By revision: a server that asks, says and updates, and one whose tools run as tasks. */
const SERVERS = { '2025-11-25': ['asks_old', 'tasks_old'], '2026-07-28': ['asks_new', 'tasks_new'] } as const;

type Revision = keyof typeof SERVERS;

const REVISIONS = Object.keys(SERVERS) as Revision[];

const revisionOf = (kind: ClientKind): Revision => (kind === 'SDK v2 modern' ? '2026-07-28' : '2025-11-25');

/** One combination. */
interface Cell {
  readonly kind: ClientKind;
  readonly client: Revision;
  readonly server: Revision;
  /** The operations of its server that asks begin with this, and those of the other. */
  readonly asks: string;
  readonly tasks: string;
}

type Row = (cell: Cell) => Promise<void>;

const runs: string[] = [];
const asking = new Map<Revision, AskingServer>();
let tasksOfNew: TasksServer;
let gateway: RunningGateway;

beforeAll(async () => {
  const onRun = (tool: string): void => void runs.push(tool);
  asking.set('2025-11-25', await serveAskingHttp({ onRun }));
  asking.set('2026-07-28', await serveAskingModernHttp({ onRun }));
  tasksOfNew = await serveTasksHttp();
  const tasksOfOld = [join(REPOSITORY, 'test/fixtures/servers/tasks-server.mjs')];
  gateway = await hostGateway({
    endpoint: { mode: 'single' },
    mcpServers: {
      asks_old: { url: asking.get('2025-11-25')?.url, asks: { roots: 'allow' } },
      asks_new: { url: asking.get('2026-07-28')?.url },
      tasks_old: { command: process.execPath, args: tasksOfOld },
      tasks_new: { url: tasksOfNew.url },
    },
  });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await tasksOfNew?.close();
  for (const server of asking.values()) await server.close();
});

const connect = ({ kind }: Cell, user?: AskedUser): Promise<AskedClient> =>
  connectAsked(kind, { url: gateway.url }, user);

const ANY = z.looseObject({});

/** One request of a client, whatever SDK it is made with. */
async function request({ client }: AskedClient, method: string, params: JsonObject): Promise<JsonObject> {
  if (client instanceof OldClient) return client.request({ method, params } as never, ANY as never);
  return client.request({ method, params } as never, ANY as never);
}

/** Calls an operation with a client's own options and `_meta`. */
async function callWith({ client }: AskedClient, operation: string, more: JsonObject, options: JsonObject = {}) {
  const { params = {}, ...beside } = more;
  const sent = { name: 'mcp_aql', arguments: { operation, params }, ...beside };
  return client instanceof OldClient
    ? client.callTool(sent as never, undefined, options)
    : client.callTool(sent as never, options);
}

/** What a client hears of one kind. */
function heardBy({ client }: AskedClient, method: keyof typeof OLD_SCHEMAS): JsonObject[] {
  const heard: JsonObject[] = [];
  const note = ({ params }: { params?: unknown }): void => void heard.push(params as JsonObject);
  if (client instanceof OldClient) client.setNotificationHandler(OLD_SCHEMAS[method] as never, note as never);
  else client.setNotificationHandler(method as never, note as never);
  return heard;
}

const OLD_SCHEMAS = {
  'notifications/elicitation/complete': ElicitationCompleteNotificationSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
} as const;

/** One request of 2026-07-28 from a client with these extensions; the SDK's knows no tasks. */
async function sendModern(method: string, params: JsonObject, extensions: JsonObject): Promise<JsonObject> {
  const _meta = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': { extensions } };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  const named = params['taskId'] ?? params['name'];
  const { status, json } = await sendHttp(gateway.url, {
    headers: modernHeaders(method, named === undefined ? undefined : String(named)),
    body,
  });
  return { status, ...json };
}

const TASKS = 'io.modelcontextprotocol/tasks';
const ANN = { action: 'accept', content: { name: 'Ann' } };
const MODEL_ANSWER = { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm', stopReason: 'endTurn' };
const ROOTS = { roots: [{ uri: 'file:///work', name: 'work' }] };

/** A client's answer, which keeps what it was asked. */
const answers =
  (asked: JsonObject[], answer: JsonObject) =>
  (params: JsonObject): JsonObject => {
    asked.push(params);
    return answer;
  };

/** What passes in every combination; a row says in its own words where a revision has less. */
const ROWS: Readonly<Record<string, Row>> = {
  async 'a form'(cell) {
    const asked: JsonObject[] = [];
    const elicit = answers(asked, ANN);
    await using client = await connect(cell, { elicit });
    const before = runs.length;
    expect(await client.call(`${cell.asks}__ask_form`)).toMatchObject({ data: { form: ANN } });
    expect(asked).toMatchObject([{ message: `The server '${cell.asks}' asks: What is your name?` }]);
    if (cell.server === '2025-11-25') expect(runs.slice(before)).toEqual(['ask_form']);
  },

  async 'a page, with an id in 2025-11-25'(cell) {
    const asked: JsonObject[] = [];
    const elicit = answers(asked, { action: 'accept' });
    await using client = await connect(cell, { elicit });
    expect(await client.call(`${cell.asks}__ask_page`)).toMatchObject({ data: { page: { action: 'accept' } } });
    const message = `The server '${cell.asks}' asks you to open a page of pay.example: Please pay`;
    expect(asked).toMatchObject([{ mode: 'url', message, url: 'https://pay.example/checkout' }]);
    const minted = cell.server === '2025-11-25' ? 'e-1' : expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(asked[0]?.['elicitationId']).toEqual(cell.client === '2025-11-25' ? minted : undefined);
  },

  // 2026-07-28 has no such notice: a page is done when the call goes on.
  async 'the notice that a page is done, in 2025-11-25, to its own client'(cell) {
    const asked: JsonObject[] = [];
    await using client = await connect(cell, { elicit: answers(asked, { action: 'accept' }) });
    await using other = await connect(cell, { elicit: () => ANN });
    const [own, others] = [client, other].map((each) => heardBy(each, 'notifications/elicitation/complete'));
    await client.call(`${cell.asks}__ask_page`);
    const told = cell.client === '2025-11-25' ? asked.map(({ elicitationId }) => ({ elicitationId })) : [];
    await waitFor(() => expect(own).toEqual(told));
    expect(others).toEqual([]);
  },

  async 'a text of a model'(cell) {
    const asked: JsonObject[] = [];
    const sample = answers(asked, MODEL_ANSWER);
    await using client = await connect(cell, { sample });
    expect(await client.call(`${cell.asks}__get_model_text`)).toMatchObject({ data: { model: MODEL_ANSWER } });
    expect(asked).toMatchObject([{ messages: [{ content: { text: 'Say hello' } }] }]);
    expect(asked[0]).not.toHaveProperty('includeContext');
  },

  async 'a form and a text of a model at once'(cell) {
    await using client = await connect(cell, { elicit: () => ANN, sample: () => MODEL_ANSWER });
    expect(await client.call(`${cell.asks}__ask_both`)).toMatchObject({ data: { form: ANN, model: MODEL_ANSWER } });
  },

  async 'the folders of a client'(cell) {
    await using client = await connect(cell, { roots: () => ROOTS });
    expect(await client.call(`${cell.asks}__ask_roots`)).toMatchObject({ data: { roots: ROOTS } });
  },

  async 'the progress of a call'(cell) {
    await using client = await connect(cell);
    const steps: unknown[] = [];
    const onprogress = (step: unknown): void => void steps.push(step);
    await callWith(client, `${cell.asks}__report_progress`, {}, { onprogress } as never);
    expect(steps).toEqual([1, 2].map((progress) => ({ progress, total: 2, message: `step ${progress}` })));
  },

  async 'the cancellation of a call'(cell) {
    await using client = await connect(cell);
    const [before, abort] = [runs.length, new AbortController()];
    const call = client.call(`${cell.asks}__wait_for`, { name: `${cell.kind} ${cell.asks}` }, abort.signal);
    await waitFor(() => expect(runs.slice(before)).toEqual(['wait_for']));
    abort.abort();
    await expect(call).rejects.toThrow();
    await waitFor(() => expect(runs.slice(before)).toEqual(['wait_for', 'cancelled']));
  },

  async 'the log messages of a call, by the level of the session or the request'(cell) {
    await using client = await connect(cell);
    const lines = heardBy(client, 'notifications/message');
    const isOld = cell.client === '2025-11-25';
    if (isOld) await client.client.setLoggingLevel('info');
    const _meta = isOld ? {} : { 'io.modelcontextprotocol/logLevel': 'info' };
    for (const level of ['debug', 'warning'])
      await callWith(client, `${cell.asks}__log_lines`, { params: { level }, _meta });
    const line = { level: 'warning', logger: `${cell.asks}/worker`, data: 'line 1' };
    await waitFor(() => expect(lines).toMatchObject([line]));
  },

  async 'news of a resource'(cell) {
    await using client = await connect(cell);
    const news = heardBy(client, 'notifications/resources/updated');
    const uri = `mcp-aql://${cell.asks}/asking://name`;
    if (client.client instanceof Client && cell.client === '2026-07-28')
      await client.client.listen({ resourceSubscriptions: [uri] });
    else await client.client.subscribeResource({ uri });
    asking.get(cell.server)?.update('asking://name');
    await waitFor(() => expect(news).toMatchObject([{ uri }]));
  },

  async 'a task of a call, its state and its result'(cell) {
    const call = { name: 'mcp_aql', arguments: { operation: `${cell.tasks}__research`, params: { steps: 3 } } };
    const result = { content: [{ text: expect.stringContaining('polls') }] };
    if (cell.client === '2026-07-28') {
      const known = { [TASKS]: {} };
      const { result: task } = (await sendModern('tools/call', call, known)) as { result: JsonObject };
      expect(task).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
      await waitFor(async () => {
        const { result: state } = (await sendModern('tasks/get', { taskId: task['taskId'] }, known)) as {
          result: JsonObject;
        };
        expect(state).toMatchObject({ resultType: 'complete', status: 'completed' });
        expect(state['result']).toMatchObject({ resultType: 'complete', ...result });
      });
      return;
    }
    await using client = await connect(cell);
    const { task } = await request(client, 'tools/call', { ...call, task: { ttl: 60_000 } });
    const { taskId } = task as JsonObject;
    expect(await request(client, 'tasks/result', { taskId })).toMatchObject(result);
    expect(await request(client, 'tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
  },

  // 2025-11-25 has no `subscriptions/listen`.
  async 'the refusal of news of tasks to a client that declares none'(cell) {
    const params = { notifications: { taskIds: ['one'] } };
    if (cell.client === '2026-07-28') {
      const requiredCapabilities = { extensions: { [TASKS]: {} } };
      const error = { code: -32021, data: { requiredCapabilities } };
      expect(await sendModern('subscriptions/listen', params, {})).toMatchObject({ status: 400, error });
      return;
    }
    await using client = await connect(cell);
    // The SDK's own client asks nobody for what its era does not have.
    const refusals = [-32601, 'METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION'];
    const refused = await request(client, 'subscriptions/listen', params).catch((error: unknown) => error);
    expect(refusals).toContain(Object(refused).code);
  },
};

const CELLS = CLIENT_KINDS.flatMap((kind) =>
  REVISIONS.map((server): Cell => {
    const [asks, tasks] = SERVERS[server];
    return { kind, client: revisionOf(kind), server, asks, tasks };
  }),
);

it.each(Object.entries(ROWS).flatMap(([what, run]) => CELLS.map((cell) => ({ what, run, ...cell }))))(
  '$what: $kind with $client, and a server of $server',
  async ({ what: _what, run, ...cell }) => run(cell),
);
