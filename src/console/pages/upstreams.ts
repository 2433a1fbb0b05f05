import { type Content, type Html, html } from '../../base/lib/html.js';
import type { CourseMinute, ServerCourse } from '../../base/observe/server-courses.js';
import { describeFact } from '../../base/protocol/account-fact.js';
import { describeReplicas } from '../../base/protocol/other-replicas.js';
import { setServerDisabled } from '../../config/edit/change-servers.js';
import type { Gateway, GatewayStatus, UpstreamSummary } from '../../gateway/gateway.js';
import { changeConfiguration } from '../admin/change-configuration.js';
import {
  alert,
  count,
  facts,
  foreign,
  pageHead,
  panel,
  stack,
  table,
  state as writeTone,
} from '../layout/components.js';
import { chart, strip, write } from '../layout/drawings.js';
import type { Frame } from '../layout/frame.js';
import { type Action, type ConsoleSources, definePage, type OpenPart } from '../layout/page.js';
import { type Cut, cutPage, pager } from '../layout/paging.js';
import type { Tone } from '../layout/shapes.js';
import { due, since } from '../layout/times.js';
import { openServerChanges } from './server-changes.js';
import { type LogLine, measureServerLogs, readServerLog } from './server-log.js';

const SECTION = 'upstreams';
const SHOWN = 100;

/** A server with its last half hour. */
export interface WatchedServer {
  readonly upstream: UpstreamSummary;
  /** Absent where nothing counts. */
  readonly course?: ServerCourse | undefined;
}

/** All servers: those in trouble first, then the busiest. */
export function watchServers(gateway: Gateway, { rates }: Pick<ConsoleSources, 'rates'>): readonly WatchedServer[] {
  const watched = gateway.status().upstreams.map((upstream) => ({ upstream, course: rates?.server(upstream.slug) }));
  return watched.toSorted((one, other) => urgencyOf(one) - urgencyOf(other) || callsOf(other) - callsOf(one));
}

/** How a state stands among others: broken, shaken, on its way, well, out of use. */
const TONES: Readonly<Record<UpstreamSummary['state'], readonly [urgency: number, tone: Tone, word: string]>> = {
  failed: [0, 'bad', 'failed'],
  misconfigured: [0, 'bad', 'misconfigured'],
  waiting: [0, 'bad', 'down'],
  degraded: [1, 'warn', 'degraded'],
  starting: [2, 'warn', 'starting'],
  ready: [3, 'good', 'ready'],
  dormant: [3, 'good', 'dormant'],
  disabled: [4, 'off', 'disabled'],
  closed: [4, 'off', 'closed'],
};

function urgencyOf({ upstream }: WatchedServer): number {
  return TONES[upstream.state][0];
}

/** Whether a person should look at it. */
export function isInTrouble(watched: Pick<WatchedServer, 'upstream'>): boolean {
  return urgencyOf(watched) < 2;
}

function callsOf({ course }: WatchedServer): number {
  return course?.minutes.reduce((sum, { ok, failed }) => sum + ok + failed, 0) ?? 0;
}

export function writeServerState({ upstream }: WatchedServer): Html {
  const [, tone, word] = TONES[upstream.state];
  return writeTone(tone, word);
}

