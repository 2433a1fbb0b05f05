import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { CHAIN_HEADER, isOwnRequest, LOOP, LOOP_CURE } from '../../base/protocol/gateway-chain.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { sendNothing, sendRpcError } from './responder.js';

/** The names of this machine for itself. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The host name in a URL, as `URL` writes it; undefined where there is none. */
export function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/**
 * The host in the target of a request counts, whatever its header says; both are as if the header alone had said it.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
export function applyTarget(request: IncomingMessage): void {
  const { url = '/', headers } = request;
  if (url.startsWith('/') || !URL.canParse(url)) return;
  const { host, pathname, search } = new URL(url);
  headers.host = host;
  request.url = `${pathname}${search}`;
}

/** Addresses that mean "every interface"; no request can be addressed to them. */
const WILDCARD_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]', '']);

const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS';
const EXPOSED_HEADERS = 'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate';
const MAX_KNOWN_HOSTS = 100;
const PREFLIGHT_MAX_AGE_SECONDS = '600';

/** True when the request may go on; otherwise the guard has answered it. */
export type HostGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Refuses requests of web pages that the operator did not allow (DNS rebinding and cross-site requests).
 *
 * - `Host` must be a loopback name, `server.host` itself where that is a concrete name or address, or one of
 *   `server.allowedHosts`. Where the gateway listens on every interface, a bare IP address passes too: a rebinding page
 *   always comes with a name. Names other than loopback must then be listed, even on a private network.
 * - `Origin`, which only browsers send, must have such a host name or one of `server.allowedOrigins`. An allowed origin
 *   gets the CORS headers for itself, never `*`, and its preflight is answered here.
 */
export function createHostGuard(server: GatewayConfig['server']): HostGuard {
  const everywhere = WILDCARD_HOSTS.has(server.host);
  const own = [...LOOPBACK_NAMES, ...(everywhere ? [] : [toHostname(server.host)])];
  const hosts = [...own, ...server.allowedHosts.map(toHostname)];
  const origins = [...own, ...server.allowedOrigins.map(toHostname)];

  const known = new Set<string>();
  const refuseHost = (header: string | undefined, response: ServerResponse): boolean => {
    const name = hostnameOf(`http://${header}`);
    const accepted = name !== undefined && (hosts.includes(name) || (everywhere && isAddress(name)));
    if (!accepted) refuse(response, 'Host', name ?? header, 'server.allowedHosts');
    else if (header !== undefined && known.size < MAX_KNOWN_HOSTS) known.add(header);
    return !accepted;
  };

  return (request, response) => {
    const repeated = findRepeated(request.rawHeaders);
    if (repeated !== undefined) {
      sendRpcError(response, 400, RPC_ERROR.refused, `Bad Request: the header '${repeated}' came more than once.`);
      return false;
    }
    const chain = request.headers[CHAIN_HEADER];
    if (chain !== undefined && isOwnRequest(chain)) {
      sendRpcError(response, 508, RPC_ERROR.refused, `${LOOP}. ${LOOP_CURE}.`);
      return false;
    }
    const header = request.headers.host;
    // Parsing a host costs as much as routing the request, and clients send the same one every time.
    if ((header === undefined || !known.has(header)) && refuseHost(header, response)) return false;
    const { origin } = request.headers;
    if (origin !== undefined) {
      const name = hostnameOf(origin);
      if (name === undefined || !origins.includes(name))
        return refuse(response, 'Origin', name ?? origin, 'server.allowedOrigins');
      allowOrigin(response, origin);
    }
    if (request.method !== 'OPTIONS') return true;
    answerPreflight(request, response);
    return false;
  };
}

/** Node takes the first of these, and a proxy may look at the last (RFC 9112, section 3.2). */
const SINGLE = ['host', 'authorization'] as const;

function findRepeated(rawHeaders: readonly string[] = []): string | undefined {
  let [hosts, tokens] = [0, 0];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { length } = rawHeaders[at] ?? '';
    // Few headers are so long: the others need not be read.
    if (length === 4 && rawHeaders[at]?.toLowerCase() === SINGLE[0]) hosts += 1;
    else if (length === 13 && rawHeaders[at]?.toLowerCase() === SINGLE[1]) tokens += 1;
  }
  return hosts > 1 ? SINGLE[0] : tokens > 1 ? SINGLE[1] : undefined;
}

/** The host name as `URL` writes it: lower case, IPv6 in brackets. */
function toHostname(host: string): string {
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

function refuse(response: ServerResponse, header: string, value: string | undefined, setting: string): false {
  const named = value === undefined ? `${header} is missing` : `${header} '${value.slice(0, 100)}' is not allowed`;
  const message = `${named}. If it is yours, add its host name to ${setting} in the gateway's configuration.`;
  sendRpcError(response, 403, RPC_ERROR.refused, message);
  return false;
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  response.setHeader('vary', 'Origin');
}

/** Allows all requested headers, because the origin has been checked. */
function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  const requested = request.headers['access-control-request-headers'];
  response.setHeader('allow', ALLOWED_METHODS);
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
  response.setHeader('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
  if (requested !== undefined) response.setHeader('access-control-allow-headers', requested);
  sendNothing(response, 204);
}
