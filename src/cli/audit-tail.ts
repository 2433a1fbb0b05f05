import { type Command, InvalidArgumentError } from 'commander';
import { followJournals, tailJournals } from '../audit-review.js';
import { type AuditFlags, DIR_OPTION, withJournals } from './audit-directory.js';
import { printRecords } from './audit-line.js';
import { untilAskedToStop } from './stop-signal.js';
import type { Terminal } from './terminal.js';

interface TailFlags extends AuditFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

export function registerAuditTail(audit: Command, terminal: Terminal): void {
  audit
    .command('tail')
    .description('print the newest records')
    .option(...DIR_OPTION)
    .option('-n, --lines <count>', 'how many', readCount, 20)
    .option('-f, --follow', 'go on with what is recorded from now on, until stopped')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<TailFlags>();
      await withJournals(flags, terminal, (directory) => tail(directory, flags, terminal));
    });
}

async function tail(directory: string, { lines, follow, json }: TailFlags, terminal: Terminal): Promise<void> {
  const { records, positions } = tailJournals(directory, lines);
  await printRecords(records, json === true, terminal);
  if (follow !== true) return;
  const stop = new AbortController();
  void untilAskedToStop().asked.then(() => stop.abort());
  await printRecords(followJournals(directory, positions, { signal: stop.signal }), json === true, terminal);
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 on.');
  return Number(text);
}
