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
import { cutNote, foreign, table } from '../layout/components.js';
import { jsonDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart } from '../layout/page.js';
import { type Cut, cutPage, pager, Revisions } from '../layout/paging.js';

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
  const start = exists
    ? html`<p>Compared with the lock ${foreign(file)}.</p>`
    : html`<p>There is no lock: definitions are compared with what servers offered first since the start. A lock, ${foreign(file)}, holds what you accept.</p>
${frame.form(`${SECTION}/begin`, html`<button>Accept everything as it is now</button>`)}`;
  return html`<h1>Integrity</h1>
${start}
${unread.length === 0 ? undefined : html`<p>Not read, or not completely: ${foreign(unread.slice(0, SHOWN).join(', '))}. What was accepted of them counts.</p>`}
${exists ? writeDifferences(cut, frame) : undefined}
${exists ? pager(frame, SECTION, query, cut) : undefined}
<h2>What should be looked at</h2>
${table({
  caption: 'Diagnostics',
  columns: ['Server', 'Severity', 'What'],
  rows: diagnostics
    .slice(0, SHOWN)
    .map(({ upstream, severity, message }) => [foreign(upstream), severity, foreign(message)]),
  none: 'Nothing was found.',
})}
${cutNote(SHOWN, diagnostics.length)}`;
}

function writeDifferences(cut: Cut<ToolDifference>, frame: Frame): Html {
  const rows = cut.items.map(({ upstream, tool, kind, details }) => {
    const address = `${SECTION}/one?${new URLSearchParams({ upstream, tool })}`;
    return [
      html`<a href="${frame.to(address)}">${foreign(tool)}</a>`,
      foreign(upstream),
      KINDS[kind],
      writeDetails(details, MOST_DETAILS),
    ];
  });
  const none = 'Nothing differs from the lock.';
  return table({ caption: `${cut.total} differences`, columns: ['Definition', 'Server', 'How', 'What'], rows, none });
}

function writeDetails(details: readonly string[], most: number): Html {
  const more = details.length > most ? html`<li>and ${details.length - most} more</li>` : undefined;
  return html`<ul>${details.slice(0, most).map((detail) => html`<li>${foreign(detail)}</li>`)}${more}</ul>`;
}

function writeDifference(difference: DefinitionDifference, frame: Frame): Html {
  const { upstream, tool, kind, details, before, after, digest } = difference;
  const button = after === undefined ? 'Accept that it is gone' : 'Accept';
  return html`<h1>${foreign(tool)} of ${foreign(upstream)}</h1>
<p>It is ${KINDS[kind]}.</p>
${writeDetails(details, SHOWN)}
<h2>The definition, from what was accepted to what there is now</h2>
${jsonDifference(before?.definition, after?.definition)}
<h2>How it is judged</h2>
${jsonDifference(before?.operations, after?.operations)}
${frame.form(`${SECTION}/accept`, html`<button>${button}</button>`, { fields: { upstream, tool, digest } })}
<p><a href="${frame.to(SECTION)}">Back to the list</a></p>`;
}
