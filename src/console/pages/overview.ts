import { type Content, type Html, html } from '../../base/lib/html.js';
import type { RateSample } from '../../base/observe/call-rates.js';
import type { Tally } from '../../base/observe/server-courses.js';
import type { Approval } from '../../base/protocol/approval.js';
import type { Gateway, GatewayStatus } from '../../gateway/gateway.js';
import { body, count, facts, foreign, operationName, pageHead, panel, state } from '../layout/components.js';
import { bar, chart, spark, write } from '../layout/drawings.js';
import type { Frame } from '../layout/frame.js';
import { definePage, type OpenPart } from '../layout/page.js';
import { shape } from '../layout/shapes.js';
import { due, duration, moment, since } from '../layout/times.js';
import { pendingOf } from './approvals.js';
import { countDifferences } from './count-differences.js';
import { countTokens, type Registration, writeCalled } from './figures.js';
import { isInTrouble, type WatchedServer, watchServers, writeServers } from './upstreams.js';

const SECTION = 'overview';

/** Servers in the list of this page, and things in the one of what needs a person. */
const MOST_SERVERS = 8;
const MOST_ITEMS = 8;

/** How often the figures are written anew where nothing else changes, in milliseconds. */
const RENEW_MS = 10_000;

/** Is all well, and what wants a person? */
export const openOverview: OpenPart = (gateway, sources) => {
  const counted = new WeakMap<object, number>();
  const read = async (origin: string): Promise<OverviewModel> => {
    const { config, approvals, safety } = gateway;
    const agents = await safety?.overview();
    return {
      servers: watchServers(gateway, sources),
      status: gateway.status(),
      pending: approvals === undefined ? [] : await pendingOf(approvals),
      agents: { asking: agents?.challenges.length ?? 0, blocked: agents?.blocked.length ?? 0 },
      differences: await countDifferences(gateway),
      samples: sources.rates?.samples() ?? [],
      categories: sources.rates?.categories() ?? [],
      saved: await countTokens(gateway, counted),
      about: {
        version: sources.version,
        file: config.file,
        mode: gateway.shown().mode,
        store: config.store.type,
        audit: config.audit.enabled,
        clients: sources.sessions.list().length,
        hasTokens: config.clients.length > 0 || config.server.oauth !== undefined,
        address: `${origin}/mcp`,
      },
    };
  };
  const overview = definePage({
    path: SECTION,
    title: 'Overview',
    section: SECTION,
    place: { icon: 'overview', group: 0 },
    pulse: async () => [
      gateway.status().upstreams.map(({ slug, state, problem }) => [slug, state, problem]),
      gateway.status().reload?.at,
      (await gateway.approvals?.list())?.length,
      Math.floor(Date.now() / RENEW_MS),
    ],
    read: ({ origin }) => read(origin),
    render: writeOverview,
  });
  return { pages: [overview], actions: [] };
};

interface OverviewModel {
  readonly servers: readonly WatchedServer[];
  readonly status: GatewayStatus;
  readonly pending: readonly Approval[];
  readonly agents: { readonly asking: number; readonly blocked: number };
  readonly differences: number;
  readonly samples: readonly RateSample[];
  readonly categories: readonly Tally[];
  readonly saved: readonly Registration[];
  readonly about: {
    readonly version: string;
    readonly file: string | null;
    readonly mode: ReturnType<Gateway['shown']>['mode'];
    readonly store: string;
    readonly audit: boolean;
    readonly clients: number;
    /** Whether clients show who they are. */
    readonly hasTokens: boolean;
    readonly address: string;
  };
}

function writeOverview(model: OverviewModel, frame: Frame): Html {
  const items = itemsOf(model, frame);
  const { servers, samples, categories } = model;
  const isCalled = samples.some(({ ok, refused, failed }) => ok + refused + failed > 0);
  return html`${pageHead({ ...verdictOf(model), live: true })}
<div class="stack">${items.length === 0 ? undefined : writeItems(items)}
${writeStats(model)}
<div class="columns columns-2-1"><div class="stack">
${panel('Servers', writeServers(servers.slice(0, MOST_SERVERS), frame), frame.link('upstreams', `All ${servers.length}`))}
${writeConnect(model)}</div>
<div class="stack">${isCalled ? writeFailures(samples, frame) : undefined}
${isCalled ? panel('What is called', writeCalled(categories), 'last 30 min') : undefined}
${writeAbout(model, frame)}</div></div></div>`;
}

