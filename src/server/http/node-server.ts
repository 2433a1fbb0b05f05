import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as TlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Observer } from '../../base/observe/observation.js';
import type { TlsConfig } from '../../config/access-config.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { guardResponses } from './guarded-response.js';
import { applyTarget } from './host-guard.js';
import { ProxiedRequest } from './responder.js';
import { TrustedProxies } from './trusted-proxies.js';

interface NodeServerDeps {
  readonly observe: Observer;
  /** What is made of each response, and what goes around the answer to each request, where requests are logged. */
  readonly log?: RequestLog | undefined;
  /** How often the certificate's files are looked at, in milliseconds. */
  readonly lookMs?: number;
}

interface RequestLog {
  readonly ServerResponse: typeof ServerResponse;
  readonly around: (listener: RequestListener) => RequestListener;
}

/** Headers of one request that are read; browsers behind several proxies send some dozens. */
const MAX_HEADERS = 200;
const MAX_HEADER_BYTES = 16 * 1024;

/** A silent connection is asked after so long whether its other end is still there. */
const PROBE_MS = 60_000;

/** Node's server: over TLS where there is a certificate, and behind proxies where some are trusted. */
export function createNodeServer(
  settings: GatewayConfig['server'],
  listener: RequestListener,
  deps: NodeServerDeps,
): Server {
  const { tls, trustedProxies, maxConnections } = settings;
  const proxies = new TrustedProxies(trustedProxies);
  const isProxied = trustedProxies.length > 0;
  const { log, observe } = deps;
  const options = {
    ...boundsOf(settings),
    ...(isProxied && { IncomingMessage: ProxiedRequest }),
    ServerResponse: guardResponses(observe, log?.ServerResponse),
  };
  const answer = log === undefined ? listener : log.around(listener);
  const serve: RequestListener = (request, response) => {
    applyTarget(request);
    if (isProxied) proxies.apply(request);
    answer(request, response);
  };
  const server =
    tls === undefined ? createServer(options, serve) : createTlsServer({ ...settings, tls }, options, serve, deps);
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = maxConnections;
  server.once('listening', () =>
    server.on('error', (cause) => observe({ kind: 'defect', where: 'accepting a connection', cause })),
  );
  // Node takes a connection for idle whose answer has ended and is not read yet. When the server stops, all are closed after the last answer.
  server.closeIdleConnections = () => undefined;
  return server.setTimeout(0);
}

function createTlsServer(
  { tls, handshakeTimeoutMs }: GatewayConfig['server'] & { readonly tls: TlsConfig },
  options: object,
  serve: RequestListener,
  { observe, lookMs }: NodeServerDeps,
): Server {
  const server = createHttpsServer({ ...options, ...readKeyPair(tls), handshakeTimeout: handshakeTimeoutMs }, serve);
  server.once('close', keepCurrent(server, tls, observe, lookMs));
  return server;
}

/** Node looks for requests that take too long so often, and at least twice in the shortest of the times. */
const MOST_LOOK_MS = 5_000;

/** Every bound that Node's server has, stated here so that none depends on the version of Node. */
function boundsOf({ headersTimeoutMs, requestTimeoutMs, keepAliveMs }: GatewayConfig['server']) {
  const headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);
  return {
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(MOST_LOOK_MS, Math.ceil(headersTimeout / 2)),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Whatever NODE_OPTIONS says: a lenient parser reads requests in another way than the proxy before it.
    insecureHTTPParser: false,
    // A client that is gone without a word is noticed while its call goes on.
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  };
}

/** How often the files are looked at: certificates are renewed weeks before they end. */
const LOOK_MS = 10_000;

/** The certificate and its key, as they are in their files. */
interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads both files and proves that they belong together. @throws Error with what is wrong, for the operator */
function readKeyPair({ cert, key }: TlsConfig): KeyPair {
  const pair = { cert: readPart(cert, 'cert'), key: readPart(key, 'key') };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new Error(`server.tls: '${cert}' and '${key}' are no certificate with its key (${reason}).`, { cause });
  }
  return pair;
}

function readPart(file: string, setting: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new Error(`server.tls.${setting}: the file '${file}' cannot be read (${code}).`, { cause });
  }
}

/**
 * Gives a server the certificate again whenever its files change; connections that are open keep theirs. Files that do not belong
 * together, as while one of them is written, change nothing.
 * @returns what ends the watch
 */
function keepCurrent(server: TlsServer, tls: TlsConfig, observe: Observer, lookMs = LOOK_MS): () => void {
  const reload = (): void => {
    try {
      server.setSecureContext(readKeyPair(tls));
      observe({ kind: 'notice', level: 'info', message: 'The TLS certificate was read again.' });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'unknown reason';
      observe({ kind: 'notice', level: 'warn', message: `${reason} The earlier certificate stays in use.` });
    }
  };
  // Files of Kubernetes and certbot are links that are exchanged: looking at them sees that, watching a folder may not.
  const files = [tls.cert, tls.key];
  for (const file of files) watchFile(file, { interval: lookMs, persistent: false }, reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
  };
}
