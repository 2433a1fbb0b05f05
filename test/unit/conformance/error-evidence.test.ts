import { expect, it } from 'vitest';
import type { DocumentedOperation } from '../../../src/conformance/catalog-view.js';
import { gatherErrors } from '../../../src/conformance/error-evidence.js';
import type { Probe } from '../../../src/conformance/probe.js';

function read(...names: readonly string[]): DocumentedOperation {
  return {
    name: 'list_items',
    category: 'READ',
    tool: 'mcp_aql_read',
    parameters: names.map((name) => ({ name, type: 'any', required: false })),
    example: {},
    upstream: 'items',
    upstreamTool: 'list_items',
    details: {},
  };
}

async function namesOf(operation: DocumentedOperation): Promise<readonly string[]> {
  const refused = { success: false, error: { code: 'VALIDATION_INVALID_VALUE', message: 'no' } };
  const probe: Probe = {
    tools: ['mcp_aql_read'],
    server: { name: 'fake', version: '1.0.0' },
    send: async () => refused,
    introspect: async () => refused,
    close: async () => undefined,
  };
  return (await gatherErrors(probe, [operation])).map(({ name }) => name);
}

it('expects no refusal of a value that an upstream parameter with the name of a control may take', async () => {
  expect(await namesOf(read('filter'))).toEqual(['list_items: a filter that is a text']);
  expect(await namesOf(read('filter', 'result_filter'))).toEqual([]);
});
