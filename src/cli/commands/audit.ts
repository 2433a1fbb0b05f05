import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { faultCode } from '../../base/lib/fault-code.js';
import { findNameGlobFault } from '../../base/lib/glob.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import {
  type FoundRecord,
  followJournals,
  type JournalVerdict,
  type KeptHeads,
  type RecordFilter,
  readHeads,
  searchJournals,
  tailJournals,
  verifyJournals,
} from '../../gateway/review/audit-review.js';
import { printRecords, printWithBackpressure, readMoment } from '../shared/audit-line.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { paintFor, printJson, printLine, type Terminal } from '../shared/terminal.js';

export function registerAudit(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('check, read and search the audit record');
  registerAuditVerify(audit, terminal);
  registerAuditTail(audit, terminal);
  registerAuditSearch(audit, terminal);
  registerAuditExport(audit, terminal);
}

function registerAuditVerify(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('find records that were altered, removed, added or lost; exit code 7 where there are any')
    .option(...DIR_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<AuditFlags>();
      await withJournals(flags, terminal, async (directory, config) => {
        const kept = config === undefined ? NO_HEADS : await readHeads(config);
        const verdict = noteHeads(await verifyJournals(directory, kept.heads), kept);
        if (flags.json === true) printJson(terminal, verdict);
        else printVerdict(verdict, directory, terminal);
        if (verdict.faults.length > 0 || verdict.lost > 0) process.exitCode = EXIT_CODE.tampered;
      });
    });
}

/** Journals of another directory may be copies: the ends in the configured store say nothing about them. */
const NO_HEADS: KeptHeads = { heads: [] };

function noteHeads(verdict: JournalVerdict, { problem }: KeptHeads): JournalVerdict {
  if (problem === undefined) return verdict;
  const note = `the ends of the journals could not be compared with those in it: ${problem}`;
  return { ...verdict, notes: [...verdict.notes, { file: 'state store', note }] };
}

function printVerdict(
  { files, records, lost, faults, notes }: JournalVerdict,
  directory: string,
  terminal: Terminal,
): void {
  const paint = paintFor(terminal.out);
  for (const { file, note } of notes) printLine(terminal, paint.dim(`note: ${file}: ${note}`));
  for (const { file, line, problem } of faults) {
    printLine(terminal, paint.red(`fault: ${line === null ? file : `${file}:${line}`}: ${problem}`));
  }
  const found = faults.length === 0 ? 'nothing was altered' : count(faults.length, 'fault');
  const gaps =
    lost === 0 ? '' : `, but ${count(lost, 'record')} could not be kept and ${lost === 1 ? 'is' : 'are'} lost`;
  printLine(terminal, `${count(files, 'journal')}, ${count(records, 'record')} in ${directory}: ${found}${gaps}.`);
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

interface AuditFlags extends CommonFlags {
  readonly dir?: string;
}

const DIR_OPTION = ['--dir <directory>', 'the journals; instead of those of the configuration'] as const;

/** Why the journals may be missing or unreadable, by system error code. */
const DIRECTORY_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory: nothing has been recorded yet, or it was removed. Choose another with --dir',
  ENOTDIR: 'this is not a directory. Choose another with --dir',
  EACCES: "this account may not read it: use the gateway's account",
};

/**
 * Runs a task over the directory of `--dir`, which needs no configuration, or over the configured one.
 * @throws CliError where the journals cannot be read
 */
async function withJournals(
  flags: AuditFlags,
  terminal: Terminal,
  task: (directory: string, config?: GatewayConfig) => Promise<void>,
): Promise<void> {
  const config = flags.dir === undefined ? await loadCliConfig(flags, terminal) : undefined;
  const directory = config?.audit.directory ?? resolve(flags.dir ?? '');
  try {
    await task(directory, config);
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    const code = faultCode(cause);
    const problem = DIRECTORY_PROBLEMS[code] ?? `it cannot be read (${code})`;
    throw new CliError(EXIT_CODE.failure, `No audit journals in '${directory}': ${problem}`, { cause });
  }
}

interface TailFlags extends AuditFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

function registerAuditTail(audit: Command, terminal: Terminal): void {
  audit
    .command('tail')
    .description('print the newest records')
    .option(...DIR_OPTION)
    .option('-n, --lines <count>', 'how many', readCount, 20)
    .option('-f, --follow', 'go on with new records until stopped')
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  await printRecords(followJournals(directory, positions, { signal: stop.signal }), json === true, terminal);
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 on.');
  return Number(text);
}

