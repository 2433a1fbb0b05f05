import { type Command, Option } from 'commander';
import { type FoundRecord, searchJournals } from '../audit-review.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { type AuditFlags, DIR_OPTION, withJournals } from './audit-directory.js';
import { printSlowly } from './audit-line.js';
import { SINCE_OPTION, UNTIL_OPTION } from './audit-search.js';
import { readMoment } from './audit-time.js';
import type { Terminal } from './terminal.js';

/** Columns of their own; what has none stands in `details`, as JSON. */
const MEMBERS = [
  'time',
  'type',
  'seq',
  'operation',
  'upstream',
  'category',
  'danger',
  'trust',
  'outcome',
  'event',
  'action',
  'code',
  'reason',
  'rule',
  'by',
  'token_id',
] as const;
const ACTOR = ['session', 'client', 'client_name', 'transport', 'operator'] as const;
/** Of use in the journal alone. */
const LEFT_OUT = ['actor', 'prev', 'hash'];

/** How records are written, and what stands before them. */
interface Format {
  readonly head?: string;
  readonly write: (found: FoundRecord) => string;
}

const FORMATS = {
  jsonl: { write: ({ text }) => text },
  csv: { head: ['file', ...MEMBERS, ...ACTOR, 'details'].join(','), write: toCsv },
} as const satisfies Readonly<Record<string, Format>>;

interface ExportFlags extends AuditFlags {
  readonly format: keyof typeof FORMATS;
  readonly since?: string;
  readonly until?: string;
}

export function registerAuditExport(audit: Command, terminal: Terminal): void {
  audit
    .command('export')
    .description('print all records, the oldest first, for other programs')
    .option(...DIR_OPTION)
    .addOption(new Option('--format <format>', 'how').choices(Object.keys(FORMATS)).default('jsonl'))
    .option(...SINCE_OPTION, readMoment)
    .option(...UNTIL_OPTION, readMoment)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ExportFlags>();
      await withJournals(flags, terminal, (directory) => exportRecords(directory, flags, terminal));
    });
}

async function exportRecords(directory: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { format, since, until } = flags;
  const { head, write }: Format = FORMATS[format];
  const filter = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const records = searchJournals(directory, filter);
  if (head !== undefined) await printSlowly(terminal, head);
  for await (const found of records) await printSlowly(terminal, write(found));
}

function toCsv({ file, record }: FoundRecord): string {
  const actor: JsonObject = isJsonObject(record['actor']) ? record['actor'] : {};
  const named: readonly string[] = [...MEMBERS, ...LEFT_OUT];
  const details = Object.fromEntries(Object.entries(record).filter(([name]) => !named.includes(name)));
  const cells = [file, ...MEMBERS.map((name) => record[name]), ...ACTOR.map((name) => actor[name])];
  return [...cells, Object.keys(details).length === 0 ? undefined : details].map(toCell).join(',');
}

/** RFC 4180, section 2. A text that a spreadsheet would take for a formula gets an apostrophe in front: it may be anybody's. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
