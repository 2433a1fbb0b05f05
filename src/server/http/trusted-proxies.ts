import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isWithin, parseNetwork } from '../../base/lib/networks.js';
import type { ProxiedRequest } from './responder.js';

/** Addresses whose trust is remembered. */
const MAX_KNOWN = 1_000;

/** What a proxy says of the client. */
interface Origin {
  readonly address: string | undefined;
  readonly host: string | undefined;
}

/**
 * Believes what trusted proxies say of the client: its address and the host that it addressed. Of a chain of proxies the last entry that
 * is no trusted proxy itself is the client, as everything before it may be the client's own invention. What others send is ignored.
 */
export class TrustedProxies {
  readonly #networks: readonly BlockList[];
  readonly #known = new Map<string, boolean>();

  /** @param proxies addresses and networks, checked by the configuration. */
  constructor(proxies: readonly string[]) {
    this.#networks = proxies.flatMap((proxy) => parseNetwork(proxy) ?? []);
  }

  /** Gives a request that came through a trusted proxy the address and the host of its client. */
  apply(request: ProxiedRequest): void {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (!this.#trusts(peer)) return;
    const { address, host } = this.#readOrigin(request.headers);
    if (address !== undefined) request.clientAddress = address;
    if (host !== undefined) request.headers.host = host;
  }

  /**
   * A proxy writes one of the two kinds of headers, and may pass the other on as the client sent it. Where both are there and say
   * different things, neither is believed.
   */
  #readOrigin(headers: IncomingHttpHeaders): Origin {
    const forwarded = readForwarded(headers.forwarded);
    const xFor = listOf(headers['x-forwarded-for']);
    const first = this.#clientIn(forwarded.map((element) => element.get('for')));
    const second = this.#clientIn(xFor);
    const [named] = forwarded.flatMap((element) => element.get('host') ?? []);
    const [xHost] = listOf(headers['x-forwarded-host']);
    return { address: agreed(first, second), host: agreed(named, xHost) };
  }

  #clientIn(chain: readonly (string | undefined)[]): string | undefined {
    for (const entry of chain.toReversed()) {
      const address = plainAddress(entry ?? '');
      if (isIP(address) === 0) return undefined;
      if (!this.#trusts(address)) return address;
    }
    // Every entry is a trusted proxy: the first of them sent the request.
    const [first] = chain;
    return first === undefined ? undefined : plainAddress(first);
  }

  #trusts(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const trusted = this.#networks.some((network) => isWithin(address, network));
    if (this.#known.size < MAX_KNOWN) this.#known.set(address, trusted);
    return trusted;
  }
}

/** What proxies add to requests that they pass on. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/** Whether a request comes from this machine, and not through a proxy on it. */
export function isDirectLoopback({ socket, headers }: IncomingMessage): boolean {
  const peer = plainAddress(socket.remoteAddress ?? '');
  return (peer === '::1' || peer.startsWith('127.')) && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

function agreed(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  return undefined;
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const text = typeof header === 'string' ? header : header.join(',');
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The elements of RFC 7239, the nearest proxy's last. A text in quotation marks holds no comma that matters here. */
function readForwarded(header: string | undefined): readonly ReadonlyMap<string, string>[] {
  return listOf(header).map(
    (element) =>
      new Map(
        element.split(';').flatMap((pair) => {
          const [, name, quoted, plain] = /^\s*([\w-]+)=(?:"([^"]*)"|([^"\s]*))\s*$/.exec(pair) ?? [];
          return name === undefined ? [] : [[name.toLowerCase(), quoted ?? plain ?? ''] as const];
        }),
      ),
  );
}

/** Without a port and brackets; an IPv4 address in IPv6 form as IPv4. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(bare)?.[1] ?? bare;
}
