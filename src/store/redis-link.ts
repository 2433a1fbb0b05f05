import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createClient, createCluster, createSentinel, ErrorReply, RESP_TYPES } from '@redis/client';
import type { RedisStoreConfig } from '../config/gateway-config.js';
import { StoreError } from './state-store.js';

/** A way to the server that holds the keys, opened in the background and retried for ever. */
export interface RedisLink {
  /** Resolves once commands can be sent; rejects when the signal ends the wait. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Sends one command. Never waits for a connection.
   * @param key decides about the server in a cluster
   * @param asBytes whether texts in the answer come as bytes
   */
  send(key: string, args: readonly (string | Buffer)[], asBytes: boolean): Promise<unknown>;
  /** Whether the fault shows that another server holds the keys now, so that a new link must find it. */
  isStale(fault: unknown): boolean;
  destroy(): void;
}

interface LinkOptions {
  /** How long one attempt to connect may take, in milliseconds. */
  readonly deadlineMs: number;
  /** A key as the store writes them: a link is ready when the server that holds it answers. */
  readonly probeKey: string;
  readonly onLost: (fault: unknown) => void;
  readonly onReady: () => void;
}

/** Opens the link for what is configured: one server, servers behind sentinels, or a cluster. */
export function openLink(config: RedisStoreConfig, options: LinkOptions): RedisLink {
  if ('url' in config) return openServer(config, options);
  return openRetried(options, 'cluster' in config ? clusterOf(config, options) : sentinelOf(config, options));
}

/** Where the servers are, for people: without users and passwords. */
export function describePlace(config: RedisStoreConfig): string {
  if ('url' in config) return `Redis at '${readAddress(config.url)}'`;
  if ('cluster' in config) return `Redis cluster at '${config.cluster.map((node) => readAddress(node)).join(', ')}'`;
  const { name, nodes } = config.sentinel;
  return `Redis '${name}' of the sentinels at '${nodes.map((node) => readAddress(node, '26379')).join(', ')}'`;
}

type At<Place extends string> = Extract<RedisStoreConfig, Readonly<Record<Place, unknown>>>;

function openServer(config: At<'url'>, options: LinkOptions): RedisLink {
  const socket = { ...socketOf(config, config.url, options), reconnectStrategy: pauseBefore };
  const client = createClient({ url: config.url, ...credentialsOf(config), ...ALL_CLIENTS, socket });
  // Each command that waits for the connection adds a listener.
  client.setMaxListeners(0);
  client.on('error', options.onLost);
  client.on('ready', options.onReady);
  client.connect().catch(() => {
    // It rejects only when it is closed while it connects; every fault is emitted as an 'error'.
  });
  return {
    async ready(signal) {
      if (!client.isReady) await once(client, 'ready', { signal });
    },
    send: (_key, args, asBytes) => client.sendCommand([...args], asBytes ? BYTES : {}),
    isStale: () => false,
    destroy: () => client.destroy(),
  };
}

/** A client of several servers, before it is connected. */
interface Finder {
  connect(): Promise<unknown>;
  readonly send: RedisLink['send'];
  destroy(): unknown;
}

function clusterOf(config: At<'cluster'>, options: LinkOptions): () => Finder {
  const [first = ''] = config.cluster;
  return () => {
    const client = createCluster({
      rootNodes: config.cluster.map((url) => ({ url })),
      defaults: { ...credentialsOf(config), ...ALL_CLIENTS, socket: socketOf(config, first, options) },
      // Its keys are on one or two servers, so that the others need not be connected.
      minimizeConnections: true,
    });
    client.on('error', ignoreFault);
    return {
      connect: () => client.connect(),
      send: (key, args, asBytes) => client.sendCommand(key, false, [...args], asBytes ? BYTES : {}),
      destroy: () => client.destroy(),
    };
  };
}

