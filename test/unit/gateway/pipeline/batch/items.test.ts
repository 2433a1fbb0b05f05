import { describe, expect, it } from 'vitest';
import { openBench } from './batch-bench.js';

const many = (count: number) => Array.from({ length: count }, () => ({ operation: 'get_item' }));

describe('the form of a batch', () => {
  it.each([
    [
      'too many operations',
      many(101),
      {},
      'VALIDATION_PAYLOAD_TOO_LARGE',
      ['Payload exceeds array_elements limit of 100', "'operations' contains 101"],
    ],
    [
      'a batch inside',
      [{ operation: 'get_item' }, { operations: many(2) }],
      {},
      'VALIDATION_INVALID_VALUE',
      ["'operations[1]'", 'cannot contain a batch'],
    ],
    [
      'parameters beside it',
      many(1),
      { params: { id: 1 }, confirmation_token: 'conf_x' },
      'VALIDATION_UNKNOWN_PARAM',
      ["'params', 'confirmation_token'", 'inside each operation'],
    ],
    [
      'all these faults at once',
      [...many(100), { operations: many(1) }],
      { params: { id: 1 } },
      'VALIDATION_UNKNOWN_PARAM',
      ["'params'", 'limit of 100', "'operations[100]'"],
    ],
  ])('is refused for %s before anything runs', async (_what, operations, beside, code, words) => {
    const bench = openBench();
    const answer = await bench.run(operations, { arguments: { operations, ...beside } });
    expect(answer).toEqual({ success: false, error: { code, message: expect.any(String) } });
    for (const word of words) expect(answer.error?.message).toContain(word);
    expect(bench.sent).toEqual([]);
  });

  it('allows the configured number of operations, metadata beside them, and a parameter called operations', async () => {
    const bench = openBench({ maxOperations: 2 });
    const operations = [{ operation: 'get_item', params: { operations: [1] } }, { operation: 'get_item' }];
    const { summary } = await bench.run(operations, { arguments: { operations, _meta: {}, operation: null } });
    // `operation: null` counts as absent.
    expect(summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
  });
});

/** The batches that a refusal offers, by tool. */
function offersOf(message = ''): unknown {
  return [...message.matchAll(/via '(\w+)': (\{.*?\})(?=; via|$)/g)].map(([, tool, batch = '']) => [
    tool,
    JSON.parse(batch).operations,
  ]);
}

describe('the families of a batch', () => {
  const MIXED = [
    { operation: 'get_item' },
    { operation: 'delete_user' },
    { operation: 'nobody_knows' },
    { operation: 'create_item' },
    { operation: 'delete_user' },
  ];

  it('must be that of the tool: the refusal offers the batches with the right tools, in order', async () => {
    const bench = openBench({ mode: 'semantic' });
    const { error } = await bench.run(MIXED, { tool: 'mcp_aql_read' });
    expect(error?.code).toBe('VALIDATION_ENDPOINT_MISMATCH');
    // The unknown operation fails in any batch, and alone.
    expect(offersOf(error?.message)).toEqual([
      ['mcp_aql_read', [MIXED[0]]],
      ['mcp_aql_delete', [MIXED[1], MIXED[2]]],
      ['mcp_aql_create', [MIXED[3]]],
      ['mcp_aql_delete', [MIXED[4]]],
    ]);
    expect(bench.sent).toEqual([]);
  });

  it('are offered whole, with what was sent beside the parameters and with references counted anew', async () => {
    const bench = openBench({ mode: 'semantic' });
    const operations = [
      { operation: 'create_item', params: { title: 'x', _confirmation: 'conf_x' } },
      { operation: 'get_item', params: { id: 1 } },
      { operation: 'get_item', params: { id: '$results[1].data.next[0]' } },
    ];
    const { error } = await bench.run(operations, { tool: 'mcp_aql_create' });
    expect(offersOf(error?.message)).toEqual([
      ['mcp_aql_create', [operations[0]]],
      ['mcp_aql_read', [operations[1], { operation: 'get_item', params: { id: '$results[0].data.next[0]' } }]],
    ]);
  });

  it.each([
    [
      'one uses results of another',
      [{ operation: 'get_item' }, { operation: 'delete_user', params: { id: '$results[0].data.id' } }],
    ],
    ['they are long', [{ operation: 'get_item' }, { operation: 'delete_user', params: { id: 'x'.repeat(3_000) } }]],
  ])('are listed by their tools instead where %s', async (_, operations) => {
    const bench = openBench({ mode: 'semantic' });
    const { error } = await bench.run(operations, { tool: 'mcp_aql_read' });
    expect(error?.message).toContain("Call via 'mcp_aql_delete': operations[1] ('delete_user')");
    expect(error?.message).not.toContain('operations[0]');
  });

  it('are served through their own tools, and together through the tool that reaches everything', async () => {
    const semantic = openBench({ mode: 'semantic' });
    const reads = [{ operation: 'get_item' }, { operation: 'list_items' }, { operation: 'nobody_knows' }];
    expect((await semantic.run(reads, { tool: 'mcp_aql_read' })).summary).toMatchObject({ succeeded: 3 });
    expect((await openBench().run(MIXED)).summary).toMatchObject({ succeeded: 5 });
  });
});
