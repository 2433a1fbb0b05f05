import type { LOG, TRACING } from './schema/serving-schema.js';
import type { Output } from './schema/setting.js';

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

/** OpenTelemetry traces. What is absent follows OpenTelemetry's own environment variables. Headers may be secret: never log. */
export type TracingConfig = Omit<Output<typeof TRACING>, 'enabled' | 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** Where the access log goes: a stream of the process, or the absolute path of a file. */
export type AccessLogTarget = 'stdout' | 'stderr' | { readonly file: string };

/** `access` is absent where there is no access log. */
export type LogConfig = Omit<Output<typeof LOG>, 'access'> & { readonly access?: AccessLogTarget };
