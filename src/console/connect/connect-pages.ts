import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Observer } from '../../base/observe/observation.js';
import type { CallerIdentity } from '../../base/protocol/caller.js';
import { type Connections, type Gateway, mayShow } from '../../gateway/gateway.js';
import { FailedAttempts } from '../../server/auth/bearer-tokens.js';
import { addressOf } from '../../server/http/responder.js';
import { ViewBindings } from '../../server/http/view-access.js';
import { identifyByAccessToken, identifyByToken, waysOf } from './identify.js';
import { PAGE_HEADERS, writeConsent, writeDeparture, writeMessage } from './pages.js';

type ConnectRequest = Parameters<Connections['flow']['authorize']>[0];

/** Asks a person, finds out who it is, and leads to the server's authorization server and back. */
export class ConnectPages {
  readonly #gateway: Gateway;
  readonly #observe: Observer;
  readonly #failed = new FailedAttempts();
  readonly #begun: FailedAttempts;
  readonly #servers: VisibleServers;

  /** @param begun counts what begins at an identity provider, here and elsewhere */
  constructor(gateway: Gateway, observe: Observer, begun: FailedAttempts) {
    this.#gateway = gateway;
    this.#observe = observe;
    this.#begun = begun;
    this.#servers = new VisibleServers(gateway);
  }

  async ask(
    server: string,
    query: Readonly<Record<string, unknown>>,
    request: IncomingMessage,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { connections } = this.#gateway;
    const known = this.#servers.beforeSignIn(server);
    if (connections === undefined || known === undefined) return send(reply, 404, NOT_HERE);
    return this.#guard(reply, async () => {
      const code = readText(query, 'code');
      const owner = code === undefined ? undefined : await connections.flow.ownerOf(server, code);
      if (code !== undefined && owner === undefined) return send(reply, 404, EXPIRED);
      // Who has a link of a call knows of the server.
      const upstream = known === 'there' || owner !== undefined ? connections.find(server) : undefined;
      const shown = { server: upstream?.name ?? server, host: upstream && new URL(upstream.url).host };
      const whose = owner?.replace(/^(?:user|client) /, '');
      const cookie = new BrowserCookie(connections);
      const browser = cookie.read(request) ?? randomBytes(32).toString('base64url');
      reply.header('set-cookie', cookie.write(browser));
      const hidden = { ...(code === undefined ? {} : { code }), csrf: csrfOf(browser, server) };
      return send(reply, 200, writeConsent({ ...shown, whose, ways: waysOf(this.#gateway.config), hidden }));
    });
  }

  async begin(
    server: string,
    form: URLSearchParams,
    request: IncomingMessage,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { connections, config } = this.#gateway;
    if (connections === undefined || this.#servers.beforeSignIn(server) === undefined)
      return send(reply, 404, NOT_HERE);
    const browser = new BrowserCookie(connections).read(request);
    // A form of another site has neither the cookie nor its digest.
    if (browser === undefined || form.get('csrf') !== csrfOf(browser, server)) {
      return send(
        reply,
        403,
        writeMessage('Not accepted', 'This form was not opened in this browser. Open the link again.'),
      );
    }
    const intent = form.get('intent') === 'disconnect' ? 'disconnect' : 'connect';
    const asked: ConnectRequest = { upstream: server, code: form.get('code') ?? undefined, intent, browser };
    const way = form.get('way') ?? '';
    const known = waysOf(config).some((each) => (each.kind === 'issuer' ? `issuer:${each.name}` : each.kind) === way);
    if (!known) return send(reply, 400, writeMessage('Not accepted', 'There is no such way to show who you are.'));
    const address = addressOf(request) || 'unknown';
    if (way === 'token') {
      const identity = identifyByToken(config, form.get('token') ?? '');
      if (identity === undefined) return this.#refuseToken(address, reply);
      return this.#beginOnce(address, reply, () => this.#proceed(connections, asked, identity, reply));
    }
    return this.#beginOnce(address, reply, async () => {
      if (way.startsWith('issuer:')) {
        const url = await connections.flow.signIn(asked, way.slice('issuer:'.length));
        return send(reply, 200, writeDeparture(url));
      }
      return this.#proceed(connections, asked, {}, reply);
    });
  }

  async takeAnswer(
    query: Readonly<Record<string, unknown>>,
    request: IncomingMessage,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { connections, config } = this.#gateway;
    if (connections === undefined) return send(reply, 404, NOT_HERE);
    const browser = new BrowserCookie(connections).read(request);
    const [state, code, error] = ['state', 'code', 'error'].map((name) => readText(query, name));
    if (state === undefined || browser === undefined) return send(reply, 400, NOT_ASKED);
    return this.#guard(reply, async () => {
      if (code === undefined) return connections.flow.takeRefusal({ state, browser, error: error ?? '' });
      const answered = await connections.flow.answer({ state, code, iss: readText(query, 'iss'), browser });
      if (answered.kind === 'connected') {
        const text = `Your account of ${answered.upstream.name} is connected. You can close this page; the call goes on, or can be sent again.`;
        return send(reply, 200, writeMessage('Connected', text));
      }
      const identity = await identifyByAccessToken(config, answered.accessToken, this.#observe);
      if (identity === undefined) {
        return send(reply, 403, writeMessage('Not accepted', 'The token of this sign-in is not one for this gateway.'));
      }
      return this.#proceed(connections, answered.request, identity, reply);
    });
  }

