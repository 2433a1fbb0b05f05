/** Where something is listened on beside MCP. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Figures in Prometheus's text form. */
export interface MetricsConfig {
  /** A listener of their own; `/metrics` of MCP's listener where absent. */
  readonly listen?: ListenAddress;
  /** `sha256:` and the hash of the token that a reader sends; absent where the listener is for this machine alone. */
  readonly tokenHash?: string;
}

export const SAMPLERS = ['parent', 'ratio'] as const;

/** OpenTelemetry traces. What is absent follows OpenTelemetry's own environment variables. */
export interface TracingConfig {
  /** Where spans are sent: an OTLP receiver over HTTP, with its path. */
  readonly endpoint?: string;
  /** May hold secrets: never log. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `parent`: as the client's trace context says, and `ratio` of the calls that bring none; `ratio`: that part of all. */
  readonly sampler?: (typeof SAMPLERS)[number];
  /** Between 0 and 1. */
  readonly ratio?: number;
}

/** Where the access log goes: a stream of the process, or the absolute path of a file. */
export type AccessLogTarget = 'stdout' | 'stderr' | { readonly file: string };
