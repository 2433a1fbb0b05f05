import { readFileSync } from 'node:fs';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { isWithin, parseNetwork } from '../../base/lib/networks.js';
import type { OutboundTls } from '../../config/gateway-config.js';
import { UpstreamFault } from './fault.js';
import { networkFault } from './network-fault.js';

interface Route {
  /** Of the server. Sockets to others, such as its authorization server, are opened in the same way. */
  readonly url: URL;
  readonly proxy: string | undefined;
  readonly tls: OutboundTls;
  /** Of each step of opening a socket, in milliseconds. */
  readonly timeout: number;
  /** How names become addresses, where no proxy does that; as the machine does where absent. */
  readonly lookup?: LookupFunction;
}

/** Opens sockets for one server: through its proxy where it has one, with the certificates of its files. */
export function createConnector({ url, proxy, tls, timeout, lookup }: Route): buildConnector.connector {
  const current = followFiles(tls, { timeout, ...(lookup === undefined ? {} : { lookup }) });
  return (options, callback) => {
    const opened: typeof callback = (...result) => {
      const [, socket] = result;
      // An alert of TLS 1.3 comes after the handshake, and Node leaves such a socket to end without a reason.
      socket?.once('error', (error) => socket.destroy(error));
      callback(...result);
    };
    const open = async (): Promise<void> => {
      const target = new URL(`${options.protocol}//${options.host ?? url.host}`);
      const through = findProxy(target, proxy, process.env);
      const connect = current();
      const isNamed = tls.serverName !== undefined && target.hostname === url.hostname;
      const named = isNamed ? { ...options, servername: tls.serverName } : options;
      if (through === undefined) return connect(named, opened);
      const socket = await openTunnel(through, target, timeout);
      if (options.protocol === 'https:') connect({ ...named, httpSocket: socket }, opened);
      else callback(null, socket);
    };
    open().catch((cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)), null));
  };
}

type Material = Readonly<Partial<Record<'ca' | 'cert' | 'key', Buffer>>>;

/**
 * The connector with the files as they are now. They are read for each socket, of which there are few, so that one that is renewed counts
 * at once; sockets that are open keep theirs.
 */
function followFiles(tls: OutboundTls, opening: Pick<Route, 'timeout' | 'lookup'>): () => buildConnector.connector {
  let last: { readonly material: Material; readonly connect: buildConnector.connector } | undefined;
  return () => {
    const material = readMaterial(tls);
    if (last === undefined || !isSame(last.material, material)) {
      const rejectUnauthorized = tls.acceptAnyCertificate !== true;
      last = { material, connect: buildConnector({ ...material, rejectUnauthorized, ...opening }) };
    }
    return last.connect;
  };
}

const PARTS = ['ca', 'cert', 'key'] as const;

function readMaterial(tls: OutboundTls): Material {
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const file = tls[part];
      return file === undefined ? [] : [[part, readPart(part, file)]];
    }),
  );
}

function readPart(part: (typeof PARTS)[number], file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new UpstreamFault('lost', `its 'tls.${part}' '${file}' cannot be read (${code})`, {
      cause,
      undelivered: true,
    });
  }
}

function isSame(before: Material, now: Material): boolean {
  return PARTS.every((part) => before[part]?.toString('latin1') === now[part]?.toString('latin1'));
}

/** A socket to the server through the proxy, by CONNECT. Each has a client of its own, which the socket leaves. */
async function openTunnel(proxy: URL, target: URL, timeout: number): Promise<Socket> {
  const host = `${target.hostname}:${target.port || (target.protocol === 'https:' ? '443' : '80')}`;
  const { username, password } = proxy;
  const userinfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization =
    username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(userinfo).toString('base64')}` };
  const client = new Client(proxy.origin, { connect: { timeout } });
  const signal = AbortSignal.timeout(timeout);
  try {
    const { statusCode, socket } = await client.connect({ path: host, headers: { host, ...authorization }, signal });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => undefined).destroy();
    throw new UpstreamFault('lost', `the proxy ${proxy.origin} refuses the way to ${host} with HTTP ${statusCode}`, {
      undelivered: true,
    });
  } catch (error) {
    throw networkFault(error, `the proxy ${proxy.origin}`);
  } finally {
    void client.close();
  }
}

/** The setting that takes the proxy from the environment. */
const FROM_ENVIRONMENT = 'environment';

/**
 * The proxy on the way to an address: the one that is named, or where that is left to the environment, the one of `HTTPS_PROXY` or
 * `HTTP_PROXY`, unless `NO_PROXY` names the host; `ALL_PROXY` is for both. Each may be in lower case, which counts first.
 */
export function findProxy(url: URL, setting: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (setting === undefined || setting === 'none') return undefined;
  if (setting !== FROM_ENVIRONMENT) return new URL(setting);
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  const proxy = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') || read('ALL_PROXY');
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!/^https?:/.test(address) || proxy === '' || !URL.canParse(address) || isExempt(url, read('NO_PROXY')))
    return undefined;
  return new URL(address);
}

/** `NO_PROXY`: hosts, domains, addresses and networks, with a port or without, divided by commas or spaces; `*` for all. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  const host = withoutBrackets(hostname);
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const network = parseNetwork(entry);
      if (network !== undefined) return isWithin(host, network);
      const [, name = '', at] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, '')) ?? [];
      if (at !== undefined && at !== own) return false;
      return host === withoutBrackets(name) || host.endsWith(`.${name}`);
    });
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
