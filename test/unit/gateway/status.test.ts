import { expect, it } from 'vitest';
import type { Snapshot } from '../../../src/gateway/pipeline/snapshot.js';
import { describeStatus } from '../../../src/gateway/status.js';
import { anOperation } from '../../support/an-operation.js';

it('counts the operations of a snapshot once, however often its status is asked for', () => {
  let counted = 0;
  const operations = [anOperation({ name: 'list_a' }), anOperation({ name: 'list_b' })];
  const plan = {
    families: [{ name: 'read' }],
    diagnostics: [],
    toolOfFamily: () => 'mcp_aql_read',
    familyOf: () => {
      counted += 1;
      return { name: 'read' };
    },
  };
  const snapshot = { catalog: { operations, diagnostics: [] }, plan } as unknown as Snapshot;
  const describe = () => describeStatus(snapshot, [], { audit: { state: 'ok' }, store: { state: 'ok' } });
  const families = [{ name: 'read', tool: 'mcp_aql_read', operations: 2 }];
  expect(describe()).toMatchObject({ operations: 2, families });
  expect(describe()).toMatchObject({ operations: 2, families });
  expect(counted).toBe(2);
});
