import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** A browser's own random value, as the cookie has it. */
const ID = /^[\w-]{43}$/;

/**
 * The cookie is named after the port: cookies of one host are sent to all of its ports, where other gateways may listen. It has no path of its
 * own, so that browsers take that of the console as they see it, with what a proxy adds.
 */
function cookieName({ socket }: IncomingMessage): string {
  return `aql_console_${socket.localPort ?? 0}`;
}

/** What the browser was given; undefined where it was given nothing. */
export function readCookie(request: IncomingMessage): string | undefined {
  const name = `${cookieName(request)}=`;
  const pairs = request.headers.cookie?.split(/; */) ?? [];
  const value = pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
  return value !== undefined && ID.test(value) ? value : undefined;
}

/** The header that gives the browser an id, or takes it away. @param overTls whether the browser is known to use TLS */
export function writeCookie(request: IncomingMessage, id: string | undefined, overTls = isSecure(request)): string {
  const value = id === undefined ? '; Max-Age=0' : '';
  const secure = overTls ? '; Secure' : '';
  return `${cookieName(request)}=${id ?? ''}; HttpOnly; SameSite=Strict${secure}${value}`;
}

/** Behind a proxy that ends TLS the browser says that it uses it. */
function isSecure({ socket, headers }: IncomingMessage): boolean {
  return socket instanceof TLSSocket || headers.origin?.startsWith('https:') === true;
}

/** Whether a form was sent by a page of the console itself, as far as the browser says. */
export function comesFromHere({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || hostOf(origin) === host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Whether a link of another site led here: the browser keeps the cookie back then. */
export function isLinkedFromElsewhere({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] === 'navigate';
}
