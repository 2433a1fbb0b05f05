import { hostname } from 'node:os';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readAsset, readPackageFile } from '../base/asset.js';
import { digest } from '../base/json/canonical-json.js';
import { type Html, html } from '../base/lib/html.js';
import type { Observer } from '../base/observe/observation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { Gateway } from '../gateway/gateway.js';
import type { FailedAttempts } from '../server/auth/bearer-tokens.js';
import type { OperatorAccess } from './admin/operator-access.js';
import { comesFromHere, isLinkedFromElsewhere, readCookie } from './browser.js';
import { EventStreams, stateOf } from './events.js';
import { IssuerOperators } from './issuer-operators.js';
import { pageHead } from './layout/components.js';
import { Frame, type Instance, layOut, rootOf, type Section } from './layout/frame.js';
import type { Action, ConsoleSources, OpenPart, Outcome, Page, Visit } from './layout/page.js';
import { duration } from './layout/times.js';
import { type OperatorSession, OperatorSessions } from './operator-sessions.js';
import { openAgents } from './pages/agents.js';
import { openApprovals } from './pages/approvals.js';
import { openAudit } from './pages/audit.js';
import { openCatalogue } from './pages/catalogue.js';
import { openExecutions } from './pages/executions.js';
import { openFigures } from './pages/figures.js';
import { openIntegrity } from './pages/integrity.js';
import { openOverview } from './pages/overview.js';
import { openQuotas } from './pages/quotas.js';
import { openSessions } from './pages/sessions.js';
import { openTry } from './pages/try.js';
import { openUpstreams } from './pages/upstreams.js';
import { formOf, offerSignIn, signInFor } from './sign-in.js';

interface ConsoleDeps {
  readonly gateway: Gateway;
  readonly access: OperatorAccess;
  readonly observe: Observer;
  readonly sources: ConsoleSources;
  /** Counts what begins at an identity provider, here and elsewhere. */
  readonly begun: FailedAttempts;
}

const PREFIX = '/ui';

/** Pages show texts that models and upstreams wrote: nothing but the console's own two files may run in them or style them. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Forms need the origin: browsers send none with 'no-referrer'.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** What pages load: the console's own files, and those of the package that draws charts. */
const ASSETS: Readonly<Record<string, () => string>> = {
  'tokens.css': () => readAsset('console/assets/tokens.css'),
  'console.css': () => readAsset('console/assets/console.css'),
  'console.js': () => readAsset('console/assets/console.js'),
  'charts.js': () => readAsset('console/assets/charts.js'),
  'uplot.js': () => readPackageFile('uplot/dist/uPlot.iife.min.js'),
  'uplot.css': () => readPackageFile('uplot/dist/uPlot.min.css'),
};

/** The script asks for a page again: no person does, so that the session does not go on by it, and no notice is taken. */
const REFRESH_HEADER = 'x-console-refresh';

/** The pages for operators, at `/ui`. */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  app.register(
    (ui, _options, done) => {
      new Console(deps).serve(ui);
      done();
    },
    { prefix: PREFIX },
  );
}

class Console {
  readonly #deps: ConsoleDeps;
  readonly #pages: readonly Page[];
  readonly #actions: readonly Action[];
  readonly #sessions = new OperatorSessions();
  readonly #streams: EventStreams;

