import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { countCalls } from '../../../../../src/base/observe/metrics/metrics.js';
import type { Observation } from '../../../../../src/base/observe/observation.js';

const CALL: Extract<Observation, { readonly kind: 'call' }> = {
  kind: 'call',
  operation: 'read_note',
  upstream: 'notes',
  category: 'READ',
  code: 'OK',
  durationMs: 2,
  sessionId: 's',
};

/** The samples of a metric after these calls, read as often as asked. */
async function count(calls: readonly Partial<typeof CALL>[], metric: string, reads = 1): Promise<readonly string[]> {
  const registry = new Registry();
  const observe = countCalls([registry], () => new Set(['team']));
  for (const call of calls) observe({ ...CALL, ...call });
  for (let read = 1; read < reads; read += 1) await registry.metrics();
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`));
}

it('counts calls by upstream, category and code, however often they are read', async () => {
  const calls = [{}, {}, { code: 'INTERNAL_ERROR' as const }, { category: 'DELETE' }, { upstream: 'mail' }];
  expect(await count(calls, 'mcp_aql_calls_total', 3)).toEqual([
    'mcp_aql_calls_total{upstream="notes",category="READ",code="OK"} 2',
    'mcp_aql_calls_total{upstream="notes",category="READ",code="INTERNAL_ERROR"} 1',
    'mcp_aql_calls_total{upstream="notes",category="DELETE",code="OK"} 1',
    'mcp_aql_calls_total{upstream="mail",category="READ",code="OK"} 1',
  ]);
  expect(await count(calls, 'mcp_aql_call_duration_seconds_count')).toContain(
    'mcp_aql_call_duration_seconds_count{upstream="notes",category="READ"} 3',
  );
});

it('counts operations and clients by how their calls ended', async () => {
  const calls = [{ client: 'team' }, { client: 'someone' }, { code: 'INTERNAL_ERROR' as const }];
  expect(await count(calls, 'mcp_aql_operation_calls_total')).toEqual([
    'mcp_aql_operation_calls_total{operation="read_note",outcome="ok"} 2',
    'mcp_aql_operation_calls_total{operation="read_note",outcome="failed"} 1',
  ]);
  expect(await count(calls, 'mcp_aql_client_calls_total')).toEqual([
    'mcp_aql_client_calls_total{client="team",outcome="ok"} 1',
    'mcp_aql_client_calls_total{client="other",outcome="ok"} 1',
    'mcp_aql_client_calls_total{client="none",outcome="failed"} 1',
  ]);
});

it('gives 500 operations a sample of their own, and all others one together', async () => {
  const calls = Array.from({ length: 600 }, (_, index) => ({ operation: `operation_${index}` }));
  const samples = await count(calls, 'mcp_aql_operation_calls_total');
  expect(samples).toHaveLength(501);
  expect(samples.at(-1)).toBe('mcp_aql_operation_calls_total{operation="other",outcome="ok"} 100');
});
