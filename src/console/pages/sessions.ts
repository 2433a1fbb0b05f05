import { type Html, html } from '../../base/lib/html.js';
import { principalOf } from '../../base/protocol/caller.js';
import type { ListedSession } from '../../server/http/session-registry.js';
import { count, foreign, pageHead, table } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart } from '../layout/page.js';
import { type Cut, cutPage, pager } from '../layout/paging.js';
import { moment } from '../layout/times.js';

const SECTION = 'sessions';
const SHOWN = 100;

/** The clients of this process. */
export const openSessions: OpenPart = (gateway, { sessions }) => {
  const list = definePage({
    path: SECTION,
    title: 'Sessions',
    section: SECTION,
    place: {
      icon: 'sessions',
      group: 2,
      counter: () => {
        const value = sessions.list().length;
        return value === 0 ? undefined : { tone: 'plain', value, what: 'connected' };
      },
    },
    // Not when each was used last: that would be news all the time.
    pulse: () => sessions.list().map(({ id, inFlight }) => [id, inFlight > 0]),
    read: ({ query }) => ({ query, cut: cutPage(findSessions(sessions.list(), query.get('q') ?? ''), query, SHOWN) }),
    render: writeSessions,
  });
  const end: Action = {
    section: SECTION,
    path: `${SECTION}/:id/end`,
    run(_form, { params, operator }) {
      const id = params['id'] ?? '';
      if (!sessions.end(id))
        return { to: SECTION, notice: { text: 'There is no such session any more.', failed: true } };
      gateway.recordAdmin('session_ended', { session: id }, operator, 'http');
      return { to: SECTION, notice: { text: `Ended the session ${id}.` } };
    },
  };
  return { pages: [list], actions: [end] };
};

/** The sessions that a text occurs in, the last used first. */
export function findSessions(all: readonly ListedSession[], text: string): readonly ListedSession[] {
  const wanted = text.trim().toLowerCase();
  const texts = ({ id, caller: { clientName, client, user, peer }, view }: ListedSession): string =>
    [id, clientName, client, user, peer, view].join('\n').toLowerCase();
  const found = wanted === '' ? all : all.filter((session) => texts(session).includes(wanted));
  return found.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt);
}

const ERAS: Readonly<Record<ListedSession['era'], string>> = {
  legacy: 'session (up to 2025-11-25)',
  modern: 'single requests (2026-07-28)',
};

interface SessionsModel {
  readonly query: URLSearchParams;
  readonly cut: Cut<ListedSession>;
}

function writeSessions({ query, cut }: SessionsModel, frame: Frame): Html {
  const rows = cut.items.map(({ id, era, caller, view, openedAt, lastUsedAt, inFlight }) => [
    html`<b>${foreign(caller.clientName)}</b><span class="under mono">${foreign(id)}</span>`,
    writeWho(caller),
    html`${ERAS[era]}${view === undefined ? undefined : `, view ${view}`}`,
    moment(openedAt),
    inFlight > 0 ? `${inFlight} in flight` : html`none since ${moment(lastUsedAt)}`,
    frame.form(`${SECTION}/${encodeURIComponent(id)}/end`, html`<button class="button-bad">End</button>`),
  ]);
  const columns = [
    'Client',
    'Who',
    ['Protocol', 'wide soft'],
    ['Since', 'nowrap wider'],
    ['Requests', 'nowrap'],
    ['', 'tight fit'],
  ] as const;
  const none = html`<b>No client is connected</b>Clients appear here with their first request.`;
  const about =
    'A client whose session has ended opens another one with its next request. Who may enter at all is said by the configuration.';
  return html`${pageHead({ title: cut.total === 0 ? 'No client is connected' : `${count(cut.total, 'client')} ${cut.total === 1 ? 'is' : 'are'} connected`, about, live: true })}
<section class="panel"><form class="filters" method="get" action="${frame.to(SECTION)}" role="search"><span class="search"><label class="hidden" for="q">Client, user, address or session</label>
<input id="q" type="search" name="q" value="${query.get('q') ?? ''}" placeholder="Client, user, address or session  ( / )"></span><button>Find</button></form>
${table({ caption: 'Clients of this gateway', columns, rows, none })}
${pager(frame, SECTION, query, cut)}</section>`;
}

function writeWho(caller: ListedSession['caller']): Html {
  const who = principalOf(caller);
  const name = who === undefined ? 'not authenticated' : html`${who.kind} ${foreign(who.name)}`;
  return html`${name}${caller.peer === undefined ? undefined : html`, from ${foreign(caller.peer)}`}`;
}
