import { type Content, type Html, html } from '../../base/lib/html.js';
import { describeReplicas } from '../../base/protocol/other-replicas.js';
import { setServerDisabled } from '../../config/edit/change-servers.js';
import type { Gateway, GatewayStatus, UpstreamSummary } from '../../gateway/gateway.js';
import { changeConfiguration } from '../admin/change-configuration.js';
import { facts, foreign, moment, table } from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart } from '../layout/page.js';
import { type Cut, cutPage, pager } from '../layout/paging.js';

const SECTION = 'upstreams';
const SHOWN = 100;

/** The servers behind the gateway: how each does, why, and what can be done about it. */
export const openUpstreams: OpenPart = (gateway) => {
  const list = definePage({
    path: SECTION,
    title: 'Servers',
    section: SECTION,
    pulse: () => {
      const { upstreams, state } = gateway.status();
      return [upstreams.map(pulseOf), state.replicas];
    },
    read: ({ query }) => {
      const { upstreams, state } = gateway.status();
      return { query, cut: cutPage(upstreams, query, SHOWN), replicas: state.replicas };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/:slug`,
    title: 'Server',
    section: SECTION,
    // Its buttons rest for a moment after each refresh, so that calls alone cause none.
    pulse: () => gateway.status().upstreams.map(({ calls: _calls, ...upstream }) => pulseOf(upstream)),
    read: ({ params }) => gateway.status().upstreams.find(({ slug }) => slug === params['slug']),
    render: writeUpstream,
  });
  return { pages: [list, one], actions: [restart(gateway), ...switches(gateway)] };
};

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
  readonly cut: Cut<UpstreamSummary>;
  readonly replicas: GatewayStatus['state']['replicas'];
}

function writeList({ query, cut, replicas }: ListModel, frame: Frame): Html {
  const rows = cut.items.map((upstream) => {
    const { name, slug, tools, restarts, calls, problem } = upstream;
    return [
      html`<a href="${frame.to(`${SECTION}/${slug}`)}">${foreign(name)}</a>`,
      html`${writeState(upstream)}${problem === undefined ? undefined : html`<br>${foreign(problem)}`}`,
      tools,
      `${calls.inFlight} in flight, ${calls.waiting} waiting`,
      restarts,
    ];
  });
  return html`<h1>Servers</h1>
${table({ caption: 'The servers behind the gateway', columns: ['Server', 'State', 'Tools', 'Calls', 'Restarts'], rows, none: 'No server is configured.' })}
${pager(frame, SECTION, query, cut)}
${replicas === undefined ? undefined : writeReplicas(replicas)}`;
}

function writeReplicas(replicas: NonNullable<ListModel['replicas']>): Html {
  const { problem } = replicas;
  return html`<h2>Other gateways</h2>
<p>Of this gateway's state store: ${describeReplicas(replicas)}.${problem === undefined ? undefined : html`<br>${foreign(problem)}`}</p>`;
}

const GOOD: ReadonlySet<UpstreamSummary['state']> = new Set(['ready', 'dormant']);
const NEUTRAL: ReadonlySet<UpstreamSummary['state']> = new Set(['starting', 'disabled', 'closed']);

function writeState({ state, until }: UpstreamSummary): Html {
  const style = GOOD.has(state) ? 'good' : NEUTRAL.has(state) ? '' : 'bad';
  return html`<strong class="${style}">${state}</strong>${until === undefined ? undefined : html` until ${moment(until)}`}`;
}

function writeUpstream(upstream: UpstreamSummary, frame: Frame): Html {
  const { name, slug, problem, stderr = [], state } = upstream;
  const button = (verb: string, text: string): Html =>
    frame.form(`${SECTION}/${slug}/${verb}`, html`<button>${text}</button>`);
  const buttons =
    state === 'disabled' ? button('enable', 'Enable') : [button('restart', 'Restart'), button('disable', 'Disable')];
  return html`<h1>${foreign(name)}</h1>
${facts(listFacts(upstream))}
${problem === undefined ? undefined : html`<h2>Why it is not ready</h2><p>${foreign(problem)}</p>`}
${stderr.length === 0 ? undefined : html`<h2>What it printed last</h2><pre><bdi dir="ltr">${stderr.join('\n')}</bdi></pre>`}
<h2>Change it</h2>
<div class="buttons">${buttons}</div>
<p>Restarting lets calls in flight end. Enabling and disabling are written into the configuration file.</p>`;
}

function listFacts(upstream: UpstreamSummary): readonly (readonly [string, Content])[] {
  const { transport, tools, server, protocolVersion, restarts, calls, circuit, isolation, required } = upstream;
  const said = server === undefined ? undefined : foreign(`${server.name} ${server.version}`);
  const shared = isolation && [isolation.mode, ...isolation.evidence].join('; ');
  const instances = isolation?.instances && `${isolation.instances.running} of ${isolation.instances.max}`;
  const all: readonly (readonly [string, Content])[] = [
    ['State', writeState(upstream)],
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
  ];
  return all.filter(([, value]) => value !== undefined);
}
