import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { type ServedTool, startToolServer, textBlocks } from '../support/tool-server.js';

const ROWS = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, text: 'x'.repeat(80) })));
const READS = 'return await aql.read("list_salaries");';

/** What a client does while it may, and what it asks for afterwards. */
interface Keeping {
  readonly call: (operation: string, params?: JsonObject) => Promise<Envelope>;
  readonly batch: (operations: readonly JsonObject[]) => Promise<readonly JsonObject[]>;
}

type ReadAgain = () => Promise<Envelope>;

function readKept({ call }: Keeping, answer: unknown): ReadAgain {
  // The last one is of the warnings: the data may tell of others.
  const handle =
    JSON.stringify(answer)
      .match(/res_[\w-]+/g)
      ?.at(-1) ?? 'none';
  return () => call('introspect', { query: 'result', name: handle });
}

/** A program that returns more than is sent at once of what is kept of an answer. */
function readingOn({ warnings }: Envelope): string {
  const [handle = 'none'] = /res_[\w-]+/.exec(JSON.stringify(warnings)) ?? [];
  const params = `{ query: "result", name: "${handle}" }`;
  return `const part = JSON.stringify(await aql.read("introspect", ${params})); return Array(2_000).fill(part.slice(0, 200));`;
}

async function begin({ call }: Keeping, operation: string, params: JsonObject): Promise<string> {
  const { data } = await call(operation, { ...params, _execution: { background: true } });
  await call('get_execution_status', { execution_id: data.execution_id, wait_seconds: 20 });
  return data.execution_id;
}

/** The ways in which what an operation has answered is kept as a part of something else. */
const WAYS: Readonly<Record<string, (keeping: Keeping) => Promise<ReadAgain>>> = {
  'the result of a program': async (keeping) => readKept(keeping, await keeping.call('run_program', { code: READS })),
  'a page of the list that a program has found': async ({ call }) => {
    const params = { code: READS, first: 5 };
    const { data, error } = await call('run_program_read_only', params);
    expect(error).toBeUndefined();
    return () => call('run_program_read_only', { ...params, after: data.pageInfo.endCursor });
  },
  'the result of a program that has read a kept result': async (keeping) => {
    const code = readingOn(await keeping.call('list_salaries'));
    return readKept(keeping, await keeping.call('run_program', { code }));
  },
  'the result of a program that has read the kept result of a program': async (keeping) => {
    const code = readingOn(await keeping.call('run_program', { code: READS }));
    return readKept(keeping, await keeping.call('run_program', { code }));
  },
  'the result of a program in a batch': async (keeping) =>
    readKept(keeping, await keeping.batch([{ operation: 'run_program', params: { code: READS } }])),
  'the result of a program that runs in the background': async (keeping) => {
    const id = await begin(keeping, 'run_program', { code: READS });
    return () => keeping.call('get_execution_status', { execution_id: id });
  },
  'the error of a program that runs in the background': async (keeping) => {
    const code = 'throw new Error(JSON.stringify(await aql.read("list_salaries")).slice(0, 200));';
    const id = await begin(keeping, 'run_program', { code });
    return () => keeping.call('get_execution_status', { execution_id: id });
  },
  'what of an execution was too large to be sent': async (keeping) => {
    const id = await begin(keeping, 'list_salaries', {});
    return readKept(keeping, await keeping.call('get_execution_status', { execution_id: id }));
  },
  'what of the execution of a program was too large to be sent': async (keeping) => {
    const id = await begin(keeping, 'run_program', { code: READS });
    return readKept(keeping, await keeping.call('get_execution_status', { execution_id: id }));
  },
};

async function keepingOf(live: LiveGateway, client: Client): Promise<Keeping> {
  return {
    call: (operation, params) => live.call(client, operation, params),
    async batch(operations) {
      const { content } = await client.callTool({ name: 'mcp_aql', arguments: { operations } });
      return content as readonly JsonObject[];
    },
  };
}

