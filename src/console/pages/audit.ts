import { isJsonObject } from '../../base/json/json.js';
import { faultCode } from '../../base/lib/fault-code.js';
import { type Html, html } from '../../base/lib/html.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import {
  type BackwardPage,
  type JournalVerdict,
  type PlacedRecord,
  type RecordFilter,
  readHeads,
  readRecordAt,
  searchBack,
  verifyJournals,
} from '../../gateway/review/audit-review.js';
import { facts, foreign, moment, table } from '../layout/components.js';
import { boundedJson } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { definePage, type OpenPart } from '../layout/page.js';

const SECTION = 'audit';
const SHOWN = 50;

/** What one page reads of the journals, about: less than a second's work, in slices. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The audit record: search, one record, and whether it is as it was written. */
export const openAudit: OpenPart = (gateway) => {
  const check = new JournalCheck();
  const list = definePage({
    path: SECTION,
    title: 'Audit',
    section: SECTION,
    pulse: () => check.state().kind,
    read: async ({ query }): Promise<ListModel> => {
      const { enabled, directory } = gateway.config.audit;
      const found = await tryRead(() => searchBack(directory, readFilter(query), readPosition(query)));
      return { isEnabled: enabled, directory, query, found, check: check.state() };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/one`,
    title: 'Record',
    section: SECTION,
    read: async ({ query }) => {
      const { directory } = gateway.config.audit;
      const found = await tryRead(() => readRecordAt(directory, query.get('file') ?? '', Number(query.get('start'))));
      return typeof found === 'string' ? undefined : found;
    },
    render: writeRecord,
  });
  const verify = {
    section: SECTION,
    path: `${SECTION}/verify`,
    run() {
      check.start(gateway.config);
      return { to: SECTION, notice: { text: 'The journals are being checked. The result appears here.' } };
    },
  };
  return { pages: [list, one], actions: [verify] };
};

/** What is read, or why it cannot be. */
async function tryRead<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    return faultCode(cause) === 'ENOENT'
      ? 'Nothing has been recorded yet.'
      : `The journals cannot be read (${faultCode(cause)}).`;
  }
}

/** What is searched by, and how the form asks for it. */
const FIELDS = {
  since: 'From (UTC)',
  until: 'Before (UTC)',
  by: 'Client, user, session or operator',
  operation: 'Operation (a pattern: notes__*)',
  outcome: 'Outcome',
  code: 'Code',
  type: 'Kind of record',
  text: 'Text anywhere',
} as const;

type Field = keyof typeof FIELDS;

const LONGEST = 200;

/** A time as people write it, at its beginning: `2026-11-23`, `2026-11-23 06:30`. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?)?$/;

/** What is searched for; a time that cannot be read counts as none. */
export function readFilter(query: URLSearchParams): RecordFilter {
  const given = (name: Field): string => (query.get(name) ?? '').trim().slice(0, LONGEST);
  const texts = (['by', 'operation', 'outcome', 'code', 'text'] as const).flatMap((name) =>
    given(name) === '' ? [] : [[name, given(name)]],
  );
  const times = (['since', 'until'] as const).flatMap((name) => {
    const [, day, clock = '00:00'] = TIME.exec(given(name)) ?? [];
    return day === undefined ? [] : [[name, `${day}T${clock}`]];
  });
  const type = given('type');
  return { ...Object.fromEntries([...texts, ...times]), ...(type === '' ? {} : { types: [type] }) };
}

function readPosition(query: URLSearchParams): Parameters<typeof searchBack>[2] {
  const [file, end] = [query.get('file'), Number(query.get('end') ?? Number.NaN)];
  const place = file === null ? {} : { from: { file, ...(Number.isSafeInteger(end) && end >= 0 ? { end } : {}) } };
  return { count: SHOWN, maxBytes: MOST_BYTES, ...place };
}

interface ListModel {
  readonly isEnabled: boolean;
  readonly directory: string;
  readonly query: URLSearchParams;
  readonly found: BackwardPage | string;
  readonly check: CheckState;
}

function writeList({ isEnabled, directory, query, found, check }: ListModel, frame: Frame): Html {
  const fields = Object.entries(FIELDS).map(
    ([name, label]) =>
      html`<label>${label} <input type="text" name="${name}" value="${query.get(name) ?? ''}"></label>`,
  );
  return html`<h1>Audit</h1>
${isEnabled ? undefined : html`<p class="bad">Nothing is recorded: audit.enabled is false.</p>`}
<details id="search"${query.size > 0 ? html` open` : undefined}><summary>Search</summary>
<form method="get" action="${frame.to(SECTION)}" role="search">${fields}<button>Search</button></form></details>
${typeof found === 'string' ? html`<p>${found}</p>` : writeFound(found, query, frame)}
<h2>Is it as it was written?</h2>
${writeCheck(check)}
${frame.form(`${SECTION}/verify`, html`<button>Check the journals</button>`)}
<p>The journals are in ${foreign(directory)}.</p>`;
}

function writeFound({ records, next, bytes }: BackwardPage, query: URLSearchParams, frame: Frame): Html {
  const rows = records.map(({ file, start, record }) => {
    const address = `${SECTION}/one?${new URLSearchParams({ file, start: String(start) })}`;
    return [
      html`<a href="${frame.to(address)}">${moment(readTime(record.time))}</a>`,
      foreign(record.type),
      foreign(textOf(record['operation'] ?? record['event'] ?? record['action'] ?? record['upstream'])),
      foreign(whoOf(record['actor'])),
      foreign(textOf(record['outcome'] ?? record['code'] ?? record['status'])),
    ];
  });
  const older = next && new URLSearchParams(query);
  older?.set('file', next?.file ?? '');
  if (next?.end !== undefined) older?.set('end', String(next.end));
  const searched = `Searched ${Math.ceil(bytes / 1_048_576)} MB of the journals.`;
  return html`${table({
    caption: 'Records, the newest first',
    columns: ['Time', 'Kind', 'About', 'Who', 'Outcome'],
    rows,
    none: next === undefined ? 'No record fits.' : 'No record of this part fits.',
  })}
<p>${searched} ${older === undefined ? 'There is nothing older that was not searched.' : html`<a href="${frame.to(`${SECTION}?${older}`)}">Older records</a>`}</p>`;
}

/** A line that somebody wrote into a journal may have any time. */
function readTime(time: string): string | undefined {
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST) : undefined;
}

function whoOf(actor: unknown): string | undefined {
  if (!isJsonObject(actor)) return undefined;
  return textOf(actor['operator'] ?? actor['user'] ?? actor['client'] ?? actor['client_name'] ?? actor['session']);
}

function writeCheck(check: CheckState): Html {
  if (check.kind === 'never') return html`<p>It was not checked since the start.</p>`;
  if (check.kind === 'running') return html`<p>It is being checked since ${moment(check.since)}.</p>`;
  if (check.kind === 'failed') return html`<p class="bad">At ${moment(check.at)}: ${check.problem}.</p>`;
  const { files, records, lost, faults, notes } = check.verdict;
  const entries = [
    ...faults.map(({ file, line, problem }) => ['bad', line === null ? file : `${file}:${line}`, problem] as const),
    ...notes.map(({ file, note }) => ['', file, note] as const),
  ];
  const items = entries
    .slice(0, SHOWN)
    .map(([style, file, text]) => html`<li class="${style}">${foreign(file)}: ${foreign(text)}</li>`);
  const result =
    faults.length === 0
      ? html`<strong class="good">nothing was altered</strong>`
      : html`<strong class="bad">${faults.length} faults</strong>`;
  return html`<p>At ${moment(check.at)}: ${files} journals, ${records} records: ${result}${lost === 0 ? undefined : `, ${lost} records are lost`}.</p>
${check.problem === undefined ? undefined : html`<p>The ends of the journals could not be compared with the store: ${foreign(check.problem)}.</p>`}
<ul>${items}</ul>`;
}

function writeRecord(
  { file, record, text, isSound }: PlacedRecord & { readonly isSound: boolean },
  frame: Frame,
): Html {
  const sound = isSound
    ? html`<span class="good">yes</span>`
    : html`<span class="bad">no: its hash does not match</span>`;
  return html`<h1>Record ${record.seq}</h1>
${facts([
  ['Time', moment(readTime(record.time))],
  ['Journal', foreign(file)],
  ['As it was written', sound],
])}
<h2>All of it</h2>
${boundedJson(record, text)}
<p><a href="${frame.to(SECTION)}">Back to the search</a></p>`;
}

/** How the check of the journals stands. */
type CheckState =
  | { readonly kind: 'never' }
  | { readonly kind: 'running'; readonly since: number }
  | {
      readonly kind: 'done';
      readonly at: number;
      readonly verdict: JournalVerdict;
      readonly problem?: string | undefined;
    }
  | { readonly kind: 'failed'; readonly at: number; readonly problem: string };

/** Checks the journals in the background, once at a time: gigabytes take minutes. Keeps the last result. */
class JournalCheck {
  #state: CheckState = { kind: 'never' };

  state(): CheckState {
    return this.#state;
  }

  /** Begins, where none is running. */
  start(config: GatewayConfig): void {
    if (this.#state.kind === 'running') return;
    this.#state = { kind: 'running', since: Date.now() };
    void this.#run(config).then((state) => {
      this.#state = state;
    });
  }

  async #run(config: GatewayConfig): Promise<CheckState> {
    try {
      const { heads, problem } = await readHeads(config);
      const verdict = await verifyJournals(config.audit.directory, heads);
      return { kind: 'done', at: Date.now(), verdict, problem };
    } catch (cause) {
      return { kind: 'failed', at: Date.now(), problem: `the journals cannot be read (${faultCode(cause)})` };
    }
  }
}
