import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { connectAsked } from '../support/asked-client.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { inlineServer } from '../support/inline-server.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { sendHttp } from '../support/raw-http.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';

const text = (value: string) => `({ content: [{ type: 'text', text: JSON.stringify(${value}) }] })`;
const ID = `inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }`;

/** Notes that take down what reaches them. */
const NOTES = inlineServer(`{
  list_notes: { tool: { annotations: { readOnlyHint: true } }, run: () => ${text('[3, 1, 2].map((id) => ({ id, open: id !== 2 }))')} },
  get_note: { tool: { annotations: { readOnlyHint: true }, ${ID} }, run: ({ id }) => ${text('{ id }')} },
  create_note: { tool: { ${ID} }, run: ({ id }, server) => { (server.seen ??= []).push('create ' + id); return ${text('{ created: id }')}; } },
  delete_note: { tool: { ${ID} }, run: ({ id }, server) => { (server.seen ??= []).push('delete ' + id); return ${text('{ deleted: id }')}; } },
  list_seen: { tool: { annotations: { readOnlyHint: true } }, run: ({}, { seen = [] }) => ${text('seen')} },
}`);

const PERSON = [{ match: { operation: 'delete_note' }, decision: 'confirm', requires: 'human' }];
const ANN = 'ann-has-a-long-token-0123456';
const OPERATOR = 'omar-has-a-long-token-0123456';

async function open(more: object = {}) {
  const live = await openLiveGateway({ programs: { enabled: true }, mcpServers: { notes: NOTES }, ...more });
  onTestFinished(() => live[Symbol.asyncDispose]());
  return live;
}

async function openWithClient(more: object = {}) {
  const live = await open(more);
  const client = await live.connect('http', 'legacy');
  const call = (operation: string, params: JsonObject = {}) => live.call(client, operation, params);
  return { ...live, call, seen: async () => (await call('list_seen')).data };
}

const TOGETHER =
  'return Promise.all([aql.delete("delete_note", { id: 1 }), aql.execute ? aql.create("create_note", { id: 2 }) : 0, aql.delete("delete_note", { id: 3 })]);';

describe('calls of a program that are made together', () => {
  it('are asked about together, and run in their order with one token', async () => {
    const { call, seen } = await openWithClient();
    const stopped = await call('run_program', { code: TOGETHER });
    expect(stopped.error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      message: expect.stringMatching(/^The program has stopped before 2 calls that require confirmation:/),
      details: {
        calls_run: 0,
        asked: [
          { confirmation_message: expect.stringContaining('id = 1') },
          { confirmation_message: expect.stringContaining('id = 3') },
        ],
      },
    });
    expect(JSON.stringify(stopped)).not.toContain('conf_');
    expect(await seen()).toEqual([]);
    const { data } = await call('run_program', { program_token: stopped.error?.details?.['program_token'] });
    expect(data).toEqual({ result: [{ deleted: 1 }, { created: 2 }, { deleted: 3 }], calls: 3 });
    expect(await seen()).toEqual(['delete 1', 'create 2', 'delete 3']);
  });

  it('stay agreed to where the program stops once more before their turns', async () => {
    const { call, seen } = await openWithClient();
    const code = `const first = aql.delete("delete_note", { id: 1 });
      const chained = first.then(() => Promise.all([aql.delete("delete_note", { id: 5 }), aql.delete("delete_note", { id: 6 })]));
      return Promise.all([first, aql.delete("delete_note", { id: 2 }), chained]);`;
    const stops: unknown[] = [];
    let answer = await call('run_program', { code });
    while (answer.error?.code === 'CONFIRMATION_REQUIRED') {
      stops.push([answer.error.details?.['asked']].flat().length);
      answer = await call('run_program', { program_token: answer.error.details?.['program_token'] });
    }
    expect(stops).toEqual([2, 2]);
    expect(answer.success).toBe(true);
    expect((await seen()).toSorted()).toEqual(['delete 1', 'delete 2', 'delete 5', 'delete 6']);
  });
});

