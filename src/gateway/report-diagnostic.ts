import type { AuditTrail } from '../audit/audit-trail.js';
import type { Observer } from '../observe/observation.js';
import type { Diagnostic } from '../protocol/tools.js';

/** Tells the log of a diagnostic, and the audit trail of one that an operator should act on. */
export function reportDiagnostic(diagnostic: Diagnostic, observe: Observer, audit: Pick<AuditTrail, 'record'>): void {
  observe({ ...diagnostic, kind: 'diagnostic' });
  const { severity, upstream, tool, message } = diagnostic;
  if (severity === 'info') return;
  audit.record({ type: 'integrity', severity, upstream, message, ...(tool === undefined ? {} : { tool }) });
}
