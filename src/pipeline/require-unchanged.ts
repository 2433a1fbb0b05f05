import { isSameDefinition } from '../catalog/finish-operation.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { quarantined } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/**
 * Refuses a call whose operation is not what it was when the call came: it may have waited for its turn, for a connection or in
 * a batch, and what was checked and agreed to was the earlier definition.
 */
export function requireUnchanged(operation: Operation, { catalog }: Pick<Snapshot, 'catalog'>): void {
  const { name, qualifiedName } = operation;
  const current = catalog.find(qualifiedName);
  if (current !== undefined && isSameDefinition(operation, current)) return;
  const resolution = catalog.resolve(qualifiedName);
  if (resolution.kind === 'quarantined') throw quarantined(name, resolution.tool);
  if (current === undefined) {
    const message = `Unknown operation: '${name}'. Its upstream stopped offering it while the call waited, and it did not run`;
    throw new OperationError('NOT_FOUND_OPERATION', message, { operation: name, available: [] });
  }
  const message = `Operation '${name}' changed while the call waited and did not run. Read its details again, then send the call again`;
  throw new OperationError('CONFLICT_VERSION_MISMATCH', message, { operation: name });
}
