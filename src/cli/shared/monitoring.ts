import type { RequestListener } from 'node:http';
import type { CallRates } from '../../base/observe/call-rates.js';
import type { Observer } from '../../base/observe/observation.js';
import type { Tracing } from '../../base/observe/tracing/tracing.js';
import type { BeginTrace } from '../../base/protocol/call.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { AccessLogTarget, MetricsConfig, TracingConfig } from '../../config/observability-config.js';
import { hasOperators } from '../../config/policy-config.js';
import type { MetricsListener } from '../../console/metrics/metrics-endpoint.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { HttpGatewayServer, ServerMonitor } from '../../server/http/http-server.js';

/** What watches a gateway that serves, as far as the configuration asks for it. */
export interface Monitoring {
  readonly observers: readonly Observer[];
  /** Undefined where calls are not traced. */
  readonly beginTrace: BeginTrace | undefined;
  /** What the HTTP server does for it. */
  readonly monitor: ServerMonitor;
  /** Begins to serve the figures of a gateway, and of its server where it has one. Rejects with a readable message. */
  follow(gateway: Gateway, server?: Pick<HttpGatewayServer, 'load'>): Promise<void>;
  close(): Promise<void>;
}

/** Opens what is configured; what is not is not loaded. @param observe the log, for what monitoring itself has to say */
export async function openMonitoring(config: GatewayConfig, version: string, observe: Observer): Promise<Monitoring> {
  const { log, metrics, tracing } = config;
  const counting = metrics && (await openCounting(metrics, config, version, observe));
  const requests = log.access && (await openRequestLog(log.access, observe));
  const traces = tracing && (await openTraces(tracing, version, observe));
  const rates = hasOperators(config.policy.approvals) ? await openRates() : undefined;
  return {
    observers: [counting, rates].flatMap((sink) => (sink === undefined ? [] : [sink.observe])),
    beginTrace: traces?.begin,
    monitor: { ...counting?.monitor, ...requests?.monitor, ...(rates && { rates }) },
    follow: async (gateway, server) => counting?.follow(gateway, server),
    async close() {
      counting?.close();
      requests?.close();
      await traces?.close();
    },
  };
}

/** Metrics, and where they are served. */
interface Counting extends Pick<Monitoring, 'follow'> {
  readonly observe: Observer;
  readonly monitor: ServerMonitor;
  close(): void;
}

async function openCounting(
  settings: MetricsConfig,
  config: GatewayConfig,
  version: string,
  observe: Observer,
): Promise<Counting> {
  const { openMetrics } = await import('../../base/observe/metrics/metrics.js');
  const { createMetricsEndpoint } = await import('../../console/metrics/metrics-endpoint.js');
  const { Traffic } = await import('../../console/metrics/traffic.js');
  let names = namesOf(config);
  const metrics = openMetrics({ version, names: () => names });
  const answer = createMetricsEndpoint(metrics, settings, observe);
  const traffic = new Traffic();
  const { listen } = settings;
  let listener: MetricsListener | undefined;
  return {
    observe: metrics.observe,
    monitor: { watch: (server) => traffic.watch(server), ...(listen === undefined ? { metrics: answer } : {}) },
    async follow(gateway, server) {
      metrics.follow(() => ({
        gateway: gateway.figures(),
        ...(server === undefined ? {} : { server: { ...server.load(), ...traffic.figures() } }),
      }));
      gateway.onReloaded((next) => {
        names = namesOf(next);
      });
      if (listen === undefined) return;
      const { openMetricsListener } = await import('../../console/metrics/metrics-endpoint.js');
      listener = await openMetricsListener(listen, answer, observe);
      observe({ kind: 'notice', level: 'info', message: `Metrics are at ${listener.url}.` });
    },
    close() {
      listener?.close();
    },
  };
}

/** For the console, which operators alone see. */
async function openRates(): Promise<CallRates> {
  const { createCallRates } = await import('../../base/observe/call-rates.js');
  return createCallRates();
}

async function openTraces(settings: TracingConfig, version: string, observe: Observer): Promise<Tracing> {
  const { openTracing } = await import('../../base/observe/tracing/tracing.js');
  return openTracing(settings, version, observe);
}

interface RequestLog {
  readonly monitor: ServerMonitor;
  close(): void;
}

async function openRequestLog(target: AccessLogTarget, observe: Observer): Promise<RequestLog> {
  const { openAccessLog } = await import('../../base/observe/access-log.js');
  const { LoggedResponse, logRequests } = await import('../../server/http/request-log.js');
  const { write, close } = openAccessLog(target, observe);
  const log = { ServerResponse: LoggedResponse, around: (listener: RequestListener) => logRequests(listener, write) };
  return { monitor: { log }, close };
}

/** The clients and issuers that the configuration names. */
function namesOf({ clients, server: { oauth } }: GatewayConfig): ReadonlySet<string> {
  return new Set([...clients, ...(oauth?.issuers ?? [])].map(({ name }) => name));
}
