import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Observer } from '../../base/observe/observation.js';
import type { ListenAddress, MetricsConfig } from '../../config/observability-config.js';
import { BEARER, FailedAttempts, RefusalNotices } from '../../server/auth/bearer-tokens.js';
import { guardResponses } from '../../server/http/guarded-response.js';
import { applyTarget, hostnameOf, LOOPBACK_NAMES } from '../../server/http/host-guard.js';
import { addressOf } from '../../server/http/responder.js';

/** A listener that serves nothing but metrics. */
export interface MetricsListener {
  readonly url: string;
  close(): void;
}

/** What is served to Prometheus. */
interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

const METRICS_PATH = '/metrics';

/** Why a request gets no figures. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Guard = (request: IncomingMessage) => Refusal | undefined;

/** Answers `GET /metrics`: to those who send the token, else to programs of this machine. */
export function createMetricsEndpoint(
  source: MetricsSource,
  { listen, tokenHash }: MetricsConfig,
  observe: Observer,
): RequestListener {
  const guard = tokenHash === undefined ? requireLocal(listen?.host) : requireToken(tokenHash, observe);
  return (request, response) => {
    const refusal = guard(request) ?? refuseOther(request);
    if (refusal !== undefined) {
      send(response, refusal);
      return;
    }
    source.text().then(
      (text) => send(response, { status: 200, text, headers: { 'content-type': source.contentType } }),
      (cause) => {
        observe({ kind: 'defect', where: METRICS_PATH, cause });
        send(response, { status: 500, text: 'Internal error\n' });
      },
    );
  };
}

function refuseOther({ url = '', method }: IncomingMessage): Refusal | undefined {
  if (url.split('?', 1)[0] !== METRICS_PATH) return { status: 404, text: `Metrics are at ${METRICS_PATH}.\n` };
  if (method !== 'GET') return { status: 405, text: 'Method not allowed\n', headers: { allow: 'GET' } };
  return undefined;
}

/** A web page reaches this machine's listeners too, but names another host (DNS rebinding), or says where it comes from. */
function requireLocal(host: string | undefined): Guard {
  const own = [...LOOPBACK_NAMES, ...(host === undefined ? [] : [host.includes(':') ? `[${host}]` : host])];
  const refusal: Refusal = { status: 403, text: 'Only programs on this machine may read these metrics.\n' };
  return ({ headers }) =>
    headers.origin === undefined && own.includes(hostnameOf(`http://${headers.host}`) ?? '') ? undefined : refusal;
}

function requireToken(tokenHash: string, observe: Observer): Guard {
  const failed = new FailedAttempts();
  const notices = new RefusalNotices(observe, METRICS_PATH);
  return (request) => {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    // Digests are compared: how long that takes says nothing of the token.
    if (token !== undefined && `sha256:${createHash('sha256').update(token).digest('hex')}` === tokenHash)
      return undefined;
    const address = addressOf(request) || 'unknown';
    const seconds = failed.secondsToWait(address);
    if (seconds > 0) {
      return { status: 429, text: 'Too many wrong tokens\n', headers: { 'retry-after': String(seconds) } };
    }
    if (token !== undefined) failed.note(address);
    notices.refused(address);
    return { status: 401, text: 'Send the token of the metrics\n', headers: { 'www-authenticate': 'Bearer' } };
  };
}

function send(response: ServerResponse, { status, text, headers }: Refusal): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Collectors are few; more connections at once are refused. */
const MOST_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;

/** Rejects with a readable message when it cannot listen. */
export async function openMetricsListener(
  { host, port }: ListenAddress,
  listener: RequestListener,
  observe: Observer,
): Promise<MetricsListener> {
  const options = { requestTimeout: REQUEST_TIMEOUT_MS, insecureHTTPParser: false };
  const server = createServer({ ...options, ServerResponse: guardResponses(observe) }, (request, response) => {
    applyTarget(request);
    listener(request, response);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const message = `The metrics cannot be served at ${host}:${port} (${why}). Choose another address with metrics.listen.`;
    throw new Error(message, { cause });
  }
  server.on('error', (cause) => observe({ kind: 'defect', where: METRICS_PATH, cause }));
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
