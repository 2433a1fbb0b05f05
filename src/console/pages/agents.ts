import { type Html, html } from '../../base/lib/html.js';
import type { Gateway } from '../../gateway/gateway.js';
import { cutNote, facts, foreign, moment, table } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, NO_PART, type OpenPart, type Visit } from '../layout/page.js';
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
  return html`<h1>Agents</h1>
${table({
  caption: 'Questions that wait for a person',
  columns: ['Step', 'Question', 'Agent', 'Of', 'Code counts until'],
  rows: challenges
    .slice(0, SHOWN)
    .map((each) => [
      html`<a href="${frame.to(addressOf(each.id))}">${foreign(each.action)}</a>`,
      ASKS[each.kind],
      foreign(each.agent),
      foreign(each.subject),
      moment(each.expiresAt),
    ]),
  none: 'Nothing waits for a person.',
})}
${cutNote(SHOWN, challenges.length)}
${table({
  caption: 'Blocked agents',
  columns: ['Agent', 'Of', 'Why', 'Since'],
  rows: blocked
    .slice(0, SHOWN)
    .map((each) => [
      html`<a href="${frame.to(addressOfBlock(each))}">${foreign(each.agent)}</a>`,
      foreign(each.subject),
      foreign(each.reason),
      moment(each.since),
    ]),
  none: 'No agent is blocked.',
})}
${cutNote(SHOWN, blocked.length)}
${table({
  caption: 'Running agents',
  columns: ['Agent', 'Session or client', 'Since'],
  rows: running
    .slice(0, SHOWN)
    .map((each) => [linkToExecution(each, frame), foreign(each.owner), moment(each.startedAt ?? each.createdAt)]),
  none: 'No agent runs.',
})}
${cutNote(SHOWN, running.length)}`;
}

/** What the gateway knows stands above what the agent wrote. */
function writeChallenge(challenge: Challenge, frame: Frame): Html {
  const agree = html`<p><label for="reason">Reason (optional)</label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2"></textarea></p>
<p><label><input type="checkbox" name="sure" value="yes" required> I have read what the agent is about to do</label></p>
<p><button>Agree</button></p>`;
  return html`<h1>An agent's step</h1>
${facts([
  ['Agent of', foreign(challenge.subject)],
  ['Question', ASKS[challenge.kind]],
  ['Why', foreign(challenge.reason)],
  ['Found', challenge.factors.map((factor) => html`<p>${foreign(factor)}</p>`)],
  ['Asked', moment(challenge.issuedAt)],
  ['Code counts until', moment(challenge.expiresAt)],
  ['Agent', foreign(challenge.agent)],
  ['Its step', foreign(challenge.action)],
])}
<h2>Give a code</h2>
<p>A person gives it to the agent's client, which answers with it.</p>
${challenge.status === 'open' ? frame.form(`${addressOf(challenge.id)}/code`, html`<p><button>Show a new code</button></p>`) : html`<p>The time for a code is over.</p>`}
<h2>Agree without a code</h2>
${frame.form(`${addressOf(challenge.id)}/agree`, agree)}`;
}

function writeBlock(block: Block, frame: Frame): Html {
  const { subject, agent } = block;
  const lift = html`<h2>Lift the block</h2>
<p><label for="reason">Reason, for the audit trail</label>
<textarea id="reason" name="reason" maxlength="${LONGEST_REASON}" rows="2" required></textarea></p>
<p><button>Lift the block</button></p>`;
  return html`<h1>Blocked agent</h1>
${facts([
  ['Agent of', foreign(subject)],
  ['Why', foreign(block.reason)],
  ['Since', moment(block.since)],
  ['Agent', foreign(agent)],
])}
<p>Nothing that this client calls an agent goes on before the block is lifted.</p>
<p><a href="${frame.to(addressOf(block.challenge))}">The question that waits for a code</a></p>
${frame.form(`${BLOCKED}/lift`, lift, { fields: { subject, agent } })}`;
}
