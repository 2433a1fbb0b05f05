import { isJsonObject } from '../../base/json/json.js';
import { type Content, type Html, html } from '../../base/lib/html.js';
import { ERROR_TABLE, type ErrorCode } from '../../base/protocol/error-table.js';
import type { PlacedRecord } from '../../gateway/review/audit-review.js';
import { categoryChip, facts, foreign, jsonValue, operationName, state } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import type { Tone } from '../layout/shapes.js';
import { clock } from '../layout/times.js';

type JournalRecord = PlacedRecord['record'];

/** What was recorded of one call, or a record that stands alone. */
interface RecordGroup {
  /** The one that says most: how the call ended, else what was decided. */
  readonly main: PlacedRecord;
  /** All of them, the oldest first. */
  readonly records: readonly PlacedRecord[];
}

/** What says most of a call comes first. */
const WEIGHTS: readonly string[] = ['call', 'decision', 'approval', 'token'];

/** Puts the records of each operation of a request together. @param records the newest first */
export function groupRecords(records: readonly PlacedRecord[]): readonly RecordGroup[] {
  const groups = new Map<string, PlacedRecord[]>();
  for (const placed of records) {
    const key = keyOf(placed);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [placed]);
    else known.push(placed);
  }
  return [...groups.values()].map((all) => {
    const weight = ({ record }: PlacedRecord): number => WEIGHTS.indexOf(record.type) >>> 0;
    const [main = all[0] as PlacedRecord] = all.toSorted((one, other) => weight(one) - weight(other));
    return { main, records: all.toReversed() };
  });
}

/** A batch is one request with several operations. */
function keyOf({ file, start, record }: PlacedRecord): string {
  const request = textOf(actorOf(record)['request']);
  const operation = textOf(record['operation']);
  return request === undefined ? `${file} ${start}` : `${request} ${operation ?? ''}`;
}

const LONGEST = 300;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST) : undefined;
}

function actorOf(record: JournalRecord): Readonly<Record<string, unknown>> {
  return isJsonObject(record['actor']) ? record['actor'] : {};
}

/** A line that somebody wrote into a journal may have any time. */
export function readTime(time: string): string | undefined {
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

function whoOf(record: JournalRecord): string | undefined {
  const actor = actorOf(record);
  return textOf(actor['operator'] ?? actor['user'] ?? actor['client'] ?? actor['client_name'] ?? actor['session']);
}

/** A refusal is an answer; a failure is a fault of a server or of the gateway. */
function outcomeOfCall(code: string | undefined): readonly [Tone, string] {
  if (code === 'OK') return ['good', 'answered'];
  if (code === 'CONFIRMATION_REQUIRED') return ['warn', 'asked'];
  const isKnown = code !== undefined && Object.hasOwn(ERROR_TABLE, code);
  return isKnown && ERROR_TABLE[code as ErrorCode].recoverable ? ['warn', 'refused'] : ['bad', 'failed'];
}

/** How it ended, in a word and in its colour. */
function outcomeOf(record: JournalRecord): readonly [Tone, string | undefined] {
  const code = textOf(record['code']);
  const outcome = textOf(record['outcome'] ?? record['event'] ?? record['status'] ?? record['code']);
  if (record.type === 'call') return outcomeOfCall(code);
  if (outcome === 'confirmation_required' || outcome === 'requested') return ['warn', 'asked'];
  if (outcome === 'denied' || outcome === 'refused') return ['warn', outcome];
  if (outcome === 'failure' || outcome === 'failed') return ['bad', outcome];
  return ['off', outcome ?? record.type];
}

/** One line a call, which unfolds. */
export function writeRecords(groups: readonly RecordGroup[], frame: Frame): Html {
  const heads = ['UTC', 'Family', 'Operation', 'By', 'Outcome', 'Took', ''].map((name) => html`<span>${name}</span>`);
  return html`<div class="record-head" aria-hidden="true">${heads}</div>
<div class="records">${groups.map((group) => writeGroup(group, frame))}</div>`;
}

function writeGroup({ main, records }: RecordGroup, frame: Frame): Html {
  const { record, start } = main;
  const [tone, word] = outcomeOf(record);
  const took = record['duration_ms'];
  const operation = textOf(record['operation']);
  const about = textOf(record['action'] ?? record['event'] ?? record['upstream'] ?? record['agent']) ?? 'journal';
  return html`<details class="record" id="r-${record.seq}-${start}"><summary>${clock(readTime(record.time)) ?? html`<time></time>`}<span>${categoryChip(textOf(record['category']) ?? record.type)}</span>
<b>${operation === undefined ? foreign(about) : operationName(operation)}</b><span class="soft">${foreign(whoOf(record))}</span>
${state(tone, foreign(word))}<span class="num faint">${typeof took === 'number' ? `${Math.round(took)} ms` : ''}</span></summary>
<div class="record-body"><ol class="steps">${records.map((each) => writeStep(each, frame))}</ol>${writeFacts(main, records, frame)}</div></details>
`;
}

/** What one record says, in words; the whole of it is a link away. */
function writeStep({ file, start, record }: PlacedRecord, frame: Frame): Html {
  const address = `audit/one?${new URLSearchParams({ file, start: String(start) })}`;
  const [tone, word] = outcomeOf(record);
  const more = [record['rule'], record['reason'], record['failure_reason'], record['by']].map(textOf);
  const said = more.flatMap((text) => (text === undefined ? [] : [html`, ${foreign(text)}`]));
  const look = tone === 'off' ? '' : tone;
  return html`<li class="${look}">${clock(readTime(record.time))}<span>${frame.link(address, foreign(record.type))}: ${foreign(word)}${said}</span></li>`;
}

/** What an operator asks of a call: by which rule, why, by whom, with which values. */
function writeFacts({ record }: PlacedRecord, records: readonly PlacedRecord[], frame: Frame): Html {
  const decision = records.find((each) => each.record.type === 'decision')?.record;
  const actor = actorOf(record);
  const request = textOf(actor['request']);
  const isDecided = decision !== undefined;
  const rule = textOf(decision?.['rule']) ?? 'none: danger and trust decide';
  const session = textOf(actor['session']);
  const values = record['parameters'] ?? record['details'];
  const all: readonly (readonly [string, Content])[] = [
    ['Code', foreign(textOf(record['code']))],
    ['Decided', isDecided ? foreign(textOf(decision['outcome'])) : undefined],
    ['Rule', isDecided ? foreign(rule) : undefined],
    ['Reason', foreign(textOf(decision?.['reason'] ?? record['reason']))],
    ['Danger', foreign(textOf(record['danger']))],
    ['Calls itself', foreign(textOf(actor['client_name']))],
    ['Session', session && frame.link(`audit?${new URLSearchParams({ by: session })}`, foreign(session), 'mono')],
    ['Request', request && frame.link(`audit?${new URLSearchParams({ text: request })}`, foreign(request), 'mono')],
    ['Values', values === undefined ? undefined : jsonValue(values)],
  ];
  return facts(all);
}
