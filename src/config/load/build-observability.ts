import { resolve } from 'node:path';
import type { GatewayDocument } from '../config-document.js';
import type {
  AccessLogTarget,
  ListenAddress,
  LogConfig,
  MetricsConfig,
  TracingConfig,
} from '../observability-config.js';
import { isOwnMachine } from '../own-machine.js';
import { LOG, METRICS, TRACING } from '../schema/serving-schema.js';
import { normalise } from '../schema/setting.js';
import { hashToken } from './build-access.js';
import type { Diagnostics } from './diagnostics.js';
import { buildHeaders, readSecret, TOKEN_PATTERN } from './secrets.js';

interface Context {
  /** Where relative paths start. */
  readonly directory: string;
  readonly diagnostics: Diagnostics;
}

/** The port that OpenTelemetry's own exporter of metrics to Prometheus takes. */
const DEFAULT_LISTEN: ListenAddress = { host: '127.0.0.1', port: 9464 };

/**
 * Builds the settings of metrics; undefined where they are off. Without a token they are for this machine alone: a listener of their own
 * on a loopback address.
 */
export function buildMetrics(
  entry: GatewayDocument['metrics'],
  { directory, diagnostics }: Context,
): MetricsConfig | undefined {
  const { enabled, listen: address, ...secret } = normalise(METRICS, entry);
  if (!enabled) return undefined;
  const path = ['metrics'];
  const hasToken = secret.token !== undefined || secret.token_FILE !== undefined;
  const token = hasToken ? readSecret(secret, 'token', { directory, path, diagnostics }) : undefined;
  if (token !== undefined && !TOKEN_PATTERN.test(token)) {
    diagnostics.problem([...path, 'token'], 'expected visible ASCII characters without blanks');
  }
  const listen =
    address === undefined ? (hasToken ? undefined : DEFAULT_LISTEN) : readAddress(String(address), diagnostics);
  if (listen !== undefined && !hasToken && !isOwnMachine(listen.host)) {
    diagnostics.problem(
      [...path, 'token'],
      `missing; ${listen.host} can be reached by other machines`,
      "set 'metrics.token_FILE', or listen on 127.0.0.1",
    );
  }
  return {
    ...(listen === undefined ? {} : { listen }),
    ...(token === undefined ? {} : { tokenHash: hashToken(token) }),
  };
}

const MOST_PORT = 65_535;

/** `127.0.0.1:9464`, `[::1]:9464`, or a port of this machine alone. */
function readAddress(text: string, diagnostics: Diagnostics): ListenAddress | undefined {
  const [, host = DEFAULT_LISTEN.host, digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== '' && port <= MOST_PORT) return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
  const problem = `expected an address and a port: ${DEFAULT_LISTEN.host}:${DEFAULT_LISTEN.port}`;
  diagnostics.problem(['metrics', 'listen'], problem);
  return undefined;
}

/** Builds the settings of traces; undefined where they are off. What is wrong goes into the diagnostics. */
export function buildTracing(
  entry: GatewayDocument['tracing'],
  { directory, diagnostics }: Context,
): TracingConfig | undefined {
  const { enabled, headers, ...given } = normalise(TRACING, entry);
  if (!enabled) return undefined;
  const { endpoint } = given;
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    const example = 'write it with its path: http://localhost:4318/v1/traces';
    diagnostics.problem(['tracing', 'endpoint'], 'expected an http:// or https:// address', example);
  }
  const path = ['tracing', 'headers'];
  return { ...given, ...(headers && { headers: buildHeaders(headers, { directory, path, diagnostics }) }) };
}

/** Builds the settings of the logs. */
export function buildLog(entry: GatewayDocument['log'], { directory }: Pick<Context, 'directory'>): LogConfig {
  const { access, ...log } = normalise(LOG, entry);
  const target = readTarget(access, directory);
  return { ...log, ...(target === undefined ? {} : { access: target }) };
}

function readTarget(access: string, directory: string): AccessLogTarget | undefined {
  if (access === 'off') return undefined;
  return access === 'stdout' || access === 'stderr' ? access : { file: resolve(directory, access) };
}
