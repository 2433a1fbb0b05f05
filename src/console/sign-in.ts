import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../base/lib/html.js';
import { cutText } from '../base/lib/text.js';
import type { Gateway } from '../gateway/gateway.js';
import type { FailedAttempts } from '../server/auth/bearer-tokens.js';
import { addressOf } from '../server/http/responder.js';
import type { OperatorAccess } from './admin/operator-access.js';
import { tooManyAttempts } from './admin/problems.js';
import { comesFromHere, isLinkedFromElsewhere, readCookie, writeCookie } from './browser.js';
import { type IssuerOperators, SignInRefusal } from './issuer-operators.js';
import { Frame, type Instance, layOut } from './layout/frame.js';
import { csrfOf, type OperatorSessions } from './operator-sessions.js';

/** A page of the console, as the address of a person who has to sign in first names it. No other address is gone to. */
const TARGET = /^[\w-]+(?:\/[\w-]+)*$/;

const LOGIN = 'login';

/** Of a refusal in records, in characters: an issuer may have worded it. */
const LONGEST_REASON = 300;

/** Where an issuer's answer comes to: `credentials` names it to issuers. */
const CALLBACK = 'callback';

interface SignInDeps {
  readonly access: OperatorAccess;
  readonly sessions: OperatorSessions;
  readonly issuers: IssuerOperators;
  /** Whether anyone has a token. */
  readonly hasTokens: () => boolean;
  readonly instance: () => Instance;
  readonly record: Gateway['recordSignIn'];
  /** Counts what begins at an identity provider, here and elsewhere. */
  readonly begun: FailedAttempts;
}

/** How an operator signs in with a token, in records. */
const BY_TOKEN = 'token';

/** The page on which operators show who they are, and the way out. */
export function offerSignIn(ui: FastifyInstance, deps: SignInDeps): void {
  const { access, sessions, issuers, record } = deps;
  const show: ShowSignIn = (request, reply, problem) => {
    // A session has an id of its own, which is not known to those who know this one.
    const known = readCookie(request.raw);
    const browser = known ?? randomBytes(32).toString('base64url');
    const notices = problem === undefined ? [] : [{ text: problem, failed: true }];
    const frame = new Frame(LOGIN, csrfOf(browser));
    const page = layOut(
      { frame, title: 'Sign in', instance: deps.instance(), notices },
      writeWays(frame, targetOf(request), deps),
    );
    if (known === undefined)
      reply.header('set-cookie', writeCookie(request.raw, browser, issuers.isSecure || undefined));
    return reply.send(page.toString());
  };
  ui.get(`/${LOGIN}`, (request, reply) => {
    // The browser keeps back the cookie of a session that is open: another one would end it.
    if (isLinkedFromElsewhere(request.raw)) return reply.send(goOn(`./${LOGIN}?${queryOf(request)}`, deps.instance()));
    const isSignedIn = sessions.find(readCookie(request.raw)) !== undefined;
    return isSignedIn ? reply.code(303).header('location', './').send() : show(request, reply);
  });
  ui.post(`/${LOGIN}`, (request, reply) => {
    const form = formOf(request);
    const browser = browserOf(request);
    if (browser === undefined) return show(request, reply.code(403), NOT_FROM_HERE);
    const authorization = `Bearer ${(form.get('token') ?? '').trim()}`;
    const found = access.authenticate(authorization, addressOf(request.raw));
    if (found.kind === 'refused') {
      const { status, message } = found.problem;
      // An address that has to wait is not recorded again and again: nothing that it sends is looked at.
      if (status === 401)
        record(
          { event: 'refused', way: BY_TOKEN, address: addressOf(request.raw), reason: 'not the token of an operator' },
          undefined,
        );
      const problem = status === 401 ? 'This is no token of an operator of this gateway.' : message;
      return show(request, reply.code(status === 401 ? 403 : status).headers(found.headers), problem);
    }
    const operator = found.name;
    sessions.end(browser);
    const id = sessions.open({ operator, counts: () => access.holderOf(authorization) === operator });
    record({ event: 'signed_in', way: BY_TOKEN, address: addressOf(request.raw) }, operator);
    const target = targetOf(request);
    return reply
      .code(303)
      .headers({ 'set-cookie': writeCookie(request.raw, id), location: `./${target}` })
      .send();
  });
  offerIssuers(ui, deps, show);
  ui.post('/logout', (request, reply) => {
    const browser = browserOf(request);
    const session = sessions.find(browser, false);
    if (browser !== undefined) sessions.end(browser);
    if (session !== undefined) record({ event: 'signed_out', address: addressOf(request.raw) }, session.operator);
    return reply
      .code(303)
      .headers({ 'set-cookie': writeCookie(request.raw, undefined), location: `./${LOGIN}` })
      .send();
  });
}