/** The page in one sentence. */
function verdictOf({ servers, pending, agents, status }: OverviewModel): {
  readonly title: string;
  readonly about: Content;
} {
  const wanted = servers.filter(({ upstream }) => upstream.state !== 'disabled');
  const troubled = wanted.filter(isInTrouble);
  const starting = wanted.filter(({ upstream }) => upstream.state === 'starting').length;
  const waiting = pending.length + agents.asking;
  const wait =
    waiting === 0 ? 'nothing waits' : `${count(waiting, 'call')} ${waiting === 1 ? 'waits' : 'wait'} for a person`;
  const began = Math.min(...troubled.map(({ course }) => course?.since ?? Number.POSITIVE_INFINITY));
  const operations = count(status.operations, 'operation');
  if (troubled.length > 0)
    return {
      title: `${troubled.length} of ${count(wanted.length, 'server')} ${troubled.length === 1 ? 'is' : 'are'} in trouble, ${wait}`,
      about: html`${operations} can be called.${Number.isFinite(began) ? html` Trouble began ${moment(began)}.` : undefined}`,
    };
  if (wanted.length === 0)
    return { title: 'No server is configured yet', about: 'Add one under Servers, or in the configuration file.' };
  const ready =
    starting > 0
      ? `${starting} of ${count(wanted.length, 'server')} ${starting === 1 ? 'is' : 'are'} starting`
      : wanted.length === 1
        ? 'The server is ready'
        : `All ${wanted.length} servers are ready`;
  return { title: `${ready}, ${wait}`, about: `${operations} can be called.` };
}

/** Something that a person should look at. */
interface Item {
  readonly tone: 'bad' | 'warn';
  readonly title: Content;
  readonly why?: Content;
  readonly when?: Content;
  readonly link: Html;
}

/** The most urgent first. */
function itemsOf({ servers, pending, agents, status, differences }: OverviewModel, frame: Frame): readonly Item[] {
  return [
    ...servers.filter(isInTrouble).map((watched) => itemOfServer(watched, frame)),
    ...itemsOfState(status),
    ...(pending.length === 0 ? [] : [itemOfApprovals(pending, frame)]),
    ...itemsOfAgents(agents, frame),
    ...itemsOfReload(status.reload, frame),
    ...(differences === 0
      ? []
      : [
          {
            tone: 'warn' as const,
            title: html`<b>${count(differences, 'definition')}</b> of servers ${differences === 1 ? 'has' : 'have'} changed`,
            why: 'It differs from the lock, and nobody has accepted it.',
            link: frame.link('integrity', 'Compare'),
          },
        ]),
  ];
}

function itemOfServer({ upstream, course }: WatchedServer, frame: Frame): Item {
  const { name, slug, state: now, problem, stderr = [], until } = upstream;
  const words: Readonly<Record<string, string>> = {
    degraded: 'fails most calls',
    misconfigured: 'is not configured correctly',
  };
  const last = stderr.at(-1);
  const failures = course?.failures ?? 0;
  return {
    tone: now === 'degraded' ? 'warn' : 'bad',
    title: html`<b>${foreign(name)}</b> ${words[now] ?? 'is down'}`,
    why: html`${foreign(problem)}${last === undefined || problem?.includes(last) ? undefined : html`, its last words: <q class="value">${foreign(last)}</q>`}${failures > 1 ? `. ${failures} attempts failed` : undefined}${until === undefined ? undefined : html`, the next one ${due(until)}`}`,
    when: moment(course?.since),
    link: frame.link(`upstreams/${slug}`, 'Open'),
  };
}

function itemsOfState({ state: { audit, store, replicas } }: GatewayStatus): readonly Item[] {
  const parts = [
    ['The audit record', audit],
    ['The state store', store],
    ['Another gateway of the store', replicas],
  ] as const;
  return parts.flatMap(([what, part]) => {
    if (part === undefined || part.state === 'ok') return [];
    const tone = part.state === 'failing' ? 'bad' : 'warn';
    return [{ tone, title: html`<b>${what}</b> is ${part.state}`, why: foreign(part.problem), link: html`` }];
  });
}

