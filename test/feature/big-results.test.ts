import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { makeRows, type Row, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';
import { runCli } from '../support/run-cli.js';

const READ = 'mcp_aql_read';
const ROWS = makeRows(2_000);
const MAX_TOKENS = 5_000;

let upstream: RowsUpstream;
let gateway: RunningGateway;
let client: McpClient;

beforeAll(async () => {
  upstream = await startRowsUpstream(ROWS);
  gateway = await hostGateway({ results: { maxTokens: MAX_TOKENS }, mcpServers: { rows: { url: upstream.url } } });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const textOf = ({ raw }: Answer): string => (raw['content'] as [{ readonly text: string }])[0].text;
const warningOf = (answer: Answer) =>
  (JSON.parse(textOf(answer)) as { readonly warnings: readonly (JsonObject & { readonly details: JsonObject })[] })
    .warnings[0];
const readOn = async (name: string, more: JsonObject) => {
  const { data, error } = await client.introspect({ query: 'result', name, ...more });
  expect(error).toBeUndefined();
  return data;
};

describe('an answer that is too big', () => {
  it('keeps its shape and whole items, and says what it left out', async () => {
    const answer = await client.call(READ, 'list_rows');
    const { rows, total } = answer.data as { readonly rows: readonly Row[]; readonly total: number };
    expect(total).toBe(ROWS.length);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows).toEqual(ROWS.slice(0, rows.length));
    expect(countTokens(JSON.stringify(answer.data))).toBeLessThanOrEqual(MAX_TOKENS * 1.15);
    expect(warningOf(answer)).toMatchObject({
      code: 'VALIDATION_TRUNCATED_WARNING',
      details: { field: 'rows', original_count: ROWS.length, truncated_count: rows.length, limit: MAX_TOKENS },
    });
  });

  it('is sent whole on the command line, which cannot read on', async () => {
    const { stdout, code } = await runCli(['tools', 'call', 'list_rows'], { cwd: gateway.directory });
    expect(code).toBe(0);
    const { data, warnings } = JSON.parse(stdout) as { readonly data: JsonObject; readonly warnings?: unknown };
    expect(data['rows']).toEqual(ROWS);
    expect(warnings).toBeUndefined();
  });

  it('continues by its cursor without losing an item', async () => {
    const answer = await client.call(READ, 'list_rows');
    const calls = upstream.calls.length;
    const seen: Row[] = [...answer.data.rows];
    let after = warningOf(answer)?.details['cursor'];
    while (after !== undefined) {
      const page = await client.call(READ, 'list_rows', { first: 1_000, after });
      seen.push(...page.data.items);
      after = page.data.pageInfo.hasNextPage ? page.data.pageInfo.endCursor : undefined;
    }
    expect(seen).toEqual(ROWS);
    expect(upstream.calls).toHaveLength(calls);
  });

  it('is read by its handle: in parts, by path, by fields, by search', async () => {
    const name = String(warningOf(await client.call(READ, 'list_rows'))?.details['handle']);
    const seen: Row[] = [];
    let next: JsonObject | undefined = {};
    while (next !== undefined) {
      const part: { readonly items: readonly Row[]; readonly next?: JsonObject | null } = await readOn(name, {
        path: 'rows',
        first: 500,
        ...next,
      });
      seen.push(...part.items);
      next = part.next ?? undefined;
    }
    expect(seen).toEqual(ROWS);
    expect(JSON.stringify(await readOn(name, { path: 'rows[1999].owner' }))).toContain(ROWS[1_999]?.owner.login);
    const slim = await readOn(name, { path: 'rows', fields: ['id'], first: 2 });
    expect(slim.items).toEqual([{ id: 1 }, { id: 2 }]);
    expect(JSON.stringify(await readOn(name, { search: 'row 1777 ' }))).toContain('1776');
  });

  it('is cut at a line where it is a text, and read on by lines', async () => {
    const answer = await client.call(READ, 'read_log');
    const whole = ROWS.map(({ id, name, status }) => `${id} ${status} ${name}`);
    const shown = String(answer.data).split('\n').filter(Boolean);
    expect(whole.slice(0, shown.length)).toEqual(shown);
    const name = String(warningOf(answer)?.details['handle']);
    expect(JSON.stringify(await readOn(name, { lines: '1500-1501' }))).toContain(whole[1_499]);
    expect(JSON.stringify(await readOn(name, { search: 'row 1234 ' }))).toContain(whole[1_233]);
  });

  it('keeps whole items with a query, too, and its cursor continues after them', async () => {
    const params = { filter: { status: 'active' }, sort: '-id' };
    const expected = ROWS.filter(({ status }) => status === 'active').reverse();
    const seen: Row[] = [];
    let answer = await client.call(READ, 'list_rows', params);
    for (;;) {
      seen.push(...answer.data.items);
      if (!answer.data.pageInfo.hasNextPage) break;
      answer = await client.call(READ, 'list_rows', { ...params, first: 1_000, after: answer.data.pageInfo.endCursor });
    }
    expect(seen).toEqual(expected);
  });

  it('is not readable by another session, nor by an unknown handle', async () => {
    const name = String(warningOf(await client.call(READ, 'list_rows'))?.details['handle']);
    await using otherClient = await connectClient(gateway.url, 'legacy');
    for (const [who, handle] of [
      [otherClient, name],
      [client, 'res_nothing'],
    ] as const) {
      const { error } = await who.introspect({ query: 'result', name: handle });
      expect(error?.code).toBe('INTROSPECTION_ERROR');
      expect(error?.message).toContain('Call the operation again');
    }
  });
});
