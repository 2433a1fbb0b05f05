import { type Html, html } from '../../base/lib/html.js';
import type { Diagnostic } from '../../base/protocol/tools.js';
import type { Gateway } from '../../gateway/gateway.js';
import {
  type Accepted,
  acceptDefinition,
  beginLock,
  type DefinitionDifference,
  reviewDefinition,
  reviewDefinitions,
  type ToolDifference,
} from '../../gateway/review/definition-review.js';
import { body, count, cutNote, empty, foreign, pageHead, panel, stack, state, table } from '../layout/components.js';
import { jsonDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart } from '../layout/page.js';
import { type Cut, cutPage, pager, Revisions } from '../layout/paging.js';
import type { Tone } from '../layout/shapes.js';
import { countDifferences } from './count-differences.js';

const SECTION = 'integrity';
const SHOWN = 50;
const MOST_DETAILS = 3;

/** What servers define otherwise than an operator has accepted. */
export const openIntegrity: OpenPart = (gateway) => {
  const revisions = new Revisions();
  // Withheld definitions change nothing but the lists of their servers.
  const pulse = (): readonly number[] =>
    [gateway.revision(), gateway.config, ...gateway.toolSets()].map((each) => revisions.numberOf(each));
  const list = definePage({
    path: SECTION,
    title: 'Integrity',
    section: SECTION,
    place: {
      icon: 'integrity',
      group: 1,
      counter: async () => {
        const value = await countDifferences(gateway);
        return value === 0 ? undefined : { tone: 'warn', value, what: 'changed' };
      },
    },
    pulse,
    read: async ({ query }): Promise<ListModel> => {
      const { differences, ...review } = await reviewDefinitions(gateway);
      const { diagnostics } = gateway.status();
      return { ...review, query, cut: cutPage(differences, query, SHOWN), diagnostics };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/one`,
    title: 'Difference',
    section: SECTION,
    pulse,
    read: ({ query }) =>
      reviewDefinition(gateway, { upstream: query.get('upstream') ?? '', tool: query.get('tool') ?? '' }),
    render: writeDifference,
  });
  return { pages: [list, one], actions: [accept(gateway), begin(gateway)] };
};

const REFUSALS: Readonly<Record<Exclude<Accepted, 'accepted'>, string>> = {
  outdated: 'Nothing was accepted: the definition or the lock has changed since. Read it again.',
  unreadable: 'Nothing was accepted: the lock cannot be read. Restore it from version control.',
};

function accept(gateway: Gateway): Action {
  return {
    section: SECTION,
    path: `${SECTION}/accept`,
    async run(form, { operator }) {
      const name = { upstream: form.get('upstream') ?? '', tool: form.get('tool') ?? '' };
      const accepted = await acceptDefinition(gateway, name, { digest: form.get('digest') ?? '', operator });
      if (accepted !== 'accepted') return { to: SECTION, notice: { text: REFUSALS[accepted], failed: true } };
      return { to: SECTION, notice: { text: html`Accepted ${foreign(name.tool)} of ${foreign(name.upstream)}.` } };
    },
  };
}

function begin(gateway: Gateway): Action {
  return {
    section: SECTION,
    path: `${SECTION}/begin`,
    async run(_form, { operator }) {
      const begun = await beginLock(gateway, operator);
      if (begun !== 'accepted') return { to: SECTION, notice: { text: REFUSALS[begun], failed: true } };
      return { to: SECTION, notice: { text: 'Wrote the lock of everything that the servers offer now.' } };
    },
  };
}

interface ListModel {
  readonly file: string;
  readonly exists: boolean;
  readonly unread: readonly string[];
  readonly query: URLSearchParams;
  readonly cut: Cut<ToolDifference>;
  readonly diagnostics: readonly Diagnostic[];
}

const KINDS: Readonly<Record<ToolDifference['kind'], string>> = {
  new: 'new',
  changed: 'changed',
  vanished: 'gone',
  reclassified: 'judged otherwise',
};

function writeList({ file, exists, unread, query, cut, diagnostics }: ListModel, frame: Frame): Html {
  const { total } = cut;
  const title = !exists
    ? 'Nothing was accepted yet'
    : total === 0
      ? 'All definitions are as they were accepted'
      : `${count(total, 'definition')} ${total === 1 ? 'differs' : 'differ'} from what was accepted`;
  const about = exists
    ? html`Compared with the lock ${foreign(file)}.`
    : html`There is no lock: definitions are compared with what servers offered first since the start. A lock, ${foreign(file)}, holds what you accept.`;
  const start = exists
    ? undefined
    : frame.form(`${SECTION}/begin`, html`<button class="button-primary">Accept everything as it is now</button>`);
  const incomplete =
    unread.length === 0
      ? undefined
      : html`<p class="panel-foot">Not read, or not completely: ${foreign(unread.slice(0, SHOWN).join(', '))}. What was accepted of them counts.</p>`;
  return html`${pageHead({ title, about, actions: start, live: true })}
${stack(
  exists
    ? panel(count(total, 'difference'), [writeDifferences(cut, frame), pager(frame, SECTION, query, cut), incomplete])
    : incomplete && html`<section class="panel">${incomplete}</section>`,
  panel('What should be looked at', [writeDiagnostics(diagnostics), cutNote(SHOWN, diagnostics.length)]),
)}`;
}

const SEVERITIES: Readonly<Record<Diagnostic['severity'], readonly [order: number, tone: Tone]>> = {
  error: [0, 'bad'],
  warning: [1, 'warn'],
  info: [2, 'off'],
};

function writeDiagnostics(diagnostics: readonly Diagnostic[]): Html {
  const sorted = diagnostics.toSorted((a, b) => SEVERITIES[a.severity][0] - SEVERITIES[b.severity][0]);
  return table({
    caption: 'Diagnostics',
    columns: ['Server', 'Severity', ['What', 'whole']],
    rows: sorted
      .slice(0, SHOWN)
      .map(({ upstream, severity, message }) => [
        foreign(upstream),
        state(SEVERITIES[severity][1], severity),
        foreign(message),
      ]),
    none: html`<b>Nothing was found</b>Definitions that look hostile, or cannot be offered, appear here.`,
  });
}

function writeDifferences(cut: Cut<ToolDifference>, frame: Frame): Html {
  const rows = cut.items.map(({ upstream, tool, kind, details }) => {
    const address = `${SECTION}/one?${new URLSearchParams({ upstream, tool })}`;
    return [
      html`${frame.link(address, html`<span class="mono">${foreign(tool)}</span>`)}${writeDetails(details, MOST_DETAILS, 'under whole')}`,
      state('warn', KINDS[kind]),
      foreign(upstream),
      frame.link(address, 'Compare', 'button'),
    ];
  });
  const columns = ['Definition', 'How', 'Server', ['', 'tight fit wide']] as const;
  if (rows.length === 0) return empty('Nothing differs from the lock', 'What a server defines otherwise appears here.');
  return table({ caption: `${cut.total} differences`, columns, rows, none: '', style: 'wide-first pairs' });
}

function writeDetails(details: readonly string[], most: number, style: string): Html {
  const more = details.length > most ? html`<span>and ${details.length - most} more</span>` : undefined;
  return html`<span class="${style}">${details.slice(0, most).map((detail) => html`${foreign(detail)}<br>`)}${more}</span>`;
}

function writeDifference(difference: DefinitionDifference, frame: Frame): Html {
  const { upstream, tool, kind, details, before, after, digest } = difference;
  const button = after === undefined ? 'Accept that it is gone' : 'Accept';
  const form = frame.form(`${SECTION}/accept`, html`<button class="button-primary">${button}</button>`, {
    fields: { upstream, tool, digest },
  });
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Integrity', 'plain'),
    title: html`${foreign(tool)} of ${foreign(upstream)}`,
    about: `It is ${KINDS[kind]}.`,
    actions: form,
  })}
${stack(
  details.length === 0 ? undefined : panel('What is otherwise', body(writeDetails(details, SHOWN, ''))),
  panel(
    'The definition, from what was accepted to what there is now',
    jsonDifference(before?.definition, after?.definition),
  ),
  panel('How it is judged', jsonDifference(before?.operations, after?.operations)),
)}`;
}