interface SearchFlags extends AuditFlags, Omit<RecordFilter, 'types'> {
  readonly type?: readonly string[];
}

function registerAuditSearch(audit: Command, terminal: Terminal): void {
  audit
    .command('search')
    .description('print the records that match all that is given, the oldest first')
    .option(...DIR_OPTION)
    .option(
      '--type <types...>',
      'decision, call, token, approval, admin, integrity, opened, closed, lost, skipped, retention',
    )
    .option('--operation <pattern>', 'the operation, upstream__name, or a pattern (*__delete_*)', readPattern)
    .option('--upstream <pattern>', 'the upstream, or a pattern', readPattern)
    .option('--by <name>', 'a session, a client, a user, an operator, or who confirmed')
    .option('--outcome <outcome>', 'allowed, confirmed, confirmation_required, denied, success, failure')
    .option('--code <code>', 'the error code, or OK')
    .option(...SINCE_OPTION, readMoment)
    .option(...UNTIL_OPTION, readMoment)
    .option('--text <text>', 'text anywhere in the record; case is ignored')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<SearchFlags>();
      await withJournals(flags, terminal, (directory) =>
        printRecords(searchJournals(directory, toFilter(flags)), flags.json === true, terminal),
      );
    });
}

const SINCE_OPTION = ['--since <time>', 'from 2026-11-22, 2026-11-22T01:24:53Z or 12h (ago) on'] as const;
const UNTIL_OPTION = ['--until <time>', 'before a time, in the same formats'] as const;

/** @throws InvalidArgumentError what is wrong with a pattern, and how to write it */
function readPattern(pattern: string): string {
  const fault = findNameGlobFault(pattern);
  if (fault !== undefined) throw new InvalidArgumentError(`${fault.message}; ${fault.suggestion}`);
  return pattern;
}

/** Options that are not given do not filter. */
function toFilter({ type, operation, upstream, by, outcome, code, since, until, text }: SearchFlags): RecordFilter {
  const given = { types: type, operation, upstream, by, outcome, code, since, until, text };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Members with a column of their own; the others are in `details`, as JSON. */
const RECORD_MEMBERS = [
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
const ACTOR_MEMBERS = ['session', 'client', 'user', 'client_name', 'transport', 'operator'] as const;
/** Members that are left out because only the journal needs them. */
const LEFT_OUT = ['actor', 'prev', 'hash'];

/** How records are written, and the line before them. */
interface Format {
  readonly head?: string;
  readonly write: (found: FoundRecord) => string;
}

const EXPORT_FORMATS = {
  jsonl: { write: ({ text }) => text },
  csv: { head: ['file', ...RECORD_MEMBERS, ...ACTOR_MEMBERS, 'details'].join(','), write: toCsv },
} as const satisfies Readonly<Record<string, Format>>;

interface ExportFlags extends AuditFlags {
  readonly format: keyof typeof EXPORT_FORMATS;
  readonly since?: string;
  readonly until?: string;
}

function registerAuditExport(audit: Command, terminal: Terminal): void {
  audit
    .command('export')
    .description('print all records, the oldest first, for other programs')
    .option(...DIR_OPTION)
    .addOption(new Option('--format <format>', 'how').choices(Object.keys(EXPORT_FORMATS)).default('jsonl'))
    .option(...SINCE_OPTION, readMoment)
    .option(...UNTIL_OPTION, readMoment)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ExportFlags>();
      await withJournals(flags, terminal, (directory) => exportRecords(directory, flags, terminal));
    });
}

async function exportRecords(directory: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { format, since, until } = flags;
  const { head, write }: Format = EXPORT_FORMATS[format];
  const filter = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const records = searchJournals(directory, filter);
  if (head !== undefined) await printWithBackpressure(terminal, head);
  for await (const found of records) await printWithBackpressure(terminal, write(found));
}

function toCsv({ file, record }: FoundRecord): string {
  const actor: JsonObject = isJsonObject(record['actor']) ? record['actor'] : {};
  const named: readonly string[] = [...RECORD_MEMBERS, ...LEFT_OUT];
  const details = Object.fromEntries(Object.entries(record).filter(([name]) => !named.includes(name)));
  const cells = [file, ...RECORD_MEMBERS.map((name) => record[name]), ...ACTOR_MEMBERS.map((name) => actor[name])];
  return [...cells, Object.keys(details).length === 0 ? undefined : details].map(toCell).join(',');
}

/** RFC 4180, section 2. An apostrophe keeps a spreadsheet from running a text of unknown origin as a formula. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
