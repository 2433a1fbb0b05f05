import { describe, expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { type Answer, connectClient } from '../support/mcp-client.js';
import { makeRows, startRowsUpstream } from '../support/rows-upstream.js';

const READ = 'mcp_aql_read';

interface WarningAnswer {
  readonly code: string;
  readonly severity?: string;
  readonly details?: object;
}

const warningsOf = ({ raw }: Answer): readonly WarningAnswer[] =>
  (
    JSON.parse((raw['content'] as [{ readonly text: string }])[0].text) as {
      readonly warnings?: readonly WarningAnswer[];
    }
  ).warnings ?? [];

describe('an answer', () => {
  it('has warnings of deprecation, slowness, quota and truncation once each, most severe first, and only when it is a success', async () => {
    await using upstream = await startRowsUpstream(makeRows(1_000));
    const operations = {
      list_rows: { deprecated: { replacement: 'search_rows', removalDate: '2027-01-31' }, slowMs: 1 },
    };
    const quotas = { limits: [{ metric: 'requests_per_day', warn: 1, hard_stop: 1_000 }] };
    const config = { results: { maxTokens: 2_500 }, quotas, mcpServers: { rows: { url: upstream.url, operations } } };
    await using gateway = await hostGateway(config);
    await using client = await connectClient(gateway.url);
    const first = warningsOf(await client.call(READ, 'list_rows'));
    const codes = first.map(({ code }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(['DEPRECATION_WARNING', 'RATE_LIMIT_QUOTA_WARNING', 'VALIDATION_TRUNCATED_WARNING']),
    );
    expect(new Set(codes).size).toBe(codes.length);
    const ranks = first.map(({ severity = 'medium' }) => ['high', 'medium', 'low'].indexOf(severity));
    expect(ranks).toEqual([...ranks].sort());
    expect(first.find(({ code }) => code === 'DEPRECATION_WARNING')?.details).toMatchObject({
      type: 'operation',
      deprecated_item: 'list_rows',
      replacement: 'search_rows',
      removal_date: '2027-01-31',
    });
    const again = warningsOf(await client.call(READ, 'list_rows')).map(({ code }) => code);
    expect(again).not.toContain('DEPRECATION_WARNING');
    await using other = await connectClient(gateway.url, 'legacy');
    expect(warningsOf(await other.call(READ, 'list_rows')).map(({ code }) => code)).toContain('DEPRECATION_WARNING');
    expect((await client.call(READ, 'list_rows', { nope: 1 })).error?.code).toBe('VALIDATION_UNKNOWN_PARAM');
  });

  it('has a warning when its call was slow', async () => {
    await using upstream = await startRowsUpstream(makeRows(60_000));
    const config = { warnings: { slowMs: 1 }, results: { maxTokens: 0 }, mcpServers: { rows: { url: upstream.url } } };
    await using gateway = await hostGateway(config);
    await using client = await connectClient(gateway.url);
    const [warning] = warningsOf(await client.call(READ, 'list_rows', { first: 1 }));
    expect(warning).toMatchObject({
      code: 'PERFORMANCE_SLOW_QUERY_WARNING',
      details: { operation: 'list_rows', threshold_ms: 1 },
    });
  });
});

describe('an update of a server that takes no null', () => {
  const TOOLS = `{
    update_note: {
      tool: {
        inputSchema: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            text: { type: 'string' },
            options: { type: 'object', additionalProperties: false, properties: { pinned: { type: 'boolean' } } },
          },
          required: ['id'],
        },
      },
      run: () => ({ content: [{ type: 'text', text: 'done' }] }),
    },
  }`;

  it('is answered with a warning that names the null that was left out, and refused with the members that an object may have', async () => {
    await using gateway = await hostGateway({ mcpServers: { notes: inlineServer(TOOLS) } });
    await using client = await connectClient(gateway.url);
    const left = await client.call('mcp_aql_update', 'update_note', {
      id: 'a',
      input: { text: null, options: { pinned: true } },
    });
    expect(warningsOf(left)).toMatchObject([
      { code: 'VALIDATION_NULL_LEFT_OUT_WARNING', details: { fields: ['input.text'] }, severity: 'medium' },
    ]);
    const input = { options: { colour: 'red' } };
    const refused = await client.call('mcp_aql_update', 'update_note', { id: 'a', input });
    expect(JSON.stringify(refused.raw)).toContain(
      "Unknown parameter(s) for operation 'update_note': 'input.options.colour' (valid there: one of 'pinned')",
    );
  });
});
