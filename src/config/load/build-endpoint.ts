import { resolve } from 'node:path';
import type { JsonPath } from '../../base/json/json-path.js';
import type { ServerEntry } from '../config-document.js';
import type { HttpEndpoint, OutboundTls, UpstreamEndpoint } from '../gateway-config.js';
import { TRANSPORTS } from '../schema/upstream-schema.js';
import type { Diagnostics } from './diagnostics.js';
import { buildEnv, buildHeaders } from './secrets.js';

/** The settings of the way to servers over HTTP, of one of them or of all. */
export type OutboundEntry = Pick<ServerEntry, 'proxy' | 'tls'>;

interface EndpointContext {
  /** The way to servers over HTTP, of those that have no settings of their own. */
  readonly outbound: OutboundEntry;
  /** Where relative paths start. */
  readonly directory: string;
  readonly path: JsonPath;
  /** Receives the faults of the entry's shape. */
  readonly diagnostics: Diagnostics;
  /** Receives the faults of its values; muted where the server is disabled. */
  readonly valueDiagnostics: Diagnostics;
}

/** Builds the endpoint of an entry that has a command or a URL. What is wrong goes into the diagnostics. */
export function buildEndpoint(entry: ServerEntry, context: EndpointContext): UpstreamEndpoint | undefined {
  const { diagnostics, path } = context;
  const { command, url } = entry;
  const type = entry.type === undefined ? undefined : TRANSPORTS[entry.type];
  if (command !== undefined && url !== undefined) {
    diagnostics.problem(path, "both 'command' and 'url'; expected one of them", 'remove the one that does not apply');
    return undefined;
  }
  if (command !== undefined && (type ?? 'stdio') === 'stdio') return buildStdioEndpoint(command, entry, context);
  if (url !== undefined && type !== 'stdio') return buildHttpEndpoint(url, type ?? 'http', entry, context);
  // Both are missing where the given one was faulty and removed, which is already reported.
  if (command === undefined && url === undefined) return undefined;
  const needed = command === undefined ? "'stdio' needs 'command'" : `'${entry.type}' needs 'url'`;
  diagnostics.problem([...path, 'type'], needed, "leave 'type' out: it follows from 'command' or 'url'");
  return undefined;
}

function buildStdioEndpoint(command: string, entry: ServerEntry, context: EndpointContext): UpstreamEndpoint {
  const { directory, path, valueDiagnostics } = context;
  for (const key of ['proxy', 'tls'] as const) {
    if (entry[key] !== undefined) context.diagnostics.warning([...path, key], 'has no effect on a command');
  }
  return {
    type: 'stdio',
    command,
    args: (entry.args ?? []).map((argument, index) =>
      toArgument(argument, [...path, 'args', index], context.diagnostics),
    ),
    env: buildEnv(entry.env ?? {}, entry.envFile, { directory, path: [...path, 'env'], diagnostics: valueDiagnostics }),
    cwd: resolve(directory, entry.cwd ?? '.'),
    ...(entry.limits === undefined ? {} : { limits: entry.limits }),
  };
}

/** A number has lost how it was written: `1.0` is 1. What is passed is said. */
function toArgument(argument: string | number, path: JsonPath, diagnostics: Diagnostics): string {
  if (typeof argument === 'number') diagnostics.warning(path, `a number; passed as the text '${argument}'`);
  return String(argument);
}

function buildHttpEndpoint(
  url: string,
  type: 'http' | 'sse',
  entry: ServerEntry,
  context: EndpointContext,
): UpstreamEndpoint {
  const { directory, path, valueDiagnostics } = context;
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') {
    valueDiagnostics.problem([...path, 'url'], 'expected an http:// or https:// address');
  }
  const headers = buildHeaders(entry.headers ?? {}, {
    directory,
    path: [...path, 'headers'],
    diagnostics: valueDiagnostics,
  });
  if (entry.limits !== undefined)
    context.diagnostics.warning([...path, 'limits'], 'has no effect on a server over HTTP');
  const { proxy = context.outbound.proxy, tls = context.outbound.tls } = entry;
  const own = { ...(proxy === undefined ? {} : { proxy }), ...(tls === undefined ? {} : { tls }) };
  return { type, url, headers, ...buildOutbound(own, { directory, path, diagnostics: valueDiagnostics }) };
}

interface OutboundContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly path: JsonPath;
  readonly diagnostics: Diagnostics;
}

/** Builds the way to a server over HTTP from its own settings and those of all. What is wrong goes into the diagnostics. */
function buildOutbound(
  { proxy = 'none', tls }: OutboundEntry,
  { directory, path, diagnostics }: OutboundContext,
): Pick<HttpEndpoint, 'proxy' | 'tls'> {
  if (!isProxy(proxy)) {
    diagnostics.problem([...path, 'proxy'], "expected an http:// or https:// address, 'environment' or 'none'");
  }
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) {
    diagnostics.problem([...path, 'tls'], "expected both 'cert' and 'key', or neither");
  }
  if (tls?.acceptAnyCertificate === true) {
    const risk = 'who is on the way to the server can read and change everything that is sent';
    diagnostics.warning([...path, 'tls', 'acceptAnyCertificate'], `its certificate is NOT CHECKED: ${risk}`);
  }
  return {
    ...(proxy === 'none' ? {} : { proxy }),
    ...(tls === undefined ? {} : { tls: resolveFiles(tls, directory) }),
  };
}

function isProxy(proxy: string): boolean {
  if (proxy === 'environment' || proxy === 'none') return true;
  return URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol);
}

function resolveFiles({ ca, cert, key, ...rest }: OutboundTls, directory: string): OutboundTls {
  return {
    ...rest,
    ...(ca === undefined ? {} : { ca: resolve(directory, ca) }),
    ...(cert === undefined ? {} : { cert: resolve(directory, cert) }),
    ...(key === undefined ? {} : { key: resolve(directory, key) }),
  };
}
