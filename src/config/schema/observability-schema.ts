import { boolean, choice, custom, looseTexts, number, section, string, text } from './setting.js';

export const LOG = section('What the gateway logs to standard error.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'The least important level shown.', 'info'),
  format: choice(['auto', 'json', 'pretty'], '`auto` is pretty on a terminal and JSON elsewhere.', 'auto'),
  access: text(
    'Where one line of JSON for each HTTP request goes: `stdout`, `stderr` or a file, which is opened anew at SIGHUP. See docs/observability.md.',
    'off',
  ),
});

export const METRICS = section('Figures for Prometheus. See docs/observability.md.', {
  enabled: boolean('Whether they are served.', false),
  listen: custom<string | number>({
    type: ['string', 'number'],
    description:
      'The address and port of a listener of their own: `127.0.0.1:9464`, which they have where there is no token. With a token alone they are at `/metrics` of the listener of MCP.',
  }),
  token: string(
    {},
    'The bearer token that readers send: at least 16 visible ASCII characters. Needed wherever other machines reach the listener.',
  ),
  token_FILE: text('A file that holds it; `token` beats it.'),
});

export const TRACING = section(
  "OpenTelemetry traces over OTLP/HTTP. What is not given follows OpenTelemetry's `OTEL_*` variables. See docs/observability.md.",
  {
    enabled: boolean('Whether calls are traced.', false),
    endpoint: text(
      'Where spans are sent, with the path: `http://localhost:4318/v1/traces`. It beats `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    ),
    headers: looseTexts('Headers of these requests, such as a key. `NAME_FILE` names a file with the value.'),
    sampler: choice(
      ['parent', 'ratio'],
      "Which calls are traced: those whose client's trace context says so, and `ratio` of those without one (`parent`), or `ratio` of all (`ratio`). It beats `OTEL_TRACES_SAMPLER`.",
    ),
    ratio: number({ minimum: 0, maximum: 1 }, 'The part of the calls; 1 unless given.'),
  },
);