function sentinelOf(config: At<'sentinel'>, options: LinkOptions): () => Finder {
  const { name, nodes } = config.sentinel;
  const [first = ''] = nodes;
  const socket = socketOf(config, first, options);
  const { username, password } = new URL(first);
  const own = {
    ...(username !== '' && { username }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  return () => {
    const client = createSentinel({
      name,
      sentinelRootNodes: nodes.map((node) => ({
        host: new URL(node).hostname,
        port: Number(new URL(node).port || 26_379),
      })),
      nodeClientOptions: { ...credentialsOf(config), ...ALL_CLIENTS, socket },
      sentinelClientOptions: { ...own, ...ALL_CLIENTS, socket },
      scanInterval: SCAN_MS,
    });
    client.on('error', ignoreFault);
    return {
      connect: () => client.connect(),
      send: (_key, args, asBytes) => client.sendCommand(false, [...args], asBytes ? BYTES : {}),
      // It has been replaced: how its end goes concerns no caller.
      destroy: () => client.destroy().catch(ignoreFault),
    };
  };
}

/** Finds the server that holds the keys, again and again until it answers. A link that has lost it is replaced by a new one. */
function openRetried({ deadlineMs, probeKey, onLost, onReady }: LinkOptions, open: () => Finder): RedisLink {
  const ended = new AbortController();
  let current: Finder | undefined;
  const attempt = async (): Promise<Finder> => {
    const finder = open();
    const late = setTimeout(() => finder.destroy(), deadlineMs);
    try {
      await finder.connect();
      await finder.send(probeKey, ['EVAL', WRITE_PROBE, '1', probeKey], false);
      return finder;
    } catch (fault) {
      finder.destroy();
      throw fault;
    } finally {
      clearTimeout(late);
    }
  };
  const connect = async (): Promise<void> => {
    for (let failures = 0; !ended.signal.aborted; failures += 1) {
      try {
        current = await attempt();
        if (ended.signal.aborted) current.destroy();
        else onReady();
        return;
      } catch (fault) {
        if (!ended.signal.aborted) onLost(fault);
        await pause(pauseBefore(failures), ended.signal);
      }
    }
  };
  const connected = connect();
  return {
    async ready(signal) {
      if (current !== undefined) return;
      await Promise.race([connected, once(signal, 'abort').then(() => signal.throwIfAborted())]);
    },
    send(key, args, asBytes) {
      if (current === undefined) throw new StoreError('No server has been found.');
      return current.send(key, args, asBytes);
    },
    isStale: (fault) => !(fault instanceof ErrorReply) || MOVED_AWAY.test(fault.message),
    destroy() {
      ended.abort();
      current?.destroy();
    },
  };
}

/** Refused by a server that only copies another, which a failover can have made of it. */
const WRITE_PROBE = "redis.call('DEL', KEYS[1]) return 1";

/** What servers say that do not hold the keys, or not yet. */
const MOVED_AWAY = /^(?:READONLY|CLUSTERDOWN|MASTERDOWN|LOADING|TRYAGAIN|MOVED|ASK|NOREPLICAS)\b/;

/** How often the sentinels are asked which server is the one to write to, beside what they announce. */
const SCAN_MS = 1_000;

const ALL_CLIENTS = { disableOfflineQueue: true, maintNotifications: 'disabled' } as const;

const BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

/** A fault of a connection shows in the command that needs it. */
function ignoreFault(): void {}

/** Resolves after so many milliseconds, or when the signal ends. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function credentialsOf({ username, password }: RedisStoreConfig) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

/** @param url whose scheme says whether TLS is spoken */
function socketOf({ tls }: RedisStoreConfig, url: string, { deadlineMs }: LinkOptions) {
  const connectTimeout = deadlineMs;
  if (!url.startsWith('rediss:')) return { connectTimeout };
  const { ca, cert, key } = tls ?? {};
  return {
    connectTimeout,
    tls: true as const,
    ...(ca !== undefined && { ca: readPem(ca) }),
    ...(cert !== undefined && { cert: readPem(cert) }),
    ...(key !== undefined && { key: readPem(key) }),
  };
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new StoreError(`The file '${file}' of 'store.tls' cannot be read.`, { cause });
  }
}

/** The pause by the number of failed attempts, in milliseconds; the last one repeats. */
const BACKOFF_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/** The pause before the next attempt, with some randomness, so that many gateways do not reconnect at the same moment. */
function pauseBefore(failures: number): number {
  const wait = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;
  return Math.round(wait * (0.75 + Math.random() / 4));
}

/** @returns host and port without user and password */
function readAddress(url: string, usualPort = '6379'): string {
  if (!URL.canParse(url)) throw invalidUrl();
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || usualPort}`;
}

/** Has no cause: the parser's own error may quote the URL, which may contain a password. */
export function invalidUrl(): StoreError {
  return new StoreError(
    "The state store's 'store.url' is not a Redis URL. Expected 'redis://host:6379' or, with TLS, 'rediss://host:6379'; " +
      "with credentials 'redis://user:password@host:6379' (percent-encoded), with a database number '/1' after the port.",
  );
}
