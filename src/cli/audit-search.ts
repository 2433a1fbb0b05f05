import type { Command } from 'commander';
import { type RecordFilter, searchJournals } from '../audit-review.js';
import { type AuditFlags, DIR_OPTION, withJournals } from './audit-directory.js';
import { printRecords } from './audit-line.js';
import { readMoment } from './audit-time.js';
import type { Terminal } from './terminal.js';

interface SearchFlags extends AuditFlags, Omit<RecordFilter, 'types'> {
  readonly type?: readonly string[];
}

export function registerAuditSearch(audit: Command, terminal: Terminal): void {
  audit
    .command('search')
    .description('print the records that match all that is given, the oldest first')
    .option(...DIR_OPTION)
    .option('--type <types...>', 'decision, call, token, approval, admin, integrity, opened, closed, lost, retention')
    .option('--operation <pattern>', 'the operation, upstream__name (minimatch: *__delete_*)')
    .option('--upstream <pattern>', 'the upstream (minimatch)')
    .option('--by <name>', 'a session, a client, an operator, or who confirmed')
    .option('--outcome <outcome>', 'allowed, confirmed, confirmation_required, denied, success, failure')
    .option('--code <code>', 'the error code, or OK')
    .option(...SINCE_OPTION, readMoment)
    .option(...UNTIL_OPTION, readMoment)
    .option('--text <text>', 'stands anywhere in the record, in any case')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SearchFlags>();
      await withJournals(flags, terminal, (directory) =>
        printRecords(searchJournals(directory, toFilter(flags)), flags.json === true, terminal),
      );
    });
}

export const SINCE_OPTION = ['--since <time>', 'from 2026-11-22, 2026-11-22T01:24:53Z or 12h (ago) on'] as const;
export const UNTIL_OPTION = ['--until <time>', 'before a time, given in the same ways'] as const;

/** What is not given is not asked for. */
function toFilter({ type, operation, upstream, by, outcome, code, since, until, text }: SearchFlags): RecordFilter {
  const given = { types: type, operation, upstream, by, outcome, code, since, until, text };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
