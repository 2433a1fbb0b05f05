import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json/json.js';
import { type Content, type Html, html } from '../../base/lib/html.js';
import { cleanLabel } from '../../base/lib/text.js';
import type { Approval, ApprovalService, ShownChange, ShownUpdate } from '../../base/protocol/approval.js';
import type { Gateway } from '../../gateway/gateway.js';
import { digestOf } from '../admin/approvals-api.js';
import { explainFault } from '../admin/problems.js';
import {
  alert,
  body,
  categoryChip,
  count,
  cutNote,
  dangerChip,
  empty,
  facts,
  foreign,
  jsonValue,
  operationName,
  pageHead,
  panel,
  stack,
  state,
  table,
} from '../layout/components.js';
import { jsonDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type Outcome, type Part } from '../layout/page.js';
import type { Tone } from '../layout/shapes.js';
import { moment } from '../layout/times.js';

const SECTION = 'approvals';

/** Requests on one page. */
const SHOWN = 50;

/**
 * Requests for the approval of a person. The list only leads to them: what decides stands on the page of one request, so that nothing is
 * decided that took the place of what was read.
 */
export const openApprovals = ({ approvals }: Pick<Gateway, 'approvals'>): Part => {
  if (approvals === undefined) return NO_PART;
  const list = definePage({
    path: SECTION,
    title: 'Approvals',
    section: SECTION,
    place: {
      icon: 'approvals',
      group: 0,
      counter: async () => {
        const value = (await pendingOf(approvals)).length;
        return value === 0 ? undefined : { tone: 'warn', value, what: value === 1 ? 'waits' : 'wait' };
      },
    },
    pulse: async () => (await approvals.list()).map(({ id, status }) => [id, status]),
    read: async () => {
      const all = await approvals.list();
      return {
        pending: await pendingOf(approvals),
        ended: all.filter(({ status }) => status !== 'pending').toReversed(),
      };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/:id`,
    title: 'Approval',
    section: SECTION,
    pulse: list.pulse,
    read: async ({ params, query }) => {
      const approval = await approvals.find(params['id'] ?? '', true);
      return approval && { approval, isFull: query.has('full') };
    },
    render: writeApproval,
  });
  return { pages: [list, one], actions: [decideBy(approvals)] };
};

/** Those that wait, the one that expires first at the head. */
export async function pendingOf(approvals: Pick<ApprovalService, 'list'>): Promise<readonly Approval[]> {
  const all = await approvals.list();
  return all
    .filter(({ status }) => status === 'pending')
    .toSorted((one, other) => one.expiresAt.localeCompare(other.expiresAt));
}

function decideBy(approvals: ApprovalService): Action {
  return {
    section: SECTION,
    path: `${SECTION}/:id/decide`,
    async run(form, { params, operator }) {
      const id = params['id'] ?? '';
      const to = addressOf(id);
      const refuse = (text: string): Outcome => ({ to, notice: { text, failed: true } });
      const verdict = VERDICTS.find((each) => each === form.get('verdict'));
      const shown = await approvals.find(id);
      if (verdict === undefined || shown === undefined) return refuse('Nothing was decided.');
      if (form.get('digest') !== digestOf(shown))
        return refuse('Nothing was decided: this is not the request that you read. Read it again, then decide.');
      if (verdict === 'approved' && isAskedTwice(shown) && !form.has('sure'))
        return refuse('Nothing was decided: tick the box above the buttons first, then approve.');
      const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON);
      const by = { name: operator, way: 'http' } as const;
      const decided = await approvals.decide(id, verdict, by, reason === '' ? undefined : reason);
      // The second click of a double click finds what the first one has done.
      const isDone = decided.approval?.status === verdict && decided.approval.decision?.by === operator;
      if (!decided.ok && !isDone) return refuse(explainFault(decided.fault, id, decided.approval).message);
      return { to: SECTION, notice: { text: [foreign(shown.operation), `: ${verdict} by you`] } };
    },
  };
}

const VERDICTS = ['approved', 'denied'] as const;

const LONGEST_REASON = 1_000;

/** What one click does not approve. */
function isAskedTwice({ danger }: Approval): boolean {
  return danger !== 'safe' && danger !== 'reversible';
}

interface Requests {
  readonly pending: readonly Approval[];
  readonly ended: readonly Approval[];
}

/** One that expires within this time is said in another colour. */
const SOON_MS = 5 * 60_000;

function writeList({ pending, ended }: Requests, frame: Frame): Html {
  const waiting = pending.length;
  const about =
    'The one that expires first stands first. Nothing is decided here: open a call to read what it would do.';
  const title =
    waiting === 0
      ? 'Nothing waits for a person'
      : `${count(waiting, 'call')} ${waiting === 1 ? 'waits' : 'wait'} for a person`;
  return html`${pageHead({ title, about: waiting === 0 ? undefined : about, live: true })}
${stack(
  html`<section class="panel">${waiting === 0 ? empty('All calls are decided', 'New ones appear here by themselves.') : writePending(pending, frame)}${cutNote(SHOWN, waiting)}</section>`,
  ended.length === 0
    ? undefined
    : panel('Decided or expired', [writeEnded(ended, frame), cutNote(SHOWN, ended.length)]),
)}`;
}

function writePending(pending: readonly Approval[], frame: Frame): Html {
  const expiry = ({ expiresAt }: Approval): Html => {
    const isSoon = Date.parse(expiresAt) - Date.now() < SOON_MS;
    return html`<span class="${isSoon ? 'warn' : ''}">${moment(expiresAt)}</span>`;
  };
  return table({
    caption: 'Requests that wait for a decision',
    style: 'wide-first',
    columns: [
      'Operation',
      ['Family', 'fit wide'],
      ['Danger', 'fit'],
      ['Server', 'wider'],
      ['Asked by', ''],
      ['Asked', 'faint wider nowrap'],
      ['Expires', 'nowrap'],
      ['', 'tight fit wide'],
    ],
    rows: pending
      .slice(0, SHOWN)
      .map((each) => [
        html`${linkTo(each, frame)}<span class="under">${foreign(each.message)}</span>`,
        categoryChip(each.category),
        dangerChip(each.danger),
        foreign(each.upstream),
        foreign(requesterOf(each)),
        moment(each.requestedAt),
        expiry(each),
        frame.link(addressOf(each.id), 'Review', 'button'),
      ]),
    none: 'Nothing waits for a decision.',
  });
}

const ENDED_TONES: Readonly<Record<Approval['status'], Tone>> = {
  pending: 'warn',
  approved: 'good',
  denied: 'off',
  expired: 'off',
};

function writeEnded(ended: readonly Approval[], frame: Frame): Html {
  return table({
    caption: 'Requests of the last hours',
    style: 'wide-first pairs',
    columns: ['Operation', 'Status', 'By', ['Requested', 'nowrap faint']],
    rows: ended.slice(0, SHOWN).map((each) => {
      const reason = each.decision?.reason;
      return [
        html`${linkTo(each, frame)}${reason ? html`<span class="under">“${foreign(reason)}”</span>` : undefined}`,
        state(ENDED_TONES[each.status], each.status),
        foreign(each.decision?.by),
        moment(each.requestedAt),
      ];
    }),
    none: 'None.',
  });
}

function addressOf(id: string): string {
  return `${SECTION}/${encodeURIComponent(id)}`;
}

function linkTo({ id, operation }: Approval, frame: Frame): Html {
  return frame.link(addressOf(id), operationName(operation));
}

/** What a caller writes about itself is in quotes. */
function requesterOf({ requester: { client, user, clientName } }: Approval): string {
  return `${user ?? client ?? 'an unauthenticated client'}, which calls itself “${cleanLabel(clientName)}”`;
}

interface Shown {
  readonly approval: Approval;
  /** Whether long values are shown in full. */
  readonly isFull: boolean;
}

/** What the gateway knows stands above what a caller wrote. */
function writeApproval({ approval, isFull }: Shown, frame: Frame): Html {
  const { full, parameters, update, status } = approval;
  const isCut = (full !== undefined || update?.known === true) && !isFull;
  const whole = html`<p class="panel-foot">${frame.link(`${addressOf(approval.id)}?full=1`, 'Show long values in full')}</p>`;
  const ends =
    status === 'pending'
      ? html`<span class="nowrap soft">Expires ${moment(approval.expiresAt)}</span>`
      : state(ENDED_TONES[status], status);
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Approvals', 'plain'),
    title: operationName(approval.operation),
    about: html`${approval.danger} (${approval.category}), of the server ${foreign(approval.upstream)}`,
    actions: ends,
  })}
<div class="columns columns-2-1">${stack(
    writeCall(approval, isFull && full !== undefined ? full : parameters, isFull),
    isCut ? html`<section class="panel">${whole}</section>` : undefined,
  )}
<div class="stack sticky">${status === 'pending' ? writeDecision(approval, frame) : undefined}
${panel('Request', facts(factsOf(approval)))}</div></div>`;
}

/** An update in its two parts: what finds the resource, and what would change, as far as it is known. */
function writeCall({ fields = [], update }: Approval, parameters: JsonObject, isFull: boolean): Html {
  const isField = (name: string): boolean => fields.includes(name);
  const set = Object.entries(parameters).filter(([name]) => isField(name));
  if (set.length === 0 && update?.known !== true) return panel('Parameters', writeParameters(parameters));
  const others = Object.entries(parameters).filter(([name]) => !isField(name));
  const unknown = update?.known === false ? writeUnknown(update) : undefined;
  const fieldsSet = [unknown, writeParameters(Object.fromEntries(set))];
  return html`${panel('What would be updated', writeParameters(Object.fromEntries(others)))}
${update?.known === true ? writeUpdate(update, isFull) : panel('Fields that would be set', fieldsSet)}`;
}

function writeParameters(parameters: JsonObject): Html {
  const entries = Object.entries(parameters);
  if (entries.length === 0) return html`<p class="panel-body soft">No parameters.</p>`;
  return facts(entries.map(([name, value]) => [html`<span class="mono">${foreign(name)}</span>`, jsonValue(value)]));
}

function factsOf(approval: Approval): readonly (readonly [Content, Content])[] {
  const { decision } = approval;
  return [
    ['Question', foreign(approval.message)],
    ['Reasons', approval.reasons.map((reason) => html`<p>${foreign(reason)}</p>`)],
    ['Rule', foreign(approval.rule ?? 'none: danger and trust ask for it')],
    ['Asked by', foreign(requesterOf(approval))],
    ['Requested', moment(approval.requestedAt)],
    ['Expires', moment(approval.expiresAt)],
    ['Status', approval.status],
    ...(decision === null ? [] : [['Decided by', writeDecided(decision)] as const]),
  ];
}

function writeDecided({ by, at, reason }: NonNullable<Approval['decision']>): Html {
  return html`${foreign(by)}, ${moment(at)}${reason === null ? undefined : html`: ${foreign(reason)}`}`;
}

/** Enter in the reason is a new line of it, and decides nothing. The button that cannot be undone is the red one. */
function writeDecision(approval: Approval, frame: Frame): Html {
  const isGrave = isAskedTwice(approval);
  const sure = html`<label class="check"><input class="sure" type="checkbox" name="sure" value="yes" required> I have read what this ${approval.danger} call does</label>`;
  const fields = html`<div class="field"><label for="reason">Reason <span class="hint">optional</span></label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2"></textarea></div>
${isGrave ? sure : undefined}
<div class="actions"><button class="button-large" name="verdict" value="denied" formnovalidate>Deny</button>
<button class="button-large ${isGrave ? 'button-danger' : 'button-primary'}" name="verdict" value="approved">Approve</button></div>`;
  const digest = digestOf(approval);
  const form = frame.form(`${addressOf(approval.id)}/decide`, fields, {
    fields: { digest },
    class: 'panel-body decide',
  });
  return panel('Decide', form, html`${categoryChip(approval.category)} ${dangerChip(approval.danger)}`);
}

/** Lines of one value's difference, unless they are asked for in full. */
const FEW_LINES = 40;

/** What an update would change, value by value, and what stays as it is. @param isFull whether long differences are shown in full */
function writeUpdate(update: Extract<ShownUpdate, { known: true }>, isFull: boolean): Html {
  const { read, changes, more, unchanged } = update;
  const kept = Object.entries(unchanged);
  const none = html`<p class="panel-body">Nothing: what is there is the same.</p>`;
  const rest = html`<details id="unchanged" class="panel-foot"><summary>What stays as it is</summary>${facts(kept.map(([name, value]) => [html`<span class="mono">${foreign(name)}</span>`, jsonValue(value)]))}</details>`;
  return panel('What would change', [
    changes.length === 0 ? none : changes.map((change) => writeChange(change, isFull)),
    more === 0 ? undefined : html`<p class="panel-foot">${more} further values would change, which are not shown.</p>`,
    html`<p class="panel-foot">From what ${foreign(read)} found when this was asked for. An approval is for these changes alone: where others would be made when the call runs, nothing is written.</p>`,
    kept.length === 0 ? undefined : rest,
  ]);
}

/** That it is not known what an update would change. */
function writeUnknown({ why }: Extract<ShownUpdate, { known: false }>): Html {
  return body(alert('bad', html`<p>The present values are not known: ${foreign(why)}</p>`));
}

/** A short value beside what takes its place; a long one line by line. */
function writeChange(change: ShownChange, isFull: boolean): Html {
  const { field, before, after } = change;
  const name = html`<span class="mono">${foreign(field)}</span>`;
  if ('before' in change && 'after' in change && isDeepStrictEqual(before, after))
    return facts([[name, html`${jsonValue(after)}<p>It changes in what is not shown here.</p>`]]);
  const lines = jsonDifference(before, after, isFull ? undefined : FEW_LINES);
  return html`<div class="change"><h3>${name}</h3>${lines}</div>`;
}
