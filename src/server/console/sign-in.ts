import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../lib/html.js';
import type { OperatorAccess } from '../admin/operator-access.js';
import { addressOf } from '../http/responder.js';
import { comesFromHere, readCookie, writeCookie } from './browser.js';
import { Frame, layOut } from './frame.js';
import { csrfOf, type OperatorSessions } from './operator-sessions.js';

/** A page of the console, as the address of a person who has to sign in first names it. No other address is gone to. */
const TARGET = /^[\w-]+(?:\/[\w-]+)*$/;

const LOGIN = 'login';

interface SignInDeps {
  readonly access: OperatorAccess;
  readonly sessions: OperatorSessions;
}

/** The page on which operators show who they are, and the way out. */
export function offerSignIn(ui: FastifyInstance, { access, sessions }: SignInDeps): void {
  const show = (request: FastifyRequest, reply: FastifyReply, problem?: string): FastifyReply => {
    // A session has an id of its own, which is not known to those who know this one.
    const browser = readCookie(request.raw) ?? randomBytes(32).toString('base64url');
    const notices = problem === undefined ? [] : [{ text: problem, failed: true }];
    const frame = new Frame(LOGIN, csrfOf(browser));
    const page = layOut({ frame, title: 'Sign in', notices }, writeForm(frame, targetOf(request)));
    return reply.header('set-cookie', writeCookie(request.raw, browser)).send(page.toString());
  };
  ui.get(`/${LOGIN}`, (request, reply) => {
    const isSignedIn = sessions.find(readCookie(request.raw)) !== undefined;
    return isSignedIn ? reply.code(303).header('location', './').send() : show(request, reply);
  });
  ui.post(`/${LOGIN}`, (request, reply) => {
    const form = formOf(request);
    const browser = readCookie(request.raw);
    if (!comesFromHere(request.raw) || browser === undefined || form.get('csrf') !== csrfOf(browser))
      return show(request, reply.code(403), 'This form was not opened in this browser. Enter your token again.');
    const authorization = `Bearer ${(form.get('token') ?? '').trim()}`;
    const found = access.authenticate(authorization, addressOf(request.raw));
    if (found.kind === 'refused') {
      const { status, message } = found.problem;
      const problem = status === 401 ? 'This is no token of an operator of this gateway.' : message;
      return show(request, reply.code(status === 401 ? 403 : status).headers(found.headers), problem);
    }
    const operator = found.name;
    sessions.end(browser);
    const id = sessions.open({ operator, counts: () => access.holderOf(authorization) === operator });
    const target = targetOf(request);
    return reply
      .code(303)
      .headers({ 'set-cookie': writeCookie(request.raw, id), location: `./${target}` })
      .send();
  });
  ui.post('/logout', (request, reply) => {
    const browser = readCookie(request.raw);
    if (browser !== undefined && comesFromHere(request.raw) && formOf(request).get('csrf') === csrfOf(browser))
      sessions.end(browser);
    return reply
      .code(303)
      .headers({ 'set-cookie': writeCookie(request.raw, undefined), location: `./${LOGIN}` })
      .send();
  });
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
  const { url } = request;
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const wanted = formOf(request).get('to') ?? new URLSearchParams(query).get('to') ?? '';
  return TARGET.test(wanted) ? wanted : '';
}

function writeForm(frame: Frame, target: string): Html {
  const field = html`<p><label for="token">Your operator's token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus></p>
<p><button>Sign in</button></p>`;
  return html`<h1>Sign in</h1>${frame.form(LOGIN, field, { fields: { to: target } })}`;
}
