import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { serveTasksHttp, type TasksServer } from '../fixtures/servers/tasks.mjs';
import { type AskedClient, CLIENT_KINDS, connectAsked } from '../support/asked-client.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { waitFor } from '../support/patience.js';
import { REPOSITORY } from '../support/served-gateway.js';

const STDIO = { command: process.execPath, args: [join(REPOSITORY, 'test/fixtures/servers/tasks-server.mjs')] };

/** Whose tools run as tasks: one of 2025-11-25, and one of 2026-07-28. */
const UPSTREAMS = ['older', 'newer'] as const;

let newer: TasksServer;
let gateway: RunningGateway;

beforeAll(async () => {
  newer = await serveTasksHttp();
  gateway = await hostGateway({
    endpoint: { mode: 'single' },
    mcpServers: { older: STDIO, newer: { url: newer.url } },
  });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await newer?.close();
});

const ANSWER = { action: 'accept', content: { name: 'Ann' } };

/** What the tasks of one name have come to at the server. */
async function statusesOf(client: AskedClient, upstream: string, name: string): Promise<readonly unknown[]> {
  const { data } = await client.call(`${upstream}__show_tasks`);
  return (data as unknown as readonly JsonObject[]).filter((task) => task['name'] === name).map(({ status }) => status);
}

describe.each(CLIENT_KINDS)('%s, which knows nothing of tasks,', (kind) => {
  let client: AskedClient;
  const asked: JsonObject[] = [];
  beforeAll(async () => {
    client = await connectAsked(
      kind,
      { url: gateway.url },
      {
        elicit: (params) => {
          asked.push(params);
          return ANSWER;
        },
      },
    );
  });
  afterAll(() => client?.[Symbol.asyncDispose]());

  it.each(UPSTREAMS)('gets the result of a tool of %s that runs as a task', async (upstream) => {
    const { data, raw } = await client.call(`${upstream}__research`, { steps: 3 });
    expect(data).toEqual({ polls: 3 });
    expect(JSON.stringify(raw)).not.toMatch(/related-task|forged/);
  });

  it.each(UPSTREAMS)('is asked what a task of %s asks', async (upstream) => {
    asked.length = 0;
    expect(await client.call(`${upstream}__ask_name`)).toMatchObject({ data: ANSWER });
    expect(asked).toMatchObject([{ message: `The server '${upstream}' asks: What is your name?` }]);
  });

  it.each(UPSTREAMS)('reads why a task of %s has failed, or was cancelled there', async (upstream) => {
    const failed = await client.call(`${upstream}__fail_hard`);
    expect(failed).toMatchObject({ success: false, error: { details: { upstream_error: 'the disk is full' } } });
    const cancelled = await client.call(`${upstream}__give_up`);
    expect(cancelled).toMatchObject({
      success: false,
      error: { details: { upstream_error: 'The server has cancelled the task' } },
    });
  });

  it.each(UPSTREAMS)('cancels a task of %s with its call', async (upstream) => {
    const before = (await statusesOf(client, upstream, 'never_ends')).length;
    const abort = new AbortController();
    const call = client.call(`${upstream}__never_ends`, {}, abort.signal).catch(() => 'aborted');
    await waitFor(async () =>
      expect((await statusesOf(client, upstream, 'never_ends')).slice(before)).toEqual(['working']),
    );
    abort.abort();
    expect(await call).toBe('aborted');
    await waitFor(async () =>
      expect((await statusesOf(client, upstream, 'never_ends')).slice(before)).toEqual(['cancelled']),
    );
  });

  it.each(UPSTREAMS)('gets what the server says of the status as progress: %s', async (upstream) => {
    const steps: unknown[] = [];
    const call = { operation: `${upstream}__research`, params: { steps: 4 } };
    const params = { name: 'mcp_aql', arguments: call };
    const options = { onprogress: (step: unknown) => steps.push(step) };
    await ('experimental' in client.client && kind === 'SDK v1'
      ? client.client.callTool(params, undefined, options as never)
      : client.client.callTool(params, options as never));
    expect(steps.slice(0, 2)).toEqual([
      { progress: 1, message: 'step 1' },
      { progress: 2, message: 'step 2' },
    ]);
  });

  it('calls without a task what can be called either way', async () => {
    expect(await client.call('older__either_way')).toMatchObject({ data: { task: false } });
    expect(await client.call('newer__either_way', { steps: 0 })).toMatchObject({ data: { task: false } });
  });
});

it('a client that cannot be asked is told what a task asks for, and the task is cancelled', async () => {
  await using client = await connectAsked('SDK v2 modern', { url: gateway.url });
  const { success, error } = await client.call('newer__ask_name');
  expect([success, JSON.stringify(error)]).toEqual([false, expect.stringContaining('this client cannot be asked')]);
  await waitFor(async () => expect((await statusesOf(client, 'newer', 'ask_name')).at(-1)).toBe('cancelled'));
});

it('progress that a server reports for a task reaches the client under its own token', async () => {
  await using client = await connectAsked('SDK v2 legacy', { url: gateway.url });
  const steps: unknown[] = [];
  const params = { name: 'mcp_aql', arguments: { operation: 'older__research', params: { steps: 9 } } };
  await (client.client as { callTool(params: object, options: object): Promise<unknown> }).callTool(params, {
    onprogress: (step: unknown) => steps.push(step),
  });
  expect(steps).toContainEqual({ progress: 50, message: 'half' });
});
