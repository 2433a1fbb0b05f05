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
import { alert, body, empty, facts, foreign, pageHead, panel, stack, state } from '../layout/components.js';
import { boundedJson } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { definePage, type OpenPart } from '../layout/page.js';
import { clock, moment } from '../layout/times.js';
import { groupRecords, readTime, writeRecords } from './audit-records.js';

const SECTION = 'audit';
/** Records of a page; those of one call stand together. */
const SHOWN = 120;

/** Entries of what a check has found. */
const MOST_FOUND = 50;

/** What one page reads of the journals, about: less than a second's work, in slices. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The audit record: search, one record, and whether it is as it was written. */
export const openAudit: OpenPart = (gateway) => {
  const check = new JournalCheck();
  const list = definePage({
    path: SECTION,
    title: 'Audit',
    section: SECTION,
    place: { icon: 'audit', group: 2 },
    pulse: () => check.state().kind,
    read: async ({ query }): Promise<ListModel> => {
      const { enabled, directory, calls } = gateway.config.audit;
      const found = await tryRead(() => searchBack(directory, readFilter(query), readPosition(query)));
      return { isEnabled: enabled, calls, directory, query, found, check: check.state() };
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
  readonly calls: GatewayConfig['audit']['calls'];
  readonly directory: string;
  readonly query: URLSearchParams;
  readonly found: BackwardPage | string;
  readonly check: CheckState;
}

function writeList({ isEnabled, calls, directory, query, found, check }: ListModel, frame: Frame): Html {
  const verify = frame.form(`${SECTION}/verify`, html`<button>Check the journals</button>`);
  return html`${pageHead({
    title: 'Audit',
    about: 'One line a call; open it to see all that was recorded of it. Times are UTC.',
    actions: [writeCheckState(check), verify],
  })}
${stack(
  isEnabled ? undefined : alert('bad', 'Nothing is recorded: audit.enabled is false.'),
  isEnabled && calls === 'gated' ? alert('warn', GATED) : undefined,
  html`<section class="panel">${writeSearch(query, frame)}${typeof found === 'string' ? empty(found) : writeFound(found, query, frame)}</section>`,
  panel('Is it as it was written?', [
    writeCheck(check),
    html`<p class="panel-foot">The journals are in ${foreign(directory)}.</p>`,
  ]),
)}`;
}

const GATED = html`<p>What only reads, and what can be undone, is <strong>not recorded</strong>: calls that are destructive or dangerous are, and every refusal by policy. <code>"audit": {"calls": "all"}</code> records every call.</p>`;

/** Words at once, which may be the id of a request; the rest where it is asked for. */
function writeSearch(query: URLSearchParams, frame: Frame): Html {
  const { text, ...more } = FIELDS;
  const fields = Object.entries(more).map(
    ([name, label]) =>
      html`<div class="field"><label for="f-${name}">${label}</label><input id="f-${name}" type="text" name="${name}" value="${query.get(name) ?? ''}"></div>`,
  );
  const isOpen = Object.keys(more).some((name) => (query.get(name) ?? '') !== '');
  const choices = OUTCOMES.map(([label, members]) => {
    const isCurrent = members.toString() === query.toString();
    return html`<a href="${frame.to(`${SECTION}?${members}`)}"${isCurrent ? html` aria-current="true"` : undefined}>${label}</a>`;
  });
  return html`<form method="get" action="${frame.to(SECTION)}" role="search"><div class="filters"><span class="search"><label class="hidden" for="q">${text}</label>
<input id="q" type="search" name="text" value="${query.get('text') ?? ''}" placeholder="Operation, client, request or words  ( / )"></span><button>Find</button>
<span class="choices" role="group" aria-label="Outcome">${choices}</span></div>
<details id="search" class="panel-body"${isOpen ? html` open` : undefined}><summary>Search more exactly</summary><div class="fields">${fields}</div></details></form>`;
}

const OUTCOMES: readonly (readonly [label: string, members: URLSearchParams])[] = [
  ['All', new URLSearchParams()],
  ['Refused', new URLSearchParams({ outcome: 'denied' })],
  ['Asked', new URLSearchParams({ outcome: 'confirmation_required' })],
  ['Approvals', new URLSearchParams({ type: 'approval' })],
  ['Operators', new URLSearchParams({ type: 'admin' })],
  ['Sign-ins', new URLSearchParams({ type: 'sign_in' })],
];

function writeFound({ records, next, bytes }: BackwardPage, query: URLSearchParams, frame: Frame): Html {
  const older = next && new URLSearchParams(query);
  older?.set('file', next?.file ?? '');
  if (next?.end !== undefined) older?.set('end', String(next.end));
  const searched = `Searched ${Math.ceil(bytes / 1_048_576)} MB of the journals.`;
  const none = empty(
    next === undefined ? 'No record fits.' : 'No record of this part fits.',
    'A request that was allowed and is not recorded by default leaves no record.',
  );
  return html`${records.length === 0 ? none : writeRecords(groupRecords(records), frame)}
<div class="panel-foot"><span>${searched}</span> ${older === undefined ? html`<span>There is nothing older that was not searched.</span>` : frame.link(`${SECTION}?${older}`, 'Older records')}</div>`;
}

function writeCheckState(check: CheckState): Html | undefined {
  if (check.kind !== 'done') return undefined;
  const { faults } = check.verdict;
  const words = faults.length === 0 ? state('good', 'Journals verified') : state('bad', `${faults.length} faults`);
  return html`${words} <span class="faint small">${moment(check.at)}</span>`;
}

function writeCheck(check: CheckState): Html {
  if (check.kind === 'never') return body(html`<p>It was not checked since the start.</p>`);
  if (check.kind === 'running') return body(html`<p>It is being checked for ${moment(check.since)}.</p>`);
  if (check.kind === 'failed') return body(alert('bad', html`<p>${moment(check.at)}: ${check.problem}.</p>`));
  const { files, records, lost, faults, notes } = check.verdict;
  const entries = [
    ...faults.map(({ file, line, problem }) => ['bad', line === null ? file : `${file}:${line}`, problem] as const),
    ...notes.map(({ file, note }) => ['', file, note] as const),
  ];
  const items = entries
    .slice(0, MOST_FOUND)
    .map(([style, file, text]) => html`<li class="${style}">${foreign(file)}: ${foreign(text)}</li>`);
  const result =
    faults.length === 0
      ? html`<strong class="good">nothing was altered</strong>`
      : html`<strong class="bad">${faults.length} faults</strong>`;
  return body(html`<p>${moment(check.at)}: ${files} journals, ${records} records: ${result}${lost === 0 ? undefined : `, ${lost} records are lost`}.</p>
${check.problem === undefined ? undefined : html`<p>The ends of the journals could not be compared with the store: ${foreign(check.problem)}.</p>`}
<ul class="value">${items}</ul>`);
}

function writeRecord(
  { file, record, text, isSound }: PlacedRecord & { readonly isSound: boolean },
  frame: Frame,
): Html {
  const sound = isSound ? state('good', 'yes') : state('bad', 'no: its hash does not match');
  return html`${pageHead({ crumb: frame.link(SECTION, 'Audit', 'plain'), title: `Record ${record.seq}`, about: html`A ${foreign(record.type)} of ${clock(readTime(record.time))} UTC` })}
${stack(
  panel(
    'Where it is',
    facts([
      ['Journal', foreign(file)],
      ['As it was written', sound],
    ]),
  ),
  panel('All of it', body(boundedJson(record, text))),
)}`;
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
