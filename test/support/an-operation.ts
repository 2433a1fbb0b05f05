import type { Operation, OperationFields } from '../../src/base/protocol/operation.js';
import { finishOperation } from '../../src/catalog/operation.js';

/** An operation with defaults for everything that a test does not set. */
export function anOperation(changes: Partial<OperationFields> = {}): Operation {
  const name = changes.name ?? 'get_item';
  return finishOperation({
    name,
    qualifiedName: `demo__${name}`,
    upstream: 'demo',
    tool: name,
    classification: { category: 'READ', danger: { level: 'safe', reasons: [] }, confidence: 1, evidence: [] },
    description: 'Gets an item.',
    parameters: [],
    identifiers: [],
    strict: true,
    inputSchema: { type: 'object' },
    retryable: true,
    groupedBy: null,
    ...changes,
  });
}
