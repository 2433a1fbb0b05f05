import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';

/** Far more than one answer holds. */
const ROWS = makeRows(4_000);
const HARD_STOP = 60_000;
const EXHAUSTED = 'RATE_LIMIT_QUOTA_EXHAUSTED';

let upstream: RowsUpstream;

beforeAll(async () => {
  upstream = await startRowsUpstream(ROWS);
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const serve = () =>
  hostGateway({
    mcpServers: { demo: { url: upstream.url, operations: { list_rows: { category: 'READ', danger: 'safe' } } } },
    quotas: {
      limits: [{ metric: 'tokens_per_day', match: { operation: 'list_rows' }, hard_stop: HARD_STOP }],
    },
  });

async function countedBy(client: McpClient): Promise<number> {
  const { data } = await client.introspect({ query: 'quota_status' });
  return data.quotas[0].current;
}

/** Repeats until it is refused; the text of all answers, in characters. */
async function deliver(ask: () => ReturnType<McpClient['introspect']>): Promise<number> {
  let characters = 0;
  for (let answer = await ask(); ; answer = await ask()) {
    if (!answer.success) {
      expect(answer.error?.code).toBe(EXHAUSTED);
      return characters;
    }
    characters += JSON.stringify(answer.data).length;
  }
}

it('counts each part of a stored answer, and gives none once the budget is used up', async () => {
  await using gateway = await serve();
  await using client = await connectClient(gateway.url);
  const first = await client.call('mcp_aql_read', 'list_rows', {});
  const handle = /res_[\w-]+/.exec(JSON.stringify(first.raw))?.[0];
  const before = await countedBy(client);
  const delivered = await deliver(() => client.introspect({ query: 'result', name: handle, path: 'rows', first: 300 }));
  expect(await countedBy(client)).toBeGreaterThanOrEqual(before + delivered / 4);
  expect(await countedBy(client)).toBeLessThan(HARD_STOP + 26_000);
});

it('counts each page that a cursor asks for, and gives none once the budget is used up', async () => {
  await using gateway = await serve();
  await using client = await connectClient(gateway.url);
  const first = await client.call('mcp_aql_read', 'list_rows', { first: 300 });
  const after = first.data.pageInfo.endCursor;
  const sent = upstream.calls.length;
  await deliver(() => client.call('mcp_aql_read', 'list_rows', { first: 300, after }));
  expect(upstream.calls).toHaveLength(sent);
  expect(await countedBy(client)).toBeLessThan(HARD_STOP + 26_000);
});

it('lets calls at once deliver no more than the budget and the answer that crosses it', async () => {
  await using gateway = await serve();
  await using client = await connectClient(gateway.url);
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.call('mcp_aql_read', 'list_rows', {})));
  expect(new Set(answers.flatMap(({ error }) => (error === undefined ? [] : [error.code])))).toEqual(
    new Set([EXHAUSTED]),
  );
  expect(await countedBy(client)).toBeGreaterThanOrEqual(HARD_STOP);
  expect(await countedBy(client)).toBeLessThan(HARD_STOP + 26_000);
});
