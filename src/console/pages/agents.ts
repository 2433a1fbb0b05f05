import { type Html, html } from '../../base/lib/html.js';
import type { Gateway } from '../../gateway/gateway.js';
import { body, count, cutNote, facts, foreign, pageHead, panel, stack, table } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type OpenPart, type Visit } from '../layout/page.js';
import { moment } from '../layout/times.js';
import { linkToExecution, type OneExecution, runningOf } from './executions.js';

type Safety = NonNullable<Gateway['safety']>;
type Overview = Awaited<ReturnType<Safety['overview']>>;
type Challenge = Overview['challenges'][number];
type Block = Overview['blocked'][number];

const SECTION = 'agents';

const BLOCKED = `${SECTION}/blocked`;

/** Entries of one list. */
const SHOWN = 50;

/** The agents of the safety loop: what holds them up, and what lets them go on. Codes are shown here, where no model reads. */
export const openAgents: OpenPart = ({ safety, executions }) => {
  if (safety === undefined) return NO_PART;
  const pulse = async () => {
    const { blocked, challenges } = await safety.overview();
    const running = await runningOf(executions, 'agent');
    return [blocked.map(keyOf), challenges.map(({ id }) => id), running.map(({ id }) => id)];
  };
  const list = definePage({
    path: SECTION,
    title: 'Agents',
    section: SECTION,
    place: {
      icon: 'agents',
      group: 0,
      counter: async () => {
        const { challenges, blocked } = await safety.overview();
        if (challenges.length > 0) return { tone: 'warn', value: challenges.length, what: 'wait' };
        return blocked.length === 0 ? undefined : { tone: 'warn', value: blocked.length, what: 'blocked' };
      },
    },
    pulse,
    read: async () => ({ ...(await safety.overview()), running: await runningOf(executions, 'agent') }),
    render: writeAgents,
  });
  const challenge = definePage({
    path: `${SECTION}/challenges/:id`,
    title: 'Question of an agent',
    section: SECTION,
    pulse,
    read: async ({ params }) => (await safety.overview()).challenges.find(({ id }) => id === params['id']),
    render: writeChallenge,
  });
  const block = definePage({
    path: BLOCKED,
    title: 'Blocked agent',
    section: SECTION,
    pulse,
    read: async ({ query }) => {
      const [subject, agent] = [query.get('subject'), query.get('agent')];
      return (await safety.overview()).blocked.find((each) => each.subject === subject && each.agent === agent);
    },
    render: writeBlock,
  });
  return { pages: [list, challenge, block], actions: [agreeBy(safety), showCodeBy(safety), unblockBy(safety)] };
};

const GONE = { to: SECTION, notice: { text: 'Nothing was done: it is answered, lifted or expired.', failed: true } };

function agreeBy(safety: Safety): Action {
  return {
    section: SECTION,
    path: `${SECTION}/challenges/:id/agree`,
    async run(form, visit) {
      const id = visit.params['id'] ?? '';
      if (!form.has('sure')) {
        const text = 'Nothing was agreed: tick the box above the button first.';
        return { to: addressOf(id), notice: { text, failed: true } };
      }
      const agreed = await safety.agree(id, operatorOf(form, visit));
      if (agreed === undefined) return GONE;
      return { to: SECTION, notice: { text: [foreign(agreed.agent), ': agreed by you'] } };
    },
  };
}

function showCodeBy(safety: Safety): Action {
  return {
    section: SECTION,
    path: `${SECTION}/challenges/:id/code`,
    async run(form, visit) {
      const id = visit.params['id'] ?? '';
      const code = await safety.showCode(id, operatorOf(form, visit));
      if (code === undefined) return GONE;
      const text = html`The code, which is shown once: <span class="code">${code}</span>. Those that were sent before no longer count.`;
      return { to: addressOf(id), notice: { text } };
    },
  };
}

function unblockBy(safety: Safety): Action {
  return {
    section: SECTION,
    path: `${BLOCKED}/lift`,
    async run(form, visit) {
      const [subject, agent] = [form.get('subject') ?? '', form.get('agent') ?? ''];
      const operator = operatorOf(form, visit);
      if (operator.reason === undefined) {
        const text = 'Nothing was lifted: say why, for the audit trail.';
        return { to: addressOfBlock({ subject, agent }), notice: { text, failed: true } };
      }
      const lifted = await safety.unblock(subject, agent, operator);
      return lifted.length === 0 ? GONE : { to: SECTION, notice: { text: [foreign(agent), ': lifted by you'] } };
    },
  };
}

const LONGEST_REASON = 1_000;

function operatorOf(form: URLSearchParams, { operator: name }: Visit) {
  const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON);
  return { name, way: 'http', ...(reason === '' ? {} : { reason }) } as const;
}

function keyOf({ subject, agent, challenge }: Block): string {
  return JSON.stringify([subject, agent, challenge]);
}

function addressOf(id: string): string {
  return `${SECTION}/challenges/${encodeURIComponent(id)}`;
}

function addressOfBlock({ subject, agent }: Pick<Block, 'subject' | 'agent'>): string {
  return `${BLOCKED}?${new URLSearchParams({ subject, agent })}`;
}

