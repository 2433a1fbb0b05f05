import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisStore } from '../../src/store/redis-store.js';
import { inlineServer } from '../support/inline-server.js';
import { type LeanCall, leanCaller } from '../support/lean-client.js';
import { eachNth } from '../support/nightly.js';
import { sendHttp } from '../support/raw-http.js';
import { REDIS_BINARY, startRedisServer } from '../support/redis-server.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

interface Database {
  prepare(sql: string): { run(...params: readonly (string | number)[]): void };
  close(): void;
}
const SqliteDatabase: new (file: string) => Database = createRequire(import.meta.url)('libsql');

const HEAP_MB = 256;
const MB = 1_048_576;
const OPERATOR = 'olga-has-a-long-token';
const NODE_ARGS = [`--max-old-space-size=${HEAP_MB}`];

/** What somebody else has written where the gateway keeps its own. */
const HOSTILE: Readonly<Record<string, (bytes: number) => string>> = {
  objects: (bytes) => `{"a":[${'{},'.repeat(bytes / 3)}{}]}`,
  text: (bytes) => `{"a":"${'x'.repeat(bytes)}"}`,
  levels: (bytes) => `{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'half of an object': (bytes) => `{"a":"${'x'.repeat(bytes)}`,
};
const CASES = eachNth(3, [
  ...Object.keys(HOSTILE).flatMap((form) => [1, 10].map((mb) => [mb, form] as const)),
  [100, 'objects'] as const,
]);

const NOTES = inlineServer(`{
  get_note: { tool: { annotations: { readOnlyHint: true } }, run: () => ({ content: [{ type: 'text', text: '"a note"' }] }) },
}`);
const CONFIG = {
  mcpServers: { notes: NOTES },
  store: { type: 'sqlite' },
  executions: { enabled: true },
  policy: { approvals: { operators: { olga: { token: OPERATOR } } } },
};

let gateway: ServedGateway;
let call: LeanCall;

beforeAll(async () => {
  gateway = await serveGateway(CONFIG, { nodeArgs: NODE_ARGS });
  call = leanCaller(gateway.url);
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: string) =>
  fetch(new URL(path, gateway.url), {
    method,
    headers: { authorization: `Bearer ${OPERATOR}` },
    ...(body === undefined ? {} : { body }),
  });

/** The same process answers as before. */
async function requireAlive(): Promise<void> {
  expect(await call('mcp_aql_read', 'get_note')).toMatchObject({ success: true });
  expect(gateway.process.exitCode).toBeNull();
}

it.each(CASES)('outlives records of %i MB of %s in the state file, and uses those beside them', async (mb, form) => {
  const database = new SqliteDatabase(join(gateway.directory, '.mcp-aql/state.db'));
  const insert = database.prepare(
    'INSERT OR REPLACE INTO records (collection, key, value, version, expires_at) VALUES (?, ?, ?, 1, ?)',
  );
  const value = HOSTILE[form]?.(mb * MB) ?? '';
  for (const collection of ['approval', 'execution'])
    insert.run(collection, 'of-somebody', value, Date.now() + 600_000);
  database.close();
  const { status } = await ask('GET', '/admin/approvals');
  expect(status).toBe(200);
  expect(await call('mcp_aql_read', 'list_executions')).toMatchObject({ success: true });
  await requireAlive();
});

it.runIf(REDIS_BINARY !== undefined).each(['text', 'objects'] as const)(
  'outlives many records of just under 16 MB of %s that are read together from a store of several gateways',
  async (form) => {
    await using redis = await startRedisServer();
    const store = { type: 'redis', url: redis.url, prefix: 'shared' } as const;
    await using shared = await serveGateway({ ...CONFIG, store }, { nodeArgs: NODE_ARGS });
    const other = new RedisStore(store, { now: Date.now, deadlineMs: 60_000 });
    const value = { a: form === 'text' ? 'x'.repeat(15 * MB) : Array(900_000).fill({}) };
    for (let index = 0; index < 6; index++)
      await other.insert('execution', `of-somebody-${index}`, value, { expiresAt: Date.now() + 600_000 });
    await other.close();
    const read = leanCaller(shared.url);
    await Promise.all([1, 2, 3].map(() => read('mcp_aql_read', 'list_executions')));
    expect(await read('mcp_aql_read', 'get_note')).toMatchObject({ success: true });
    expect(shared.process.exitCode).toBeNull();
  },
);

it.each(CASES)("outlives a request of %i MB of %s to the operators' API", async (mb, form) => {
  const headers = { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' };
  const body = HOSTILE[form]?.(mb * MB) ?? '';
  const url = new URL('/admin/upstreams/other', gateway.url).href;
  // A body that is too long may be refused before it is sent to its end.
  await sendHttp(url, { method: 'PUT', headers, body }).catch(() => undefined);
  await requireAlive();
});

it.each(CASES)('refuses a reload with a lock of %i MB of %s, and goes on with the former one', async (mb, form) => {
  const lock = join(gateway.directory, 'gateway.lock.json');
  await writeFile(lock, HOSTILE[form]?.(mb * MB) ?? '');
  const { status } = await ask('POST', '/admin/reload');
  expect(status).toBe(422);
  await requireAlive();
});

it.each(['client.token', 'session.key', 'catalog.json', 'state.db'])(
  'starts, or says why it does not, where its %s is 100 MB of somebody else',
  async (name) => {
    const files = { [`.mcp-aql/${name}`]: HOSTILE['objects']?.(100 * MB) ?? '' };
    const started = serveGateway({ mcpServers: {} }, { nodeArgs: NODE_ARGS, files, args: ['--host', '0.0.0.0'] });
    const outcome = await started.then(
      async (other) => {
        await other[Symbol.asyncDispose]();
        return 'served';
      },
      (fault: Error) => fault.message,
    );
    expect(outcome).not.toMatch(/heap|FATAL|SIG| {4}at /);
  },
);
