import type { HttpEndpoint, UpstreamConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import { OwnCredentials } from '../own-credentials.js';
import { HttpTransport, type HttpTransportOptions } from './http.js';
import { reportLines } from './report-lines.js';
import { childEnvironment, resolveCommand } from './resolve-command.js';
import { SseTransport } from './sse.js';
import { StdioTransport } from './stdio.js';
import type { UpstreamTransport } from './transport.js';

export interface TransportSurroundings {
  readonly observe: Observer;
  readonly binDirectories: readonly string[];
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** What a transport reports beside messages. */
export interface TransportEvents {
  readonly onLimits?: HttpTransportOptions['onLimits'];
}

/** The transport that an upstream's configuration asks for, not started yet. @throws UpstreamFault of kind `command`. */
export async function openTransport(
  config: UpstreamConfig,
  around: TransportSurroundings,
  events: TransportEvents = {},
): Promise<UpstreamTransport> {
  const { endpoint, slug } = config;
  if (endpoint.type !== 'stdio') return openHttpTransport(endpoint, config.maxAnswerBytes, around, events);
  const env = childEnvironment(endpoint.env);
  const credentials = new OwnCredentials(endpoint);
  const masked = (report: (line: string) => void) => (line: string) => report(credentials.mask(line));
  return new StdioTransport({
    command: await resolveCommand(endpoint, { binDirectories: around.binDirectories, env }),
    cwd: endpoint.cwd,
    env,
    maxAnswerBytes: config.maxAnswerBytes,
    onStderr: masked(reportLines('upstream-stderr', slug, around.observe)),
    onNoise: masked(reportLines('upstream-noise', slug, around.observe)),
  });
}

function openHttpTransport(
  endpoint: HttpEndpoint,
  maxAnswerBytes: number,
  { clientInfo }: TransportSurroundings,
  { onLimits }: TransportEvents,
): UpstreamTransport {
  if (endpoint.type === 'sse') return new SseTransport(endpoint);
  return new HttpTransport({
    endpoint,
    userAgent: `${clientInfo.name}/${clientInfo.version}`,
    maxAnswerBytes,
    onLimits,
  });
}