  constructor(deps: ConsoleDeps) {
    const parts = PARTS.map((open) => open(deps.gateway, deps.sources));
    this.#deps = deps;
    this.#pages = parts.flatMap(({ pages }) => pages);
    this.#actions = parts.flatMap(({ actions }) => actions);
    this.#streams = new EventStreams(deps.observe, async () =>
      digest((await this.#sections()).map(({ counter }) => counter)),
    );
  }

  serve(ui: FastifyInstance): void {
    takeForms(ui);
    ui.addHook('onRequest', (_request, reply, next) => {
      reply.headers(HEADERS);
      next();
    });
    ui.addHook('preClose', (next) => {
      this.#streams.close();
      next();
    });
    ui.setErrorHandler<FastifyError>((cause, request, reply) => this.#explain(cause, request, reply));
    ui.setNotFoundHandler((request, reply) => {
      const session = this.#enter(request, reply);
      return session === undefined ? reply : this.#sendNotFound(pathOf(request), session, reply);
    });
    for (const [name, read] of Object.entries(ASSETS)) {
      const text = read();
      const type = name.endsWith('.js') ? 'text/javascript' : 'text/css';
      ui.get(`/${name}`, (_request, reply) => reply.header('content-type', `${type}; charset=utf-8`).send(text));
    }
    const { access, gateway, observe, begun } = this.#deps;
    offerSignIn(ui, {
      access,
      begun,
      sessions: this.#sessions,
      issuers: new IssuerOperators(gateway, observe),
      instance: () => this.#instance(),
      record: (signIn, operator) => gateway.recordSignIn(signIn, operator),
      hasTokens: () => gateway.config.policy.approvals.operators.length > 0,
    });
    const home = this.#pages[0]?.path ?? '';
    ui.get('/', (request, reply) => {
      // The address without a slash at its end stands one folder higher.
      const folder = request.url.startsWith(`${PREFIX}/`) ? './' : './ui/';
      return reply.code(303).header('location', `${folder}${home}`).send();
    });
    ui.get('/events', (request, reply) => this.#stream(request, reply));
    ui.get('/navigation', (request, reply) => this.#showNavigation(request, reply));
    for (const page of this.#pages) ui.get(`/${page.path}`, (request, reply) => this.#show(page, request, reply));
    for (const action of this.#actions)
      ui.post(`/${action.path}`, (request, reply) => this.#run(action, request, reply));
  }

  /** The session of a request; without one the person is sent to sign in. */
  #enter(request: FastifyRequest, reply: FastifyReply, uses = true): OperatorSession | undefined {
    const session = this.#sessions.find(readCookie(request.raw), uses);
    if (session !== undefined) return session;
    const path = pathOf(request);
    if (isLinkedFromElsewhere(request.raw)) void reply.send(SAME_AGAIN.toString());
    else {
      const target = request.method === 'GET' ? signInFor(path) : signInFor('');
      void reply
        .code(303)
        .header('location', `${rootOf(path)}${target}`)
        .send();
    }
    return undefined;
  }

  async #show(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isRefresh = request.headers[REFRESH_HEADER] !== undefined;
    const session = this.#enter(request, reply, !isRefresh);
    if (session === undefined) return reply;
    const frame = new Frame(page.path, session.csrf);
    // What changes while the page is read is news to it.
    const state = await stateOf(page);
    const signedIn = await this.#signedIn(session, page.section);
    const content = await page.show(this.#visitOf(request, session), frame);
    if (content === undefined) return this.#sendNotFound(page.path, session, reply);
    const counters = digest(signedIn.sections.map(({ counter }) => counter));
    const events = `events?${new URLSearchParams({ page: page.path, state, counters })}`;
    const notices = isRefresh ? [] : session.takeNotices();
    const surroundings = { frame, title: page.title, instance: this.#instance(), signedIn, notices, events };
    return reply.send(layOut(surroundings, content).toString());
  }

  /** The navigation as it is now around a page, for the script: the page itself may be costly to read. */
  async #showNavigation(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = this.#enter(request, reply, false);
    const page = this.#pages.find(({ path }) => path === queryOf(request).get('page'));
    if (session === undefined || page === undefined) return session === undefined ? reply : reply.code(404).send('');
    const signedIn = await this.#signedIn(session, page.section);
    const frame = new Frame(page.path, session.csrf);
    const surroundings = { frame, title: page.title, instance: this.#instance(), signedIn, notices: [] };
    return reply.send(layOut(surroundings, html``).toString());
  }

  async #run(action: Action, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = this.#enter(request, reply);
    if (session === undefined) return reply;
    const form = formOf(request);
    if (!comesFromHere(request.raw) || form.get('csrf') !== session.csrf) {
      const text = 'Nothing was done: this form was not opened in this session. Open the page again.';
      return this.#sendMessage(action.path, session, reply.code(403), { title: 'Not accepted', text });
    }
    const { to, notice } = await this.#outcomeOf(action, form, this.#visitOf(request, session));
    if (notice !== undefined) session.notify(notice);
    return reply
      .code(303)
      .header('location', `${rootOf(action.path)}${to}`)
      .send();
  }

  async #outcomeOf(action: Action, form: URLSearchParams, visit: Visit): Promise<Outcome> {
    try {
      return await action.run(form, visit);
    } catch (problem) {
      if (!(problem instanceof OperationError)) throw problem;
      return { to: action.section, notice: { text: problem.message, failed: true } };
    }
  }

  #stream(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const session = this.#sessions.find(readCookie(request.raw), false);
    const query = queryOf(request);
    const page = this.#pages.find(({ path }) => path === query.get('page'));
    // Anything but a stream ends the browser's attempts.
    if (session === undefined || page === undefined) return reply.code(404).send('');
    reply.hijack();
    const shown = { page, state: query.get('state') ?? '', counters: query.get('counters') ?? '' };
    if (!this.#streams.open(shown, session, reply.raw)) reply.raw.writeHead(429).end();
    return reply;
  }

  #explain(cause: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { statusCode = 500, message } = cause;
    const isOurs = statusCode >= 500;
    if (isOurs) this.#deps.observe({ kind: 'defect', where: PREFIX, cause });
    const text = isOurs ? "The gateway failed to do this. Try again; the gateway's log says why." : message;
    const session = this.#sessions.find(readCookie(request.raw), false);
    return this.#sendMessage(pathOf(request), session, reply.code(statusCode), { title: 'Not done', text });
  }

  #sendNotFound(path: string, session: OperatorSession, reply: FastifyReply): Promise<FastifyReply> {
    const text = 'There is no such page, or what it was about is gone.';
    return this.#sendMessage(path, session, reply.code(404), { title: 'Not found', text });
  }

  async #sendMessage(
    path: string,
    session: OperatorSession | undefined,
    reply: FastifyReply,
    { title, text }: { readonly title: string; readonly text: string },
  ): Promise<FastifyReply> {
    const frame = new Frame(path, session?.csrf ?? '');
    const signedIn = session && (await this.#signedIn(session, ''));
    const surroundings = { frame, title, instance: this.#instance(), ...(signedIn && { signedIn }), notices: [] };
    return reply.send(layOut(surroundings, pageHead({ title, about: text })).toString());
  }

  async #signedIn({ operator }: OperatorSession, section: string) {
    const up = duration(process.uptime() * 1_000);
    return { operator, up, section, sections: await this.#sections() };
  }

  #sections(): Promise<readonly Section[]> {
    const placed = this.#pages.flatMap(({ path, title, place }) => (place ? [{ path, title, place }] : []));
    return Promise.all(
      placed.map(async ({ path, title, place: { icon, group, counter } }) => {
        return { path, title, icon, group, counter: await counter?.() };
      }),
    );
  }

  #instance(): Instance {
    const { name = hostname(), environment } = this.#deps.gateway.config.server;
    return { name, environment, version: this.#deps.sources.version };
  }

  #visitOf(request: FastifyRequest, { operator }: OperatorSession): Visit {
    const params = Object.entries(request.params ?? {}).map(([name, value]) => [name, String(value)]);
    const { publicUrl, tls } = this.#deps.gateway.config.server;
    const origin = publicUrl ?? `${tls === undefined ? 'http' : 'https'}://${request.headers.host ?? 'localhost'}`;
    return { params: Object.fromEntries(params), query: queryOf(request), operator, origin };
  }
}

/** Forms are short: a decision and its reason, or an operation's curation. */
const MAX_FORM_BYTES = 65_536;

function takeForms(ui: FastifyInstance): void {
  const options = { parseAs: 'string', bodyLimit: MAX_FORM_BYTES } as const;
  ui.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, parsed) =>
    parsed(null, new URLSearchParams(String(body))),
  );
}

/** Below `/ui/`, without the query. */
function pathOf({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?');
  return path.slice(PREFIX.length + 1);
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
}

/** A link of another site led here, and browsers keep the cookie back then: the page asks for itself, as one of this site. */
const SAME_AGAIN: Html = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0"><title>mcp-aql-gateway</title></head><body></body></html>`;

/** The sections of the console, in the order of the navigation. */
const PARTS: readonly OpenPart[] = [
  openOverview,
  openApprovals,
  openAgents,
  openExecutions,
  openUpstreams,
  openCatalogue,
  openTry,
  openIntegrity,
  openFigures,
  openAudit,
  openSessions,
  openQuotas,
];