/** Shows the page on which a person signs in, and why they are not. */
type ShowSignIn = (request: FastifyRequest, reply: FastifyReply, problem?: string) => FastifyReply;

const NOT_FROM_HERE = 'This form was not opened in this browser. Sign in again.';

/** The browser that sends a form; undefined where another site has made the form. */
function browserOf(request: FastifyRequest): string | undefined {
  const browser = readCookie(request.raw);
  const isOwn = browser !== undefined && formOf(request).get('csrf') === csrfOf(browser);
  return isOwn && comesFromHere(request.raw) ? browser : undefined;
}

/** The way to an issuer and back. */
function offerIssuers(
  ui: FastifyInstance,
  { sessions, issuers, record, instance, begun }: SignInDeps,
  show: ShowSignIn,
): void {
  // Each beginning asks the issuer and is kept in the store, whoever sends it.
  const guard = async (request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) => {
    try {
      return await work();
    } catch (problem) {
      if (!(problem instanceof SignInRefusal)) throw problem;
      const reason = cutText(problem.message, LONGEST_REASON);
      record({ event: 'refused', way: 'issuer', address: addressOf(request.raw), reason }, undefined);
      return show(request, reply.code(403), problem.message);
    }
  };
  ui.post('/issuer', (request, reply) => {
    const browser = browserOf(request);
    if (browser === undefined) return show(request, reply.code(403), NOT_FROM_HERE);
    const address = addressOf(request.raw);
    const seconds = begun.secondsToWait(address);
    if (seconds > 0) {
      const { status, message } = tooManyAttempts(seconds);
      return show(request, reply.code(status).header('retry-after', String(seconds)), message);
    }
    begun.note(address);
    const issuer = formOf(request).get('issuer') ?? '';
    return guard(request, reply, async () =>
      reply.send(goOn((await issuers.begin(issuer, browser, targetOf(request))).href, instance())),
    );
  });
  ui.get(`/${CALLBACK}`, (request, reply) => {
    const query = queryOf(request);
    const browser = readCookie(request.raw);
    // Browsers keep the cookie back where another site has led here: the page asks for itself, as one of this site.
    const isKeptBack = isLinkedFromElsewhere(request.raw) || !query.has('again');
    if (browser === undefined && isKeptBack) return reply.send(goOn(`./${CALLBACK}?${query}&again=1`, instance()));
    const [state, code, iss] = [query.get('state'), query.get('code'), query.get('iss') ?? undefined];
    if (state === null || code === null || browser === undefined)
      return show(request, reply.code(403), 'The sign-in was not completed. Begin again.');
    return guard(request, reply, async () => {
      const { signIn, to, issuer } = await issuers.answer({ state, code, iss, browser });
      sessions.end(browser);
      const cookie = writeCookie(request.raw, sessions.open(signIn), issuers.isSecure);
      record({ event: 'signed_in', way: issuer, address: addressOf(request.raw) }, signIn.operator);
      return reply
        .code(303)
        .headers({ 'set-cookie': cookie, location: `./${to}` })
        .send();
    });
  });
}

function goOn(onward: string, instance: Instance): string {
  const content = html`<section class="panel"><p><a href="${onward}">Go on</a></p></section>`;
  return layOut({ frame: new Frame(LOGIN, ''), title: 'Going on', instance, notices: [], onward }, content).toString();
}

/** Where a person signs in who wanted this page. */
export function signInFor(path: string): string {
  return TARGET.test(path) ? `${LOGIN}?to=${encodeURIComponent(path)}` : LOGIN;
}

/** The form of a request; without fields where it brought none. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

function targetOf(request: FastifyRequest): string {
  const wanted = formOf(request).get('to') ?? queryOf(request).get('to') ?? '';
  return TARGET.test(wanted) ? wanted : '';
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function writeWays(frame: Frame, to: string, { issuers, hasTokens }: SignInDeps): Html {
  const names = issuers.issuers;
  const field = html`<div class="field"><label for="token">Operator token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
<p class="hint">One of <code>policy.approvals.operators</code></p></div>
<div class="field"><button class="${names.length === 0 ? 'button-primary' : ''} button">Sign in</button></div>`;
  const ways = names.map((issuer) =>
    frame.form('issuer', html`<button class="button button-primary button-large">Sign in at ${issuer}</button>`, {
      fields: { to, issuer },
      class: 'way',
    }),
  );
  return html`<section class="panel"><h1>Sign in to the console</h1>
<p class="soft lead">For the operators of this gateway</p>
${ways}
${names.length > 0 && hasTokens() ? html`<p class="or">or</p>` : undefined}
${hasTokens() ? frame.form(LOGIN, field, { fields: { to } }) : undefined}</section>`;
}
