import { CONFIG_DEFAULTS } from '../defaults.js';
import { SAMPLERS } from '../observability-config.js';
import { section } from './policy-schema.js';

export const METRICS_SECTION = section(
  'Figures for Prometheus. See docs/observability.md.',
  {
    enabled: { type: 'boolean', description: 'Whether they are served.' },
    listen: {
      type: ['string', 'number'],
      description:
        'The address and port of a listener of their own: `127.0.0.1:9464`, which they have where there is no token. With a token alone they are at `/metrics` of the listener of MCP.',
    },
    token: {
      type: 'string',
      description:
        'The bearer token that readers send: at least 16 visible ASCII characters. Needed wherever other machines reach the listener.',
    },
    token_FILE: { type: 'string', minLength: 1, description: 'A file that holds it; `token` beats it.' },
  },
  CONFIG_DEFAULTS.metrics,
);

export const TRACING_SECTION = section(
  "OpenTelemetry traces over OTLP/HTTP. What is not given follows OpenTelemetry's `OTEL_*` variables. See docs/observability.md.",
  {
    enabled: { type: 'boolean', description: 'Whether calls are traced.' },
    endpoint: {
      type: 'string',
      minLength: 1,
      description:
        'Where spans are sent, with the path: `http://localhost:4318/v1/traces`. It beats `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'Headers of these requests, such as a key. `NAME_FILE` names a file with the value.',
    },
    sampler: {
      enum: [...SAMPLERS],
      description:
        "Which calls are traced: those whose client's trace context says so, and `ratio` of those without one (`parent`), or `ratio` of all (`ratio`). It beats `OTEL_TRACES_SAMPLER`.",
    },
    ratio: { type: 'number', minimum: 0, maximum: 1, description: 'The part of the calls; 1 unless given.' },
  },
  CONFIG_DEFAULTS.tracing,
);
