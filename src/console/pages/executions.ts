import { type Html, html } from '../../base/lib/html.js';
import type { Gateway } from '../../gateway/gateway.js';
import { cutNote, facts, foreign, moment, table } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type OpenPart } from '../layout/page.js';

type Executions = NonNullable<Gateway['executions']>;

export type OneExecution = Awaited<ReturnType<Executions['all']>>[number];

const SECTION = 'executions';

/** Executions in one list. */
const SHOWN = 100;

/** What goes on in the background. The list only leads to an execution: what ends it stands on the page of that one. */
export const openExecutions: OpenPart = ({ executions }) => {
  if (executions === undefined) return NO_PART;
  const pulse = async () =>
    (await executions.all()).slice(0, SHOWN).map(({ id, status, progress }) => [id, status, progress ?? null]);
  const list = definePage({
    path: SECTION,
    title: 'Executions',
    section: SECTION,
    pulse,
    read: () => executions.all(),
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/:id`,
    title: 'Execution',
    section: SECTION,
    pulse,
    read: async ({ params }) => (await executions.all()).find(({ id }) => id === params['id']),
    render: writeExecution,
  });
  const cancel: Action = {
    section: SECTION,
    path: `${SECTION}/:id/cancel`,
    async run(_form, { params, operator }) {
      const { id, subject } = await executions.cancel(params['id'] ?? '', operator);
      return { to: addressOf(id), notice: { text: [foreign(subject), ': cancelled by you'] } };
    },
  };
  return { pages: [list, one], actions: [cancel] };
};

/** Those of one kind that have not ended. */
export async function runningOf(
  executions: Executions | undefined,
  wanted: OneExecution['kind'],
): Promise<readonly OneExecution[]> {
  const all = (await executions?.all()) ?? [];
  return all.filter(({ kind, finishedAt }) => kind === wanted && finishedAt === undefined);
}

export function linkToExecution({ id, subject }: OneExecution, frame: Frame): Html {
  return html`<a href="${frame.to(addressOf(id))}">${foreign(subject)}</a>`;
}

function addressOf(id: string): string {
  return `${SECTION}/${encodeURIComponent(id)}`;
}

function writeList(executions: readonly OneExecution[], frame: Frame): Html {
  return html`<h1>Executions</h1>
${table({
  caption: 'Calls and agents that go on without a request, the newest first',
  columns: ['What', 'State', 'Progress', 'Of', 'Began'],
  rows: executions
    .slice(0, SHOWN)
    .map((each) => [
      linkToExecution(each, frame),
      each.status,
      writeProgress(each),
      foreign(each.owner),
      moment(each.createdAt),
    ]),
  none: 'There are none.',
})}
${cutNote(SHOWN, executions.length)}`;
}

function writeProgress({ progress }: OneExecution): Html | undefined {
  if (progress === undefined) return undefined;
  const { percentage, message } = progress;
  const bar =
    percentage === undefined
      ? undefined
      : html`<progress max="100" value="${percentage}">${percentage} %</progress> ${percentage} % `;
  return html`${bar}${foreign(message)}`;
}

function writeExecution(execution: OneExecution, frame: Frame): Html {
  const { id, kind, status, error, finishedAt } = execution;
  const end = html`<h2>End it</h2>
<p>What it has done so far stays done.</p>
<p><button>Cancel</button></p>`;
  return html`<h1>${foreign(execution.subject)}</h1>
${facts([
  ['What', kind === 'agent' ? 'an agent' : 'a call'],
  ['State', status],
  ['Progress', writeProgress(execution)],
  ['Of', foreign(execution.owner)],
  ['Began', moment(execution.startedAt ?? execution.createdAt)],
  ['Ended', moment(finishedAt)],
  ['Error', error && foreign(`${error.code}: ${error.message}`)],
  ['Id', foreign(id)],
])}
${status === 'pending' || status === 'running' ? frame.form(`${addressOf(id)}/cancel`, end) : undefined}`;
}
