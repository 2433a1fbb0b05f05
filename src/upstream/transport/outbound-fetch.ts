import { type LookupAddress, lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, type buildConnector, request } from 'undici';
import { type Fetch, FetchFailure } from '../../base/lib/fetch-json.js';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { isOwnMachine } from '../../config/own-machine.js';
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
        const near =
          isIP(host) !== 0 || isOwnMachine(host) ? reachOf(host) : isInternalName(host) ? 'network' : undefined;
        // A proxy finds names that this machine does not, so that no answer shows that they are a network's own.
        if (near !== undefined && isNearer(near, reach)) callback(new FetchFailure(PRIVATE), null);
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

/** Names that only a network's own servers know: of one label, or below what is not delegated (RFC 6761, 6762, 8375, ICANN's `internal`). */
function isInternalName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  return labels.length === 1 || INTERNAL_ENDS.has(labels.at(-1) ?? '') || /(?:^|\.)home\.arpa\.?$/.test(host);
}

const INTERNAL_ENDS = new Set('internal local lan home corp intranet private localdomain test invalid'.split(' '));

/** A host as sockets take it: an IPv6 address without its brackets. */
function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

/** From where an address is reached: from everywhere, from within a network alone, or from the machine and its link. */
type NetworkReach = 'public' | 'network' | 'machine';

const RANK: Readonly<Record<NetworkReach, number>> = { public: 0, network: 1, machine: 2 };

/** The addresses that are not public (RFC 6890). What is written as IPv4 counts in IPv6's spelling of it too. */
const SUBNETS: Readonly<Record<Exclude<NetworkReach, 'public'>, readonly (readonly [string, number])[]>> = {
  machine: [
    ['0.0.0.0', 8],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['::', 127],
    ['fe80::', 10],
  ],
  network: [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2002::', 16],
    ['fc00::', 7],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
};

function blockListOf(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIP(net) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

const MACHINE = blockListOf(SUBNETS.machine);
const NETWORK = blockListOf(SUBNETS.network);

/** @param address an IP address, without brackets; what is none is taken for the nearest that there is */
function reachOf(address: string): NetworkReach {
  const family = isIP(address);
  if (family === 0) return 'machine';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (MACHINE.check(address, type)) return 'machine';
  return NETWORK.check(address, type) ? 'network' : 'public';
}

/** Whether what is reached from `own` can be reached from nearer alone: a server of the internet must not name this machine. */
function isNearer(reach: NetworkReach, own: NetworkReach): boolean {
  return RANK[reach] > RANK[own];
}

/** The farthest of several. */
function farthest(reaches: readonly NetworkReach[]): NetworkReach {
  return reaches.toSorted((a, b) => RANK[a] - RANK[b])[0] ?? 'public';
}