it.each([
  ['a server is taken out of its view', {}, ['notes']],
  [
    'a rule denies its operations',
    { rules: [{ match: { upstream: 'pay' }, decision: 'deny', reason: 'closed' }] },
    ['notes', 'pay'],
  ],
])('what was made of the answers of others cannot be read any more once %s', async (_when, policy, left) => {
  await using notes = await startToolServer([{ name: 'list_notes', answer: () => textBlocks(ROWS) }]);
  await using pay = await startToolServer([{ name: 'list_salaries', answer: () => textBlocks(ROWS) }]);
  const config = {
    executions: { enabled: true },
    programs: { enabled: true },
    mcpServers: { notes: { url: notes.url }, pay: { url: pay.url } },
  };
  const view = (upstreams: readonly string[]) => ({ people: { upstreams } });
  await using live = await openLiveGateway({ ...config, views: view(['notes', 'pay']) });
  const keeping = await keepingOf(live, await live.connect('http', 'legacy', undefined, 'people'));
  const kept = new Map<string, ReadAgain>();
  for (const [way, keep] of Object.entries(WAYS)) kept.set(way, await keep(keeping));
  const ofNotes = readKept(
    keeping,
    await keeping.call('run_program', { code: 'return await aql.read("list_notes");' }),
  );
  for (const [way, read] of kept) expect([way, (await read()).success]).toEqual([way, true]);

  await live.reload({ ...config, policy, views: view(left) });

  expect((await ofNotes()).success).toBe(true);
  for (const [way, read] of kept) {
    const answer = await read();
    expect([way, answer.success], JSON.stringify(answer).slice(0, 300)).toEqual([way, false]);
    expect(JSON.stringify(answer)).not.toMatch(/xxxx|list_salaries/);
  }
  const { data } = await keeping.call('list_executions');
  expect(data.executions).toEqual([]);
});

it('what a program has read is unknown after a restart once its operation is gone, and is not given on to the rest of it', async () => {
  const tools: ServedTool[] = [
    { name: 'list_salaries', answer: () => textBlocks(ROWS) },
    { name: 'list_notes', answer: () => textBlocks(ROWS) },
    { name: 'delete_note', writes: true, answer: () => textBlocks('{}') },
  ];
  await using server = await startToolServer(tools);
  const token = 'a-static-token-of-a-client';
  const config = {
    dataDir: mkdtempSync(join(tmpdir(), 'made-of-')),
    store: { type: 'sqlite' },
    clients: { team: { token } },
    executions: { enabled: true },
    programs: { enabled: true },
    mcpServers: { pay: { url: server.url } },
  };
  const open = async () => {
    const live = await openLiveGateway(config);
    return { live, keeping: await keepingOf(live, await live.connect('http', 'legacy', token)) };
  };
  const programOf = (operation: string) => `const rows = await aql.call("${operation}"); `;
  const before = await open();
  const stop = async (operation: string): Promise<JsonObject> => {
    const code = `${programOf(operation)}await aql.call("delete_note"); return rows[0];`;
    const { error } = await before.keeping.call('run_program', { code });
    return { program_token: error?.details?.['program_token'] ?? 'none' };
  };
  const end = (operation: string) =>
    begin(before.keeping, 'run_program', { code: `${programOf(operation)}return rows[0];` });
  const [gone, left] = [await stop('list_salaries'), await stop('list_notes')];
  const [goneRun, leftRun] = [await end('list_salaries'), await end('list_notes')];
  await before.live[Symbol.asyncDispose]();
  tools.shift();

  const after = await open();
  await using _live = after.live;
  const { call } = after.keeping;
  expect((await call('get_execution_status', { execution_id: leftRun })).data?.status).toBe('completed');
  expect((await call('get_execution_status', { execution_id: goneRun })).error?.code).toBe('NOT_FOUND_RESOURCE');
  expect((await call('run_program', left)).data?.result.id).toBe(0);
  const refused = await call('run_program', gone);
  expect(refused.error?.code).toBe('TOKEN_INVALID');
  expect(JSON.stringify(refused)).not.toMatch(/xxxx|list_salaries/);
});
