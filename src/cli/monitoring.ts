import type { GatewayConfig } from '../config/gateway-config.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Observer } from '../observe/observation.js';
import type { HttpGatewayServer, ServerMonitor } from '../server/http-server.js';
import type { MetricsListener } from '../server/metrics/metrics-listener.js';

/** What watches a gateway that serves, as far as the configuration asks for it. */
export interface Monitoring {
  readonly observers: readonly Observer[];
  /** What the HTTP server does for it; undefined for nothing. */
  readonly monitor: ServerMonitor | undefined;
  /** Begins to serve the figures of a gateway, and of its server where it has one. Rejects with a readable message. */
  follow(gateway: Gateway, server?: Pick<HttpGatewayServer, 'load'>): Promise<void>;
  close(): Promise<void>;
}

const NOTHING: Monitoring = {
  observers: [],
  monitor: undefined,
  follow: async () => undefined,
  close: async () => undefined,
};

/** Opens what is configured; what is not is not loaded. @param observe the log, for what monitoring itself has to say */
export async function openMonitoring(config: GatewayConfig, version: string, observe: Observer): Promise<Monitoring> {
  const settings = config.metrics;
  if (settings === undefined) return NOTHING;
  const { openMetrics } = await import('../observe/metrics/metrics.js');
  const { createMetricsEndpoint } = await import('../server/metrics/metrics-endpoint.js');
  const { Traffic } = await import('../server/metrics/traffic.js');
  let names = namesOf(config);
  const metrics = openMetrics({ version, names: () => names });
  const answer = createMetricsEndpoint(metrics, settings, observe);
  const traffic = new Traffic();
  const { listen } = settings;
  let listener: MetricsListener | undefined;
  return {
    observers: [metrics.observe],
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
      const { openMetricsListener } = await import('../server/metrics/metrics-listener.js');
      listener = await openMetricsListener(listen, answer);
      observe({ kind: 'notice', level: 'info', message: `Metrics are at ${listener.url}.` });
    },
    async close() {
      listener?.close();
    },
  };
}

/** The clients and issuers that the configuration names. */
function namesOf({ clients, server: { oauth } }: GatewayConfig): ReadonlySet<string> {
  return new Set([...clients, ...(oauth?.issuers ?? [])].map(({ name }) => name));
}
