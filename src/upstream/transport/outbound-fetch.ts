import { type LookupAddress, lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type buildConnector, request } from 'undici';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { isOwnMachine } from '../../config/own-machine.js';
import { type Fetch, FetchFailure } from '../../lib/fetch-json.js';
import { farthest, isNearer, type NetworkReach, reachOf } from '../../lib/network-reach.js';
import { createConnector } from './connector.js';

const CONNECT_TIMEOUT_MS = 4_000;
/** Few requests are made, seldom. */
const KEEP_ALIVE_MS = 1_000;

const PRIVATE =
  "its address is not public, and a server that is must not name it; where it is right, configure it as the 'issuer' of the credentials";

/**
 * What fetches beside MCP for one server, such as from its authorization server: through its proxy, and with its certificates. Addresses
 * come from what the server says, so those nearer to this machine than the server itself are refused, but for the hosts that the operator
 * has named. Redirects are not followed.
 */
export function createOutboundFetch(endpoint: HttpEndpoint, named: readonly string[] = []): Fetch {
  const agent = new Agent({ connect: createGuardedConnector(endpoint, named), keepAliveTimeout: KEEP_ALIVE_MS });
  return async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body === null ? null : Buffer.from(await asked.arrayBuffer());
    const answer = await request(asked.url, {
      // A request's method is a text to TypeScript, as it may be any.
      ...(asked.method === 'POST' ? { method: 'POST' as const } : {}),
      headers: Object.fromEntries(asked.headers),
      body,
      dispatcher: agent,
      signal: asked.signal,
    }).catch((cause: unknown) => {
      throw cause instanceof FetchFailure ? cause : new TypeError('fetch failed', { cause });
    });
    const { statusCode: status } = answer;
    if (status >= 300 && status < 400) {
      await answer.body.dump();
      throw new FetchFailure(`it answered ${status}, and redirects are not followed`, status);
    }
    const headers = Object.entries(answer.headers).flatMap(([name, value = []]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    );
    if (status === 204) await answer.body.dump();
    return new Response(status === 204 ? null : answer.body, { status, headers });
  };
}

function createGuardedConnector(endpoint: HttpEndpoint, named: readonly string[]): buildConnector.connector {
  const { proxy, tls = {} } = endpoint;
  const url = new URL(endpoint.url);
  const own = bare(url.hostname);
  const trusted = new Set([own, ...named.map((address) => bare(new URL(address).hostname))]);
  const route = { url, proxy, tls, timeout: CONNECT_TIMEOUT_MS };
  const open = createConnector(route);
  return (options, callback) => {
    const host = bare(options.hostname);
    if (trusted.has(host)) {
      open(options, callback);
      return;
    }
    reachOfHost(own).then(
      (reach) => {
        const isFound = isIP(host) !== 0 || isOwnMachine(host);
        if (isFound && isNearer(reachOf(host), reach)) callback(new FetchFailure(PRIVATE), null);
        else createConnector({ ...route, lookup: guardLookup(reach) })(options, callback);
      },
      (cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)), null),
    );
  };
}

/** Finds the addresses of a name that are as far as `own`; the socket is opened to one of these, so that no second answer counts. */
function guardLookup(own: NetworkReach): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error === null ? found.filter(({ address }) => !isNearer(reachOf(address), own)) : [];
      const [first] = allowed;
      if (first === undefined) callback(error ?? new FetchFailure(PRIVATE), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** From where a server is reached. One that this machine cannot find, as behind a proxy, is taken for public. */
async function reachOfHost(host: string): Promise<NetworkReach> {
  if (isIP(host) !== 0) return reachOf(host);
  const found: readonly LookupAddress[] = await lookupAll(host, { all: true }).catch(() => []);
  return farthest(found.map(({ address }) => reachOf(address)));
}

/** A host as sockets take it: an IPv6 address without its brackets. */
function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
