import type { Command } from 'commander';
import { type JournalVerdict, verifyJournals } from '../audit-review.js';
import { type AuditFlags, DIR_OPTION, withJournals } from './audit-directory.js';
import { EXIT_CODE } from './exit-code.js';
import { paintFor, printJson, printLine, type Terminal } from './terminal.js';

export function registerAuditVerify(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('find records that were altered, removed or added; exit code 7 where there are any')
    .option(...DIR_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<AuditFlags>();
      await withJournals(flags, terminal, async (directory) => {
        const verdict = await verifyJournals(directory);
        if (flags.json === true) printJson(terminal, verdict);
        else printVerdict(verdict, directory, terminal);
        if (verdict.faults.length > 0) process.exitCode = EXIT_CODE.tampered;
      });
    });
}

function printVerdict({ files, records, faults, notes }: JournalVerdict, directory: string, terminal: Terminal): void {
  const paint = paintFor(terminal.out);
  for (const { file, note } of notes) printLine(terminal, paint.dim(`note: ${file}: ${note}`));
  for (const { file, line, problem } of faults) {
    printLine(terminal, paint.red(`fault: ${line === null ? file : `${file}:${line}`}: ${problem}`));
  }
  const found = faults.length === 0 ? 'nothing was altered' : count(faults.length, 'fault');
  printLine(terminal, `${count(files, 'journal')}, ${count(records, 'record')} in ${directory}: ${found}.`);
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}
