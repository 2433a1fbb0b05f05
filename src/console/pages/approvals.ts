import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json/json.js';
import { type Content, type Html, html } from '../../base/lib/html.js';
import { cleanLabel } from '../../base/lib/text.js';
import type { Approval, ApprovalService, ShownChange, ShownUpdate } from '../../base/protocol/approval.js';
import type { Gateway } from '../../gateway/gateway.js';
import { digestOf } from '../admin/approvals-api.js';
import { explainFault } from '../admin/problems.js';
import { cutNote, facts, foreign, jsonValue, moment, table } from '../layout/components.js';
import { jsonDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type Outcome, type Part } from '../layout/page.js';

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
    pulse: async () => (await approvals.list()).map(({ id, status }) => [id, status]),
    read: async () => {
      const all = await approvals.list();
      return {
        pending: all.filter(({ status }) => status === 'pending'),
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

function writeList({ pending, ended }: Requests, frame: Frame): Html {
  return html`<h1>Approvals</h1>
${table({
  caption: 'Requests that wait for a decision',
  columns: ['Operation', 'Danger', 'Server', 'Asked by', 'Expires'],
  rows: pending
    .slice(0, SHOWN)
    .map((each) => [
      linkTo(each, frame),
      each.danger,
      foreign(each.upstream),
      foreign(requesterOf(each)),
      moment(each.expiresAt),
    ]),
  none: 'Nothing waits for a decision.',
})}
${cutNote(SHOWN, pending.length)}
<h2>Decided or expired</h2>
${table({
  caption: 'Requests of the last hours',
  columns: ['Operation', 'Status', 'By', 'Requested'],
  rows: ended
    .slice(0, SHOWN)
    .map((each) => [linkTo(each, frame), each.status, foreign(each.decision?.by), moment(each.requestedAt)]),
  none: 'None.',
})}
${cutNote(SHOWN, ended.length)}`;
}

function addressOf(id: string): string {
  return `${SECTION}/${encodeURIComponent(id)}`;
}

function linkTo({ id, operation }: Approval, frame: Frame): Html {
  return html`<a href="${frame.to(addressOf(id))}">${foreign(operation)}</a>`;
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
  const { full, parameters, update } = approval;
  const whole = html`<p><a href="${frame.to(addressOf(approval.id))}?full=1">Show long values in full</a></p>`;
  return html`<h1>${foreign(approval.operation)}</h1>
${facts([
  ['Danger', `${approval.danger} (${approval.category})`],
  ['Server', foreign(approval.upstream)],
])}
${writeCall(approval, isFull && full !== undefined ? full : parameters, isFull)}
${(full !== undefined || update?.known === true) && !isFull ? whole : undefined}
<h2>Request</h2>
${facts(factsOf(approval))}
${approval.status === 'pending' ? writeDecision(approval, frame) : undefined}`;
}

/** An update in its two parts: what finds the resource, and what would change, as far as it is known. */
function writeCall({ fields = [], update }: Approval, parameters: JsonObject, isFull: boolean): Html {
  const isField = (name: string): boolean => fields.includes(name);
  const set = Object.entries(parameters).filter(([name]) => isField(name));
  if (set.length === 0 && update?.known !== true) return html`<h2>Parameters</h2>${writeParameters(parameters)}`;
  const others = Object.entries(parameters).filter(([name]) => !isField(name));
  return html`<h2>What would be updated</h2>
${writeParameters(Object.fromEntries(others))}
${update?.known === true ? writeUpdate(update, isFull) : html`<h2>Fields that would be set</h2>${update && writeUnknown(update)}${writeParameters(Object.fromEntries(set))}`}`;
}

function writeParameters(parameters: JsonObject): Html {
  const entries = Object.entries(parameters);
  if (entries.length === 0) return html`<p>No parameters.</p>`;
  return facts(entries.map(([name, value]) => [foreign(name), jsonValue(value)]));
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

/** Enter in the reason is a new line of it, and decides nothing. */
function writeDecision(approval: Approval, frame: Frame): Html {
  const sure = html`<p><label><input type="checkbox" name="sure" value="yes" required> I have read what this ${approval.danger} call does</label></p>`;
  const fields = html`<h2>Decide</h2>
<p><label for="reason">Reason (optional)</label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2"></textarea></p>
${isAskedTwice(approval) ? sure : undefined}
<p class="buttons"><button name="verdict" value="approved">Approve</button>
<button name="verdict" value="denied" formnovalidate>Deny</button></p>`;
  return frame.form(`${addressOf(approval.id)}/decide`, fields, { fields: { digest: digestOf(approval) } });
}

/** Lines of one value's difference, unless they are asked for in full. */
const FEW_LINES = 40;

/** What an update would change, value by value, and what stays as it is. @param isFull whether long differences are shown in full */
function writeUpdate(update: Extract<ShownUpdate, { known: true }>, isFull: boolean): Html {
  const { read, changes, more, unchanged } = update;
  const kept = Object.entries(unchanged);
  return html`<h2>What would change</h2>
<p>From what ${foreign(read)} found when this was asked for. An approval is for these changes alone: where others would be made when the call runs, nothing is written.</p>
${changes.length === 0 ? html`<p>Nothing: what is there is the same.</p>` : facts(changes.map((change) => [foreign(change.field), writeChange(change, isFull)]))}
${more === 0 ? undefined : html`<p>${more} further values would change, which are not shown.</p>`}
${kept.length === 0 ? undefined : html`<details id="unchanged"><summary>What stays as it is</summary>${facts(kept.map(([name, value]) => [foreign(name), jsonValue(value)]))}</details>`}`;
}

/** That it is not known what an update would change. */
function writeUnknown({ why }: Extract<ShownUpdate, { known: false }>): Html {
  return html`<p class="bad">The present values are not known: ${foreign(why)}</p>`;
}

function writeChange(change: ShownChange, isFull: boolean): Html {
  const { before, after } = change;
  if ('before' in change && 'after' in change && isDeepStrictEqual(before, after))
    return html`${jsonValue(after)}<p>It changes in what is not shown here.</p>`;
  return jsonDifference(before, after, isFull ? undefined : FEW_LINES);
}
