import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

const ROWS = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, text: 'x'.repeat(80) })));

it.each([
  ['a server is taken out of its view', {}, ['notes']],
  [
    'a rule denies its operations',
    { rules: [{ match: { upstream: 'pay' }, decision: 'deny', reason: 'closed' }] },
    ['notes', 'pay'],
  ],
])('what was kept of calls cannot be read any more once %s', async (_when, policy, left) => {
  await using notes = await startToolServer([{ name: 'list_notes', answer: () => textBlocks(ROWS) }]);
  await using pay = await startToolServer([{ name: 'list_salaries', answer: () => textBlocks(ROWS) }]);
  const config = {
    executions: { enabled: true },
    mcpServers: { notes: { url: notes.url }, pay: { url: pay.url } },
  };
  const view = (upstreams: readonly string[]) => ({ people: { upstreams } });
  await using live = await openLiveGateway({ ...config, views: view(['notes', 'pay']) });
  const client = await live.connect('http', 'legacy', undefined, 'people');
  const handleOf = async (operation: string): Promise<string> => {
    const answer = await live.call(client, operation);
    const [handle] = /res_[\w-]+/.exec(JSON.stringify(answer.warnings)) ?? [];
    return handle ?? 'none';
  };
  const read = (handle: string) => live.call(client, 'introspect', { query: 'result', name: handle, path: '[0].id' });
  const begin = async (operation: string): Promise<string> => {
    const { data } = await live.call(client, operation, { _execution: { background: true } });
    await live.call(client, 'get_execution_status', { execution_id: data.execution_id, wait_seconds: 20 });
    return data.execution_id;
  };
  const [kept, gone] = [await handleOf('list_notes'), await handleOf('list_salaries')];
  const [keptRun, goneRun] = [await begin('list_notes'), await begin('list_salaries')];
  expect((await read(gone)).success).toBe(true);

  await live.reload({ ...config, policy, views: view(left) });

  expect((await read(kept)).success).toBe(true);
  const refused = await read(gone);
  expect(refused.error?.message).toContain('There is no stored result');
  const status = await live.call(client, 'get_execution_status', { execution_id: goneRun });
  expect(status.error?.code).toBe('NOT_FOUND_RESOURCE');
  const cancelled = await live.call(client, 'cancel_execution', { execution_id: goneRun });
  expect(cancelled.error?.code).toBe('NOT_FOUND_RESOURCE');
  const { data } = await live.call(client, 'list_executions');
  expect(data.executions.map(({ execution_id: id }: { execution_id: string }) => id)).toEqual([keptRun]);
  expect(JSON.stringify([refused, status, cancelled, data])).not.toContain('list_salaries');
});

/** A server with many resources, of which each is long. */
function records(name: string) {
  const source = `{
    capabilities: { resources: {} },
    'resources/list': () => ({ resources: Array.from({ length: 500 }, (_, id) => (
      { uri: '${name}://' + id, name: 'record ' + id, description: 'x'.repeat(300) })) }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: JSON.stringify(Array(2_000).fill(uri + 'x'.repeat(80))) }] }),
  }`;
  return { command: process.execPath, args: [`${REPOSITORY}test/fixtures/servers/methods-server.mjs`, source] };
}

it.each([
  ['a server is taken out of its view', {}, ['notes']],
  [
    'a rule denies its resources',
    { rules: [{ match: { upstream: 'pay' }, decision: 'deny', reason: 'closed' }] },
    ['notes', 'pay'],
  ],
])('what was kept of resources cannot be read any more once %s', async (_when, policy, left) => {
  const config = { mcpServers: { notes: records('notes'), pay: records('pay') } };
  const view = (upstreams: readonly string[]) => ({ people: { upstreams } });
  await using live = await openLiveGateway({ ...config, views: view(['notes', 'pay']) });
  const client = await live.connect('http', 'legacy', undefined, 'people');
  const handleOf = async (operation: string, params: JsonObject): Promise<string> =>
    /res_[\w-]+/.exec(JSON.stringify((await live.call(client, operation, params)).warnings))?.[0] ?? 'none';
  const read = (handle: string) => live.call(client, 'introspect', { query: 'result', name: handle });
  const kept = [
    await handleOf('read_resource', { uri: 'notes://1' }),
    await handleOf('list_resources', { upstream: 'notes' }),
  ];
  const gone = [
    await handleOf('read_resource', { uri: 'pay://1' }),
    await handleOf('list_resources', { upstream: 'pay' }),
    await handleOf('list_resources', {}),
  ];
  for (const handle of [...kept, ...gone]) expect((await read(handle)).success).toBe(true);

  await live.reload({ ...config, policy, views: view(left) });

  for (const handle of kept) expect((await read(handle)).success).toBe(true);
  for (const handle of gone) expect((await read(handle)).error?.message).toContain('There is no stored result');
});