function itemOfApprovals(pending: readonly Approval[], frame: Frame): Item {
  const [first] = pending;
  const dangerous = pending.filter(({ danger }) => danger === 'dangerous').length;
  return {
    tone: 'warn',
    title: html`<b>${count(pending.length, 'call')}</b> ${pending.length === 1 ? 'waits' : 'wait'} for approval${dangerous === 0 ? undefined : `, ${dangerous} of them dangerous`}`,
    why: first && html`The first one expires ${moment(first.expiresAt)}: ${operationName(first.operation)}`,
    when: moment(pending.map(({ requestedAt }) => requestedAt).toSorted()[0]),
    link: frame.link('approvals', 'Decide'),
  };
}

function itemsOfAgents({ asking, blocked }: OverviewModel['agents'], frame: Frame): readonly Item[] {
  const link = frame.link('agents', 'Open');
  return [
    ...(asking === 0
      ? []
      : [
          { tone: 'warn' as const, title: html`<b>${count(asking, 'question')}</b> of agents wait for a person`, link },
        ]),
    ...(blocked === 0 ? [] : [{ tone: 'warn' as const, title: html`<b>${count(blocked, 'agent')}</b> blocked`, link }]),
  ];
}

function itemsOfReload(reload: GatewayStatus['reload'], frame: Frame): readonly Item[] {
  if (reload?.outcome !== 'refused') return [];
  return [
    {
      tone: 'warn',
      title: html`A <b>reload was refused</b>; the configuration of before goes on`,
      why: foreign(reload.problem),
      when: moment(reload.at),
      link: frame.link('audit?text=reload', 'Records'),
    },
  ];
}

function writeItems(items: readonly Item[]): Html {
  const rows = items.slice(0, MOST_ITEMS).map(
    ({ tone, title, why, when, link }) =>
      html`<li class="${tone}">${shape(tone, 'glyph')}<div>${title}${why === undefined ? undefined : html`<p>${why}</p>`}</div><div class="end">${when}${link}</div></li>
`,
  );
  const more = items.length > MOST_ITEMS ? `the first ${MOST_ITEMS} of ${items.length}` : `${items.length}`;
  return panel('Needs a person', html`<ul class="items">${rows}</ul>`, `${more}, the most urgent first`);
}

/** The last whole minute, in spans of ten seconds, without the one that goes on. */
const MINUTE_SPANS = 6;

/** Spans in one point of a course: half an hour has thirty. */
const SPANS_OF_POINT = 6;

function writeStats({ samples, servers, saved, about }: OverviewModel): Html {
  const minute = samples.slice(-MINUTE_SPANS - 1, -1);
  const minutes = pointsOf(samples);
  const { ok, refused, failed } = sumOf(minute);
  const calls = ok + refused + failed;
  const latest = minute.findLast(({ p95 }) => p95 !== undefined);
  const inFlight = servers.reduce((sum, { upstream }) => sum + upstream.calls.inFlight, 0);
  const waiting = servers.reduce((sum, { upstream }) => sum + upstream.calls.waiting, 0);
  const shares = minutes.map(({ ok: well, refused: no, failed: bad }) =>
    bad === 0 ? 0 : (bad / (well + no + bad)) * 100,
  );
  const [without, gateway] = saved;
  const saves = without !== undefined && gateway !== undefined && gateway.tokens < without.tokens;
  const share = saves ? gateway.tokens / without.tokens : 1;
  const number = (value: number) => value.toLocaleString('en');
  return html`<dl class="stats panel" aria-label="The last minute">
${stat('Calls', write(calls / 60), '/s', [spark(minutes.map((each) => each.ok + each.refused + each.failed)), `${number(ok)} answered, ${number(refused)} refused a min`])}
${stat('Median', write(latest?.median), 'ms', [spark(minutes.map(({ median }) => median)), 'of the last calls'])}
${stat('Slowest 5 %', write(latest?.p95), 'ms', [spark(minutes.map(({ p95 }) => p95)), 'p95 of the last calls'])}
${stat('Failed', calls === 0 ? '0' : write((failed / calls) * 100), '%', [spark(shares, 'spark-bad'), `peak ${write(Math.max(0, ...shares))} % in 30 min`])}
${stat('In flight', number(inFlight), '', [`${waiting === 0 ? 'none waits' : `${number(waiting)} wait`}, ${count(about.clients, 'client')}`])}
${stat('Tokens saved', saves ? write((1 - share) * 100) : '0', '%', [bar(share), without && gateway ? `${number(gateway.tokens)} ${saves ? 'instead of' : 'beside'} ${number(without.tokens)}` : ''])}
</dl>`;
}