  /** With the one who sits at the browser known: on to the server's own sign-in, or the end of what was granted. */
  async #proceed(
    { flow }: Connections,
    request: ConnectRequest,
    identity: CallerIdentity,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const isThere = this.#servers.existsFor(identity, request.upstream);
    if (request.intent === 'connect') {
      if (!isThere) return send(reply, 404, NOT_HERE);
      return send(reply, 200, writeDeparture(await flow.authorize(request, identity)));
    }
    // What a person has granted is theirs to end, also where they do not see the server any more.
    const wasConnected = await flow.disconnect(request, identity);
    if (!isThere && !wasConnected) return send(reply, 404, NOT_HERE);
    return send(reply, 200, writeMessage('Disconnected', 'The gateway has forgotten what you had granted.'));
  }

  /** A right token is let through whatever was guessed, as behind a proxy all people may have one address. */
  #refuseToken(address: string, reply: FastifyReply): FastifyReply {
    const seconds = this.#failed.secondsToWait(address);
    if (seconds > 0) return refuseForNow(seconds, reply);
    this.#failed.note(address);
    return send(reply, 403, writeMessage('Not accepted', 'This is no token of a client of this gateway.'));
  }

  /** Each beginning asks an authorization server and is kept in the store, whoever sends it. */
  async #beginOnce(address: string, reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
    const seconds = this.#begun.secondsToWait(address);
    if (seconds > 0) return refuseForNow(seconds, reply);
    this.#begun.note(address);
    return this.#guard(reply, work);
  }

  /** What a person can read of what went wrong is on the page; the rest is in the log. */
  async #guard(reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
    try {
      return await work();
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : '';
      const message = cause instanceof Error ? cause.message : '';
      if (name === 'ConnectRefusal') return send(reply, 403, writeMessage('Not connected', message));
      if (name === 'OAuthFault') {
        this.#observe({ kind: 'notice', level: 'warn', message: `/connect: a user could not connect: ${message}` });
        const text = `${message}. Try again, and tell the operator where that does not help.`;
        return send(reply, 403, writeMessage('Not connected', text));
      }
      // The log has the store's failure already.
      if (name === 'StoreError') return send(reply.header('retry-after', '2'), 503, AWAY);
      this.#observe({ kind: 'defect', where: '/connect', cause });
      const text = 'Something went wrong here; the log of the gateway says more.';
      return send(reply, 500, writeMessage('Not connected', text));
    }
  }
}

const NOT_HERE = writeMessage('Not found', 'There is no server of this name to which users connect their accounts.');

const EXPIRED = writeMessage(
  'This link has expired',
  'It has been used, or is too old. Send the call again for a new one.',
);

const AWAY = writeMessage(
  'Not now',
  'The gateway cannot reach its store of what users grant, so this was not done. Try again in a moment.',
);

const NOT_ASKED = writeMessage(
  'Not connected',
  'This answer belongs to no request of this browser. Open the page of the server again, in one browser.',
);

function refuseForNow(seconds: number, reply: FastifyReply): FastifyReply {
  reply.header('retry-after', String(seconds));
  return send(reply, 429, writeMessage('Too many attempts', `Try again in ${seconds} seconds.`));
}

function send(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).send(html);
}

function csrfOf(browser: string, server: string): string {
  return createHash('sha256').update(`${server} ${browser}`).digest('base64url');
}

function readText(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' && value.length <= 4_096 ? value : undefined;
}

const VALUE = /^[\w-]{43}$/;

/**
 * What tells a browser from others: a random value that it has from the page. Browsers send cookies to all ports of a host, so the name is
 * the gateway's own; over TLS no other site can set it (`__Host-`), as whoever can gives their own sign-in to someone else.
 */
export class BrowserCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor({ publicUrl, isSecure }: { readonly publicUrl: string; readonly isSecure: boolean }) {
    const own = createHash('sha256').update(publicUrl).digest('hex').slice(0, 12);
    this.#name = `${isSecure ? '__Host-' : ''}aql_connect_${own}`;
    // The prefix demands the path.
    this.#attributes = `HttpOnly; SameSite=Lax; Max-Age=3600; Path=${isSecure ? '/; Secure' : '/connect'}`;
  }

  /** Undefined where there is none, or several: one of them is not from here. */
  read({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
    const prefix = `${this.#name}=`;
    const found = cookie.split(/; */).filter((pair) => pair.startsWith(prefix));
    const [value = ''] = found.map((pair) => pair.slice(prefix.length));
    return found.length === 1 && VALUE.test(value) ? value : undefined;
  }

  write(value: string): string {
    return `${this.#name}=${value}; ${this.#attributes}`;
  }
}

/** A name that a server can have in an address. */
const SLUG = /^[a-z0-9_-]{1,64}$/;

/** Which servers there are for whom: a user of views connects accounts of the servers in these alone. */
class VisibleServers {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /**
   * What is known of a server while its visitor is not: undefined where there can be none of the name, `unnamed` where it is not said, as
   * views hide servers from some, and an account of one that was removed can still be disconnected by who has it.
   */
  beforeSignIn(server: string): 'there' | 'unnamed' | undefined {
    const { config, connections } = this.#gateway;
    if (connections?.find(server) !== undefined && new ViewBindings(config).isOpen) return 'there';
    return SLUG.test(server) ? 'unnamed' : undefined;
  }

  /** Whether a server exists for a person. */
  existsFor(identity: CallerIdentity, server: string): boolean {
    if (this.#gateway.connections?.find(server) === undefined) return false;
    const places = new ViewBindings(this.#gateway.config).openTo(identity);
    return places.some((view) => view === undefined || mayShow(this.#gateway, view, server));
  }
}
