import { join, resolve } from 'node:path';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { Notes } from './config-report.js';
import type { AuditConfig } from './policy-config.js';

export interface AuditContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly dataDir: string;
  readonly notes: Notes;
}

/** What is recorded, and where. What is wrong goes into the notes. */
export function buildAudit(entry: Partial<AuditConfig> = {}, { directory, dataDir, notes }: AuditContext): AuditConfig {
  const audit = { ...CONFIG_DEFAULTS.audit, ...entry };
  for (const [index, pattern] of audit.redactPatterns.entries()) {
    const fault = findPatternFault(pattern);
    if (fault === undefined) continue;
    notes.problem(['audit', 'redactPatterns', index], fault, 'write it as JavaScript would with the flag u');
  }
  const own = entry.directory;
  return {
    ...audit,
    directory: own === undefined ? join(dataDir, CONFIG_DEFAULTS.audit.directory) : resolve(directory, own),
  };
}

function findPatternFault(pattern: string): string | undefined {
  try {
    if (!new RegExp(pattern, 'u').test('')) return undefined;
    return 'expected a regular expression that does not match the empty text';
  } catch (cause) {
    // The engine's message repeats the pattern before it says what is wrong with it.
    const reason = cause instanceof Error ? cause.message.replace(/^.*\/u: /s, '') : 'unknown reason';
    return `expected a regular expression that compiles (${reason})`;
  }
}
