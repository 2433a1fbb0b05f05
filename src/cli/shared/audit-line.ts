import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { FoundRecord } from '../../gateway/review/audit-review.js';
import { oneLine, paintFor, type Terminal } from './terminal.js';

/** Describes one record for people, in one line: its time, event, subject, actor and reason. */
function describeRecord(record: JsonObject): readonly [time: string, rest: string] {
  const words = [
    show(record['type']),
    ...['event', 'action', 'outcome', 'severity', 'code'].map((name) => show(record[name])),
    describeSubject(record),
    prefix('by ', nameOf(record)),
    prefix('rule ', show(record['rule'])),
    prefix('', show(record['token_id'] ?? record['approval'])),
    typeof record['duration_ms'] === 'number' ? `${record['duration_ms']} ms` : '',
    describeJournal(record),
  ];
  const why = show(record['reason'] ?? record['failure_reason'] ?? record['message']);
  return [show(record['time']), `${words.filter((word) => word !== '').join('  ')}${prefix(': ', why)}`];
}

/** Prints records as they are found: the JSON of the journal, or a line for people. */
export async function printRecords(
  found: AsyncIterable<FoundRecord> | Iterable<FoundRecord>,
  asJson: boolean,
  terminal: Terminal,
): Promise<void> {
  const paint = paintFor(terminal.out);
  for await (const { text, record } of found) {
    const [time, rest] = describeRecord(record);
    await printWithBackpressure(terminal, asJson ? text : `${paint.dim(time)}  ${rest}`);
  }
}

/** Prints a line and waits for a slow reader, because the journals may be larger than memory. */
export async function printWithBackpressure(terminal: Terminal, text: string): Promise<void> {
  if (!terminal.out.write(`${text}\n`)) await once(terminal.out, 'drain');
}

function describeSubject({ operation, upstream, adapter, tool, category, danger }: JsonObject): string {
  const what = [show(operation ?? tool), prefix('of ', show(upstream ?? adapter))]
    .filter((word) => word !== '')
    .join(' ');
  const rated = [show(category), show(danger)].filter((word) => word !== '').join(' ');
  return rated === '' ? what : `${what} (${rated})`;
}

/** The actor of a record, by the most reliable name that it holds. */
function nameOf(record: JsonObject): string {
  const actor = isJsonObject(record['actor']) ? record['actor'] : {};
  return show(record['by'] ?? actor['operator'] ?? actor['client'] ?? actor['client_name'] ?? actor['session']);
}

/** Describes a record about the journal itself. */
function describeJournal({ type, process: program, pid, count, source, removed }: JsonObject): string {
  if (type === 'opened') return `by ${show(program)}, process ${show(pid)}`;
  if (type === 'skipped') return `${show(count)} refusals of ${show(source)} were only counted`;
  if (type === 'lost') return `${show(count)} records`;
  return Array.isArray(removed) ? `${removed.length} journals removed` : '';
}

function show(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return oneLine(text);
}

function prefix(before: string, text: string): string {
  return text === '' ? '' : `${before}${text}`;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, or a date and a time, in ISO 8601; without a zone it is UTC, as in the journals. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Reads the time of an option: `2026-11-22`, `2026-11-22T01:24`, or `12h` for twelve hours ago. Returns ISO 8601 in UTC. */
export function readMoment(text: string): string {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(Date.now() - Number(amount) * (UNITS[unit] ?? 0)).toISOString();
  const [whole, zone] = MOMENT.exec(text) ?? [];
  const time =
    whole === undefined ? Number.NaN : Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("expected '2026-11-22', '2026-11-22T01:24:53Z' or '12h'.");
  return new Date(time).toISOString();
}