describe('the result of a reading program', () => {
  it('takes the controls of any list', async () => {
    const { call } = await openWithClient();
    const code = 'return await aql.read("list_notes");';
    const { data } = await call('run_program_read_only', {
      code,
      filter: { open: true },
      sort: '-id',
      fields: ['id'],
      limit: 1,
    });
    expect(data).toMatchObject({ items: [{ id: 3 }], pagination: { total_items: 2 } });
    const summary = await call('run_program_read_only', { code, aggregate: { by: { group_by: 'open', count: true } } });
    expect(summary.data).toMatchObject({ aggregations: { by: { true: 2, false: 1 } } });
    const plain = await call('run_program_read_only', { code: 'return 5;' });
    expect(plain.data).toEqual({ result: 5, calls: 0 });
  });
});

describe('a program whose call needs a person', () => {
  const CODE =
    'const made = await aql.create("create_note", { id: 1 }); return [made, await aql.delete("delete_note", { id: 1 })];';

  it('waits while the client asks its user, and runs on with the answer', async () => {
    const { url, call, seen } = await openWithClient({ policy: { rules: PERSON } });
    const asked: string[] = [];
    const answers = [{ action: 'accept', content: { approve: true } }, { action: 'decline' }];
    await using asking = await connectAsked(
      'SDK v2 legacy',
      { url },
      {
        elicit: ({ message }) => {
          asked.push(String(message));
          return answers.shift() ?? {};
        },
      },
    );
    expect(await asking.call('run_program', { code: CODE })).toMatchObject({
      success: true,
      data: { result: [{ created: 1 }, { deleted: 1 }], calls: 2 },
    });
    const declined = await asking.call('run_program', {
      code: 'return await aql.delete("delete_note", { id: 9 }).catch(({ code }) => code);',
    });
    expect(declined).toMatchObject({ data: { result: 'PERMISSION_DENIED' } });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('delete_note');
    expect(await seen()).toEqual(['create 1', 'delete 1']);
    expect((await call('list_notes')).success).toBe(true);
  });

  it('goes on by its token once an operator has approved, and stays stopped before', async () => {
    const { url, call, seen } = await openWithClient({
      policy: { rules: PERSON, approvals: { operators: { omar: { token: OPERATOR } } } },
    });
    const stopped = await call('run_program', { code: CODE });
    expect(stopped.error?.code).toBe('CONFIRMATION_REQUIRED');
    const early = await call('run_program', { program_token: stopped.error?.details?.['program_token'] });
    expect(early.error?.code).toBe('CONFIRMATION_REQUIRED');
    expect(await seen()).toEqual(['create 1']);
    const admin = (method: 'GET' | 'POST', path: string) =>
      sendHttp(new URL(`/admin/approvals${path}`, url).href, {
        method,
        headers: { authorization: `Bearer ${OPERATOR}` },
        ...(method === 'POST' && { body: {} }),
      });
    const { json } = await admin('GET', '?status=pending');
    for (const { id } of json.approvals) expect((await admin('POST', `/${id}/approve`)).status).toBe(200);
    const { data } = await call('run_program', { program_token: early.error?.details?.['program_token'] });
    expect(data).toMatchObject({ result: [{ created: 1 }, { deleted: 1 }], calls: 2 });
    expect(await seen()).toEqual(['create 1', 'delete 1']);
  });
});