/** What each kind of question asks of a person. */
const ASKS: Readonly<Record<Challenge['kind'], string>> = {
  confirm: 'may it take this step?',
  verify: 'this step needs a code',
  block: 'it is blocked until it has a code',
};

interface Agents extends Overview {
  readonly running: readonly OneExecution[];
}

function writeAgents({ blocked, challenges, running }: Agents, frame: Frame): Html {
  const asking = challenges.length;
  const title =
    asking > 0
      ? `${count(asking, 'question')} of agents ${asking === 1 ? 'waits' : 'wait'} for a person`
      : blocked.length > 0
        ? `${count(blocked.length, 'agent')} ${blocked.length === 1 ? 'is' : 'are'} blocked`
        : 'No agent waits for a person';
  return html`${pageHead({ title, live: true })}
${stack(
  panel('Questions that wait for a person', [writeQuestions(challenges, frame), cutNote(SHOWN, asking)]),
  panel('Blocked agents', [writeBlocked(blocked, frame), cutNote(SHOWN, blocked.length)]),
  panel('Running agents', [writeRunning(running, frame), cutNote(SHOWN, running.length)]),
)}`;
}

function writeQuestions(challenges: readonly Challenge[], frame: Frame): Html {
  return table({
    caption: 'Questions that wait for a person',
    style: 'wide-first',
    columns: ['Step', 'Question', 'Agent', ['Of', 'wide'], ['Code counts until', 'nowrap']],
    rows: challenges
      .slice(0, SHOWN)
      .map((each) => [
        frame.link(addressOf(each.id), foreign(each.action)),
        ASKS[each.kind],
        foreign(each.agent),
        foreign(each.subject),
        moment(each.expiresAt),
      ]),
    none: 'Nothing waits for a person.',
  });
}

function writeBlocked(blocked: readonly Block[], frame: Frame): Html {
  return table({
    caption: 'Blocked agents',
    columns: ['Agent', 'Of', 'Why', ['Since', 'nowrap']],
    rows: blocked
      .slice(0, SHOWN)
      .map((each) => [
        frame.link(addressOfBlock(each), foreign(each.agent)),
        foreign(each.subject),
        foreign(each.reason),
        moment(each.since),
      ]),
    none: 'No agent is blocked.',
  });
}

function writeRunning(running: readonly OneExecution[], frame: Frame): Html {
  return table({
    caption: 'Running agents',
    columns: ['Agent', 'Session or client', ['Since', 'nowrap']],
    rows: running
      .slice(0, SHOWN)
      .map((each) => [linkToExecution(each, frame), foreign(each.owner), moment(each.startedAt ?? each.createdAt)]),
    none: 'No agent runs.',
  });
}

/** What the gateway knows stands above what the agent wrote. */
function writeChallenge(challenge: Challenge, frame: Frame): Html {
  const agree = html`<div class="field"><label for="reason">Reason <span class="hint">optional</span></label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2"></textarea></div>
<label class="check"><input class="sure" type="checkbox" name="sure" value="yes" required> I have read what the agent is about to do</label>
<div class="actions"><button class="button-danger">Agree</button></div>`;
  const code =
    challenge.status === 'open'
      ? frame.form(`${addressOf(challenge.id)}/code`, html`<button class="button-primary">Show a new code</button>`)
      : html`<p class="soft">The time for a code is over.</p>`;
  return html`${pageHead({ crumb: frame.link(SECTION, 'Agents', 'plain'), title: "An agent's step", about: ASKS[challenge.kind] })}
<div class="columns columns-2-1">${panel(
    'The question',
    facts([
      ['Agent of', foreign(challenge.subject)],
      ['Question', ASKS[challenge.kind]],
      ['Why', foreign(challenge.reason)],
      ['Found', challenge.factors.map((factor) => html`<p>${foreign(factor)}</p>`)],
      ['Asked', moment(challenge.issuedAt)],
      ['Code counts until', moment(challenge.expiresAt)],
      ['Agent', foreign(challenge.agent)],
      ['Its step', foreign(challenge.action)],
    ]),
  )}
<div class="stack sticky">${panel('Give a code', body(html`<p class="lead soft">A person gives it to the agent's client, which answers with it.</p>${code}`))}
${panel('Agree without a code', frame.form(`${addressOf(challenge.id)}/agree`, agree, { class: 'panel-body decide' }))}</div></div>`;
}

function writeBlock(block: Block, frame: Frame): Html {
  const { subject, agent } = block;
  const lift = html`<div class="field"><label for="reason">Reason, for the audit trail</label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2" required></textarea></div>
<div class="actions"><button class="button-primary">Lift the block</button></div>`;
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Agents', 'plain'),
    title: 'Blocked agent',
    about: 'Nothing that this client calls an agent goes on before the block is lifted.',
  })}
<div class="columns columns-2-1">${panel('The block', [
    facts([
      ['Agent of', foreign(subject)],
      ['Why', foreign(block.reason)],
      ['Since', moment(block.since)],
      ['Agent', foreign(agent)],
    ]),
    html`<p class="panel-foot">${frame.link(addressOf(block.challenge), 'The question that waits for a code')}</p>`,
  ])}
${panel('Lift the block', frame.form(`${BLOCKED}/lift`, lift, { fields: { subject, agent }, class: 'panel-body decide' }))}</div>`;
}
