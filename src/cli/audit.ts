import type { Command } from 'commander';
import { registerAuditExport } from './audit-export.js';
import { registerAuditSearch } from './audit-search.js';
import { registerAuditTail } from './audit-tail.js';
import { registerAuditVerify } from './audit-verify.js';
import type { Terminal } from './terminal.js';

export function registerAudit(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('check, read and search what the gateway has on record');
  registerAuditVerify(audit, terminal);
  registerAuditTail(audit, terminal);
  registerAuditSearch(audit, terminal);
  registerAuditExport(audit, terminal);
}