describe('a program at the pause of a quota', () => {
  it('stops, and goes on by its token', async () => {
    const limits = [{ name: 'notes', match: { operation: 'get_note' }, metric: 'requests_per_day', pause: 2 }];
    const { call } = await openWithClient({ quotas: { limits } });
    const stopped = await call('run_program', {
      code: 'const ids = []; for (const id of [1, 2, 3]) ids.push((await aql.read("get_note", { id })).id); return ids;',
    });
    expect(stopped.error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', details: { calls_run: 2 } });
    const { data } = await call('run_program', { program_token: stopped.error?.details?.['program_token'] });
    expect(data).toMatchObject({ result: [1, 2, 3], calls: 3 });
  });
});

describe('the progress of a program', () => {
  it('counts its calls', async () => {
    const live = await open();
    const client = await live.connect('http', 'legacy');
    const told: unknown[] = [];
    await client.callTool(
      {
        name: 'mcp_aql',
        arguments: {
          operation: 'run_program',
          params: { code: 'for (const id of [1, 2, 3]) await aql.read("get_note", { id }); return 1;' },
        },
      },
      { onprogress: ({ progress, message }) => told.push([progress, message]) },
    );
    expect(told).toEqual([1, 2, 3].map((count) => [count, 'get_note']));
  });
});

const readerOf = (url: string) => createClient({ url });

/** Whatever a key of Redis holds, as a text. */
async function readAny(reader: ReturnType<typeof readerOf>, key: string): Promise<string> {
  const type = await reader.type(key);
  if (type === 'hash') return JSON.stringify(await reader.hGetAll(key));
  return type === 'string' ? String(await reader.get(key)) : '';
}

describe('a program that stops at one replica', () => {
  it.skipIf(REDIS_BINARY === undefined)(`goes on at another, and once over both, on Redis (${NO_REDIS})`, async () => {
    await using redis = await startRedisServer();
    const directory = await makeDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const shared = {
      store: { type: 'redis', url: redis.url },
      mcpServers: { notes: { ...NOTES, cwd: directory.path } },
    };
    const [one, other] = [await openWithClient(shared), await openWithClient(shared)];
    const stopped = await one.call('run_program', {
      code: 'await aql.create("create_note", { id: 1 }); return aql.delete("delete_note", { id: 1 });',
    });
    const params = { program_token: stopped.error?.details?.['program_token'] };
    const went = await Promise.all([one, other, one, other].map(({ call }) => call('run_program', params)));
    expect(went.filter(({ success }) => success)).toMatchObject([{ data: { result: { deleted: 1 }, calls: 2 } }]);
    const seen = [...(await one.seen()), ...(await other.seen())];
    expect(seen.toSorted()).toEqual(['create 1', 'delete 1']);
  });

  it.skipIf(REDIS_BINARY === undefined)(
    `in the background leaves a token in the store that who reads it cannot use, on Redis (${NO_REDIS})`,
    async () => {
      await using redis = await startRedisServer();
      const directory = await makeDirectory();
      onTestFinished(() => directory[Symbol.asyncDispose]());
      const shared = {
        store: { type: 'redis', url: redis.url },
        executions: { enabled: true },
        credentials: { key: 'a-key-of-the-configuration-0123456789' },
        clients: { ann: { token: ANN } },
        mcpServers: { notes: { ...NOTES, cwd: directory.path } },
      };
      const [one, other] = [await open(shared), await open(shared)];
      const [atOne, atOther] = [await one.connect('http', 'legacy', ANN), await other.connect('http', 'legacy', ANN)];
      const { data } = await one.call(atOne, 'run_program', {
        code: 'return aql.delete("delete_note", { id: 1 });',
        _execution: { background: true },
      });
      const status = { execution_id: data.execution_id, wait_seconds: 30 };
      await one.call(atOne, 'get_execution_status', status);
      const { data: ended } = await other.call(atOther, 'get_execution_status', status);
      const token = ended.error.details.program_token;
      expect(token).toMatch(/^program_/);
      const reader = readerOf(redis.url);
      await reader.connect();
      const kept = await Promise.all((await reader.keys('*')).map((key) => readAny(reader, key)));
      reader.destroy();
      expect(kept.join('\n')).toContain('CONFIRMATION_REQUIRED');
      expect(kept.join('\n')).not.toContain(token);
      expect((await other.call(atOther, 'run_program', { program_token: token })).data.result).toEqual({ deleted: 1 });
    },
  );
});
