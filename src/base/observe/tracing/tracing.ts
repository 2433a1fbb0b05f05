import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { BeginTrace } from '../../protocol/call.js';
import type { Observer } from '../observation.js';
import { chooseSampler, type SamplerSettings } from './samplers.js';
import { traceCalls } from './spans.js';

/** Traces of calls, sent in batches. */
export interface Tracing {
  readonly begin: BeginTrace;
  /** Sends what is left, for a short time. */
  close(): Promise<void>;
}

interface TracingSettings extends SamplerSettings {
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NAME = 'mcp-aql-gateway';

/** How long the receiver may take for a batch, repeats included: the end of the process waits for it. */
const EXPORT_MS = 2_000;

/**
 * Opens an exporter and what samples. What the settings leave open, OpenTelemetry's libraries take from its variables: the receiver, the
 * sampler, the resource, and the bounds of a batch (2,048 spans wait by default, and further ones are dropped).
 */
export function openTracing(settings: TracingSettings, version: string, observe: Observer): Tracing {
  const { endpoint, headers } = settings;
  const exporter = new OTLPTraceExporter({
    ...(endpoint === undefined ? {} : { url: endpoint }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    timeoutMillis: EXPORT_MS,
  });
  const processor = new BatchSpanProcessor(reportFaults(exporter, observe));
  const begin = traceCalls(chooseSampler(settings, process.env), {
    resource: describeResource(version),
    scope: { name: NAME, version },
    send: (span) => processor.onEnd(span),
  });
  return { begin, close: () => processor.shutdown().catch(() => undefined) };
}

/** The operator's variables beat what the gateway says of itself. */
function describeResource(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Says once that spans do not arrive, and once that they do again. */
function reportFaults(inner: SpanExporter, observe: Observer): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isFailing) {
          const why = result.error?.message ?? 'unknown reason';
          const message = `Traces cannot be sent, and are lost meanwhile: ${why}.`;
          observe({ kind: 'notice', level: 'warn', message });
        } else if (!failed && isFailing) {
          observe({ kind: 'notice', level: 'info', message: 'Traces are sent again.' });
        }
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush?.() ?? Promise.resolve(),
  };
}
