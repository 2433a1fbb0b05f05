import type { Observer } from '../base/observe/observation.js';
import type { Diagnostic } from '../base/protocol/tools.js';
import type { Sliced } from '../base/turns/turns.js';
import { diffCatalogsInSlices } from '../catalog/build-catalog.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import type { Snapshot } from './pipeline/snapshot.js';

/** Tells the log of a diagnostic, and the audit trail of one that an operator should act on. */
export function reportDiagnostic(diagnostic: Diagnostic, observe: Observer, audit: Pick<AuditTrail, 'record'>): void {
  observe({ ...diagnostic, kind: 'diagnostic' });
  const { severity, upstream, tool, message } = diagnostic;
  if (severity === 'info') return;
  audit.record({ type: 'integrity', severity, upstream, message, ...(tool === undefined ? {} : { tool }) });
}

/** Reports what a catalog has more and less than the one before, and what is remarked on it for the first time. */
export function* reportChange(before: Snapshot, after: Snapshot, observe: Observer, audit: AuditTrail): Sliced<void> {
  const change = yield* diffCatalogsInSlices(before.catalog, after.catalog);
  observe({ kind: 'catalog', operations: after.catalog.operations.length, ...change });
  const known = new Set(before.catalog.diagnostics.map(({ message }) => message));
  for (const diagnostic of after.catalog.diagnostics) {
    if (known.has(diagnostic.message)) continue;
    yield;
    reportDiagnostic(diagnostic, observe, audit);
  }
}