/** The servers behind the gateway: how each does, why, and what can be done about it. */
export const openUpstreams: OpenPart = (gateway, sources) => {
  const list = definePage({
    path: SECTION,
    title: 'Servers',
    section: SECTION,
    place: {
      icon: 'servers',
      group: 1,
      counter: () => {
        const value = gateway.status().upstreams.filter((upstream) => isInTrouble({ upstream })).length;
        return value === 0 ? undefined : { tone: 'bad', value, what: 'in trouble' };
      },
    },
    pulse: () => {
      const { upstreams, state } = gateway.status();
      return [upstreams.map(pulseOf), state.replicas, Math.floor(Date.now() / RENEW_MS)];
    },
    read: ({ query }): ListModel => {
      const all = watchServers(gateway, sources);
      const wanted = (query.get('q') ?? '').trim().toLowerCase();
      const found = all.filter(({ upstream: { name, slug } }) => `${name}\n${slug}`.toLowerCase().includes(wanted));
      return { query, all, cut: cutPage(found, query, SHOWN), replicas: gateway.status().state.replicas };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/:slug`,
    title: 'Server',
    section: SECTION,
    // Its buttons rest for a moment after each refresh, so that calls alone cause none.
    pulse: async () => {
      const { upstreams } = gateway.status();
      const printed = await measureServerLogs(
        gateway.config,
        upstreams.filter(({ transport }) => transport === 'stdio').map(({ slug }) => slug),
      );
      return [upstreams.map(({ calls: _calls, ...upstream }) => pulseOf(upstream)), printed];
    },
    read: async ({ params }) => {
      const upstream = gateway.status().upstreams.find(({ slug }) => slug === params['slug']);
      if (upstream === undefined) return undefined;
      const log = await readServerLog(gateway.config, upstream.slug);
      return { upstream, course: sources.rates?.server(upstream.slug), log };
    },
    render: writeUpstream,
  });
  const changes = openServerChanges(gateway);
  return {
    pages: [list, one, ...changes.pages],
    actions: [restart(gateway), ...switches(gateway), ...changes.actions],
  };
};

/** How often the figures of a list that nothing else changes are written anew, in milliseconds. */
const RENEW_MS = 30_000;

function pulseOf(upstream: Omit<UpstreamSummary, 'calls'> & { readonly calls?: UpstreamSummary['calls'] }): unknown {
  const { slug, state, problem, until, tools, restarts, calls, stderr } = upstream;
  return [slug, state, problem, until, tools, restarts, calls, stderr?.length];
}

function nameOf(gateway: Gateway, slug: string | undefined): string | undefined {
  return gateway.status().upstreams.find((each) => each.slug === slug)?.name;
}

const GONE = { to: SECTION, notice: { text: 'There is no such server any more.', failed: true } } as const;

function restart(gateway: Gateway): Action {
  return {
    section: SECTION,
    path: `${SECTION}/:slug/restart`,
    run(_form, { params, operator }) {
      const name = nameOf(gateway, params['slug']);
      if (name === undefined || !gateway.restartUpstream(name)) return GONE;
      gateway.recordAdmin('restart_upstream', { upstream: name }, operator, 'http');
      return { to: `${SECTION}/${params['slug']}`, notice: { text: html`${foreign(name)} starts anew.` } };
    },
  };
}

const SWITCHES = { enable: false, disable: true } as const;

/** Changes the configuration file, as the admin API does. */
function switches(gateway: Gateway): readonly Action[] {
  return Object.entries(SWITCHES).map(([verb, disabled]) => ({
    section: SECTION,
    path: `${SECTION}/:slug/${verb}`,
    async run(_form, { params, operator }) {
      const name = nameOf(gateway, params['slug']);
      if (name === undefined) return GONE;
      const to = `${SECTION}/${params['slug']}`;
      const changed = await changeConfiguration(gateway, operator, `${verb}_upstream`, (config, options) =>
        setServerDisabled(config, { name, disabled }, options),
      );
      if (changed.kind === 'refused') return { to, notice: { text: changed.problem.message, failed: true } };
      const { problem, changes = 'nothing to change' } = changed.reload;
      return { to, notice: { text: problem ?? `Written, and taken: ${changes}.`, failed: problem !== undefined } };
    },
  }));
}

interface ListModel {
  readonly query: URLSearchParams;
  readonly all: readonly WatchedServer[];
  readonly cut: Cut<WatchedServer>;
  readonly replicas: GatewayStatus['state']['replicas'];
}

function writeList({ query, all, cut, replicas }: ListModel, frame: Frame): Html {
  const search = html`<form class="filters" method="get" action="${frame.to(SECTION)}" role="search"><span class="search"><label class="hidden" for="q">Find a server</label>
<input id="q" type="search" name="q" value="${query.get('q') ?? ''}" placeholder="Find a server  ( / )"></span><button>Find</button></form>`;
  return html`${pageHead({ ...headOf(all), actions: frame.link('servers/add', 'Add a server', 'button button-primary'), live: true })}
${stack(
  html`<section class="panel">${search}${writeServers(cut.items, frame)}${pager(frame, SECTION, query, cut)}</section>`,
  replicas === undefined ? undefined : writeReplicas(replicas),
)}`;
}

function headOf(all: readonly WatchedServer[]): { readonly title: string; readonly about?: string } {
  const wanted = all.filter(({ upstream }) => upstream.state !== 'disabled');
  const troubled = wanted.filter(isInTrouble).length;
  if (all.length === 0) return { title: 'No server is configured' };
  const about = `${wanted.length - troubled} of ${wanted.length} can be called. Those in trouble stand first, then the busiest.`;
  if (troubled === 0)
    return { title: all.length === 1 ? 'The server is well' : `All ${wanted.length} servers are well`, about };
  return {
    title: `${troubled} of ${count(wanted.length, 'server')} ${troubled === 1 ? 'is' : 'are'} in trouble`,
    about,
  };
}

/** The list of servers with their half hour, on this page and on the first one. */
export function writeServers(servers: readonly WatchedServer[], frame: Frame): Html {
  return table({
    caption: 'Servers, those in trouble first',
    style: 'wide-first pairs',
    columns: [
      'Server',
      'State',
      ['Since', 'wider nowrap faint'],
      ['Last 30 min', 'tight mid'],
      ['Via', 'wider faint'],
      ['Tools', 'num wide'],
      ['Calls/s', 'num zero'],
      ['p95', 'num zero'],
      ['Failed', 'num zero'],
    ],
    rows: servers.map((watched) => {
      const { upstream, course } = watched;
      const { calls, failed, p95 } = lastOf(course);
      return [
        html`${frame.link(`${SECTION}/${upstream.slug}`, foreign(upstream.name))}${writeReason(watched)}`,
        writeServerState(watched),
        since(course?.since),
        course && strip(course.minutes),
        html`<span class="mono small">${upstream.transport}</span>`,
        upstream.tools,
        calls === 0 ? '–' : write(calls / 60),
        p95 === undefined ? '–' : `${write(p95)} ms`,
        calls === 0 ? '–' : `${write((failed / calls) * 100)} %`,
      ];
    }),
    none: html`<b>No server is here</b>Servers are entries of <code>mcpServers</code> in the configuration file.`,
  });
}

/** Why it cannot be called, below its name. */
function writeReason({ upstream: { problem, until } }: WatchedServer): Html | undefined {
  if (problem === undefined) return undefined;
  return html`<span class="under whole">${foreign(problem)}${until === undefined ? undefined : html`; tried again ${due(until)}`}</span>`;
}

/** The last whole minute, and the one that goes on. */
function lastOf(
  course: ServerCourse | undefined,
): Pick<CourseMinute, 'p95'> & { readonly calls: number; readonly failed: number } {
  const [before, now] = course?.minutes.slice(-2) ?? [];
  const minute = before !== undefined && before.ok + before.failed > 0 ? before : now;
  if (minute === undefined) return { calls: 0, failed: 0 };
  const { ok, failed, p95 } = minute;
  return { calls: ok + failed, failed, p95 };
}

function writeReplicas(replicas: NonNullable<ListModel['replicas']>): Html {
  const { problem } = replicas;
  return panel(
    'Other gateways',
    html`<p class="panel-body">Of this gateway's state store: ${describeReplicas(replicas)}.${problem === undefined ? undefined : html`<br>${foreign(problem)}`}</p>`,
  );
}

interface ServerModel extends WatchedServer {
  readonly log: readonly LogLine[];
}

function writeUpstream(model: ServerModel, frame: Frame): Html {
  const { upstream, course, log } = model;
  const { name, slug, problem, state, stderr = [], until } = upstream;
  const button = (verb: string, text: string, style = ''): Html =>
    frame.form(`${SECTION}/${slug}/${verb}`, html`<button class="${style}">${text}</button>`);
  const remove = frame.link(`${SECTION}/${slug}/remove`, 'Remove', 'button button-quiet');
  const buttons =
    state === 'disabled'
      ? button('enable', 'Enable', 'button-primary')
      : [button('disable', 'Disable'), button('restart', 'Restart', isInTrouble(model) ? 'button-primary' : '')];
  const about = html`${writeServerState(model)} ${course?.since === undefined ? undefined : html`for ${since(course.since)}`}${until === undefined ? undefined : html`, tried again ${due(until)}`}`;
  const minutes = course?.minutes ?? [];
  const isCalled = minutes.some(({ ok, failed }) => ok + failed > 0);
  const lines = log.length > 0 ? log : stderr.map((text) => ({ text }));
  return html`${pageHead({ crumb: frame.link(SECTION, 'Servers', 'plain'), title: foreign(name), about, actions: [remove, buttons], live: true })}
${stack(
  problem === undefined ? undefined : writeProblem(problem, stderr, course),
  html`<div class="columns columns-2-1">${stack(
    course && panel('Last 30 minutes', html`<div class="panel-body long">${strip(minutes)}</div>`),
    isCalled ? writeLatencies(minutes) : undefined,
    writeLog(lines),
  )}
${stack(panel('About it', facts(listFacts(upstream))), panel('To know', html`<p class="panel-body soft">Restarting lets calls in flight end. Enabling and disabling are written into the configuration file.</p>`))}</div>`,
)}`;
}

/** Why it is not ready, in its own last words. */
function writeProblem(problem: string, stderr: readonly string[], course: ServerCourse | undefined): Html {
  const isSaid = stderr.every((line) => problem.includes(line));
  const words = isSaid
    ? undefined
    : html`<pre class="code"><bdi dir="ltr">${stderr.slice(-LAST_WORDS).join('\n')}</bdi></pre>`;
  const failures = course?.failures ?? 0;
  const often =
    failures > 1
      ? html`<p class="soft">${failures} attempts have failed since it could be called last.</p>`
      : undefined;
  return alert('bad', html`<h2>${foreign(problem)}</h2>${words}${often}`);
}

const LAST_WORDS = 5;

function writeLatencies(minutes: readonly CourseMinute[]): Html {
  const times = minutes.map(({ at }) => at);
  return panel(
    'How long calls take',
    chart('How long calls take', 'ms', times, [
      { name: 'median', style: 's-2', values: minutes.map(({ median }) => median) },
      { name: '95th percentile', style: 's-1', values: minutes.map(({ p95 }) => p95) },
    ]),
    'last 30 min',
  );
}

function writeLog(lines: readonly Partial<LogLine>[]): Html {
  if (lines.length === 0)
    return panel(
      'What it prints',
      html`<div class="empty">It has printed nothing. Lines of its standard error appear here.</div>`,
    );
  const items = lines.map(
    ({ at, time, text }) => html`<li><time title="${at ?? ''}">${time ?? ''}</time><bdi>${text}</bdi></li>`,
  );
  return panel(
    'What it prints',
    html`<ol class="log" tabindex="0" aria-label="Log">${items}</ol>`,
    'standard error, newest last',
  );
}

function listFacts(upstream: UpstreamSummary): readonly (readonly [string, Content])[] {
  const { transport, tools, server, protocolVersion, restarts, calls, circuit, isolation, required, account } =
    upstream;
  const said = server === undefined ? undefined : foreign(`${server.name} ${server.version}`);
  const shared = isolation && [isolation.mode, ...isolation.evidence].join('; ');
  const instances = isolation?.instances && `${isolation.instances.running} of ${isolation.instances.max}`;
  return [
    ['Transport', transport],
    ['It says it is', said],
    ['Protocol', foreign(protocolVersion)],
    ['Tools', tools],
    ['Calls', `${calls.inFlight} in flight, ${calls.waiting} waiting in the queue`],
    ['Circuit', circuit],
    ['Restarts', restarts],
    ['Required', required === true ? 'the gateway is ready only with it' : undefined],
    ['Who shares it', foreign(shared)],
    ['Doubt', foreign(isolation?.doubt)],
    ['Connections', instances],
    ['Its account', account && foreign(account.map(describeFact).join('; '))],
  ];
}