function stat(name: string, value: string, unit: string, note: Content): Html {
  return html`<div class="stat"><dt>${name}</dt><dd>${value} <small>${unit}</small></dd><dd class="note">${note}</dd></div>`;
}

type Counts = Pick<RateSample, 'ok' | 'refused' | 'failed'>;

function sumOf(samples: readonly RateSample[]): Counts {
  const sum = (of: keyof Counts): number => samples.reduce((all, sample) => all + sample[of], 0);
  return { ok: sum('ok'), refused: sum('refused'), failed: sum('failed') };
}

interface Point extends Counts {
  readonly at: number;
  readonly median: number | undefined;
  readonly p95: number | undefined;
}

/** The half hour by minutes; of durations the longest of a minute counts. */
function pointsOf(samples: readonly RateSample[]): readonly Point[] {
  const longest = (values: readonly (number | undefined)[]): number | undefined => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  return Array.from({ length: Math.floor(samples.length / SPANS_OF_POINT) }, (_, index) => {
    const those = samples.slice(index * SPANS_OF_POINT, (index + 1) * SPANS_OF_POINT);
    const [median, p95] = [those.map((each) => each.median), those.map((each) => each.p95)].map(longest);
    return { ...sumOf(those), at: those[0]?.at ?? 0, median, p95 };
  });
}

function writeFailures(samples: readonly RateSample[], frame: Frame): Html {
  const minutes = pointsOf(samples);
  const times = minutes.map(({ at }) => at);
  const lines = chart('Calls that did not succeed', 'a min', times, [
    { name: 'refused', style: 's-warn', values: minutes.map(({ refused }) => refused) },
    { name: 'failed', style: 's-bad', values: minutes.map(({ failed }) => failed) },
  ]);
  return panel('Calls that did not succeed', html`<div class="short">${lines}</div>`, frame.link('figures', 'Figures'));
}

function writeConnect({ about: { address, hasTokens } }: OverviewModel): Html {
  const header = hasTokens ? ' --header "Authorization: Bearer $AQL_TOKEN"' : '';
  const entry = { type: 'http', url: address, ...(hasTokens && { headers: { Authorization: 'Bearer ...' } }) };
  const hint = hasTokens
    ? 'With the token of a client, one of clients in the configuration.'
    : 'Clients need no token.';
  return panel(
    'Connect a client',
    body(html`<p class="code copy" title="A click selects all of it">claude mcp add --transport http aql ${address}${header}</p>
<p class="hint">or in its <code>mcpServers</code>:</p>
<p class="code copy" title="A click selects all of it">${JSON.stringify({ aql: entry })}</p>
<p class="hint">${hint}</p>`),
    html`<span class="mono value">${address}</span>`,
  );
}

const MODES: Readonly<Record<string, string>> = {
  single: 'one tool',
  semantic: 'a tool for each family',
  passthrough: "the servers' own tools",
  all: "families, and the servers' own tools",
};

function writeAbout({ about, status }: OverviewModel, frame: Frame): Html {
  const { version, file, mode, store, audit } = about;
  const { reload, state: parts } = status;
  const tone = (part: { readonly state: string }) =>
    part.state === 'ok' ? 'good' : part.state === 'failing' ? 'bad' : 'warn';
  const up = process.uptime() * 1_000;
  const configuration = html`${file === null ? 'none of its own' : html`<span class="mono value">${foreign(file.split(/[\\/]/).at(-1))}</span>`}`;
  const reloaded =
    reload &&
    html`${reload.outcome} ${moment(reload.at)}${reload.changes === undefined ? undefined : html`<br><span class="faint">${foreign(reload.changes)}</span>`}`;
  const restart = reload?.needs_restart;
  return panel(
    'This gateway',
    facts([
      ['Version', version],
      ['Up', since(Date.now() - up) ?? duration(up)],
      ['Configuration', configuration],
      ['Last reload', reloaded],
      ['Waits for a restart', restart === undefined || restart.length === 0 ? undefined : foreign(restart.join(', '))],
      ['Shows', html`${MODES[mode] ?? mode}, ${count(status.operations, 'operation')}`],
      ['Store', state(tone(parts.store), store)],
      [
        'Audit',
        audit
          ? frame.link('audit', state(tone(parts.audit), parts.audit.state === 'ok' ? 'recorded' : parts.audit.state))
          : state('bad', 'off'),
      ],
    ]),
  );
}
