import { type Html, html } from '../../base/lib/html.js';
import type { Gateway } from '../../gateway/gateway.js';
import {
  count,
  cutNote,
  facts,
  foreign,
  operationName,
  pageHead,
  panel,
  stack,
  state,
  table,
} from '../layout/components.js';
import { bar } from '../layout/drawings.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type OpenPart } from '../layout/page.js';
import type { Tone } from '../layout/shapes.js';
import { moment } from '../layout/times.js';

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
    place: {
      icon: 'executions',
      group: 0,
      counter: async () => {
        const value = (await executions.all()).filter(isRunning).length;
        return value === 0 ? undefined : { tone: 'plain', value, what: 'running' };
      },
    },
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
  return html`<a href="${frame.to(addressOf(id))}">${operationName(subject)}</a>`;
}

function addressOf(id: string): string {
  return `${SECTION}/${encodeURIComponent(id)}`;
}

function isRunning({ finishedAt }: OneExecution): boolean {
  return finishedAt === undefined;
}

function writeList(executions: readonly OneExecution[], frame: Frame): Html {
  const running = executions.filter(isRunning).length;
  const rows = executions
    .slice(0, SHOWN)
    .map((each) => [
      html`${linkToExecution(each, frame)}${each.error && html`<span class="under whole">${foreign(each.error.message)}</span>`}`,
      writeStatus(each),
      writeProgress(each),
      foreign(each.owner),
      moment(each.createdAt),
    ]);
  const columns = ['What', 'State', ['Progress', 'share'], ['Of', 'wide'], ['Began', 'nowrap faint']] as const;
  const none = html`<b>Nothing has been started</b>Calls and agents that go on without a request appear here.`;
  const caption = 'Calls and agents that go on without a request, the newest first';
  return html`${pageHead({ title: running === 0 ? 'Nothing goes on in the background' : `${count(running, 'execution')} ${running === 1 ? 'goes' : 'go'} on`, about: `${caption}.`, live: true })}
<section class="panel">${table({ caption, columns, rows, none, style: 'wide-first pairs' })}
${cutNote(SHOWN, executions.length)}</section>`;
}

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', failed: 'bad', running: 'good', pending: 'off' };

function writeStatus({ status }: OneExecution): Html {
  return state(TONES[status] ?? 'off', status);
}

function writeProgress({ progress }: OneExecution): Html | undefined {
  if (progress === undefined) return undefined;
  const { percentage, message } = progress;
  const share = percentage === undefined ? undefined : html`${bar(percentage / 100)}${percentage} % `;
  return html`${share}${foreign(message)}`;
}

function writeExecution(execution: OneExecution, frame: Frame): Html {
  const { id, kind, status, error, finishedAt } = execution;
  const isEndable = status === 'pending' || status === 'running';
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Executions', 'plain'),
    title: foreign(execution.subject),
    about: html`${writeStatus(execution)} ${isEndable ? 'What it has done so far stays done when it is cancelled.' : undefined}`,
    actions: isEndable
      ? frame.form(`${addressOf(id)}/cancel`, html`<button class="button-danger">Cancel</button>`)
      : undefined,
    live: true,
  })}
${stack(
  panel(
    'About it',
    facts([
      ['What', kind === 'agent' ? 'an agent' : 'a call'],
      ['Progress', writeProgress(execution)],
      ['Of', foreign(execution.owner)],
      ['Began', moment(execution.startedAt ?? execution.createdAt)],
      ['Ended', moment(finishedAt)],
      ['Error', error && foreign(`${error.code}: ${error.message}`)],
      ['Id', foreign(id)],
    ]),
  ),
)}`;
}
