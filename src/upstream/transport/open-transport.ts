import type { Observer } from '../../base/observe/observation.js';
import type { ChildLimits, HttpEndpoint, UpstreamConfig } from '../../config/gateway-config.js';
import { UpstreamFault } from './fault.js';
import type { RereadHeaders } from './fresh-headers.js';
import type { HttpTransportOptions } from './http.js';
import { socketsTo } from './outbound.js';
import { OwnCredentials } from './own-credentials.js';
import { childEnvironment, resolveCommand } from './resolve-command.js';
import type { ServerLogs } from './server-logs.js';
import type { StdioTransport } from './stdio.js';
import type { UpstreamTransport } from './transport.js';

export interface TransportSurroundings {
  /** Keeps what servers print to stderr. */
  readonly logs?: Pick<ServerLogs, 'write' | 'flushed'>;
  readonly observe: Observer;
  readonly binDirectories: readonly string[];
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Whether there may be clients that can be asked what servers ask; false for commands that end at once. */
  readonly servesClients?: boolean;
  /** What reads a server's headers anew; none where they come from no file that could change. */
  readonly rereadHeaders?: (slug: string) => RereadHeaders | undefined;
}

/** What a transport reports beside messages, and what its requests carry. */
export interface TransportEvents {
  readonly onLimits?: HttpTransportOptions['onLimits'];
  /** A line that it prints to stderr, masked. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** A line on its standard output that is no message, masked. */
  readonly onNoise?: ((line: string) => void) | undefined;
  readonly credentials?: HttpTransportOptions['credentials'];
}

/** The transport that an upstream's configuration asks for, not started yet. @throws UpstreamFault of kind `command`. */
export async function openTransport(
  config: UpstreamConfig,
  around: TransportSurroundings,
  events: TransportEvents = {},
): Promise<UpstreamTransport> {
  const { endpoint, slug } = config;
  if (endpoint.type !== 'stdio') return openHttpTransport(endpoint, config, around, events);
  const { StdioTransport } = await import('./stdio.js');
  const env = childEnvironment(endpoint.env);
  const credentials = new OwnCredentials(endpoint);
  const report = reportLines('upstream-stderr', slug, around.observe);
  const reportNoise = reportLines('upstream-noise', slug, around.observe);
  const masked = (pass: (line: string) => void) => (line: string) => pass(credentials.mask(line));
  return new StdioTransport({
    command: await resolveCommand(endpoint, { binDirectories: around.binDirectories, env }),
    cwd: endpoint.cwd,
    env,
    identity: identityOf(endpoint.limits ?? {}),
    watch: await memoryGuard(config, endpoint.limits ?? {}, around.observe),
    maxAnswerBytes: config.maxAnswerBytes,
    onStderr: masked((line) => {
      around.logs?.write(slug, line);
      events.onStderr?.(line);
      report(line);
    }),
    onNoise: masked((line) => {
      events.onNoise?.(line);
      reportNoise(line);
    }),
  });
}

/** @throws UpstreamFault of kind `command` where the gateway may not start a process as another user */
function identityOf({ user, group }: ChildLimits): { readonly uid?: number; readonly gid?: number } {
  const identity = { ...(user === undefined ? {} : { uid: user }), ...(group === undefined ? {} : { gid: group }) };
  if ((user ?? group) !== undefined && process.getuid?.() !== 0) {
    throw new UpstreamFault(
      'command',
      "could not be started: 'limits.user' and 'limits.group' need a gateway that runs as root",
    );
  }
  return identity;
}

type Watch = NonNullable<ConstructorParameters<typeof StdioTransport>[0]['watch']>;

/** Loaded where a bound is configured. */
async function memoryGuard(
  { slug }: UpstreamConfig,
  { memoryMb, restartOnMemory = true }: ChildLimits,
  observe: Observer,
): Promise<Watch | undefined> {
  if (memoryMb === undefined) return undefined;
  const { watchMemory, describeBytes } = await import('./memory-watch.js');
  const limitBytes = memoryMb * 1_048_576;
  return (pid, end) =>
    watchMemory(pid, {
      limitBytes,
      onExceeded(bytes) {
        const message = `it used ${describeBytes(bytes)} of memory, and may use ${describeBytes(limitBytes)}`;
        if (restartOnMemory) end(new UpstreamFault('outgrown', message));
        else observe({ kind: 'diagnostic', severity: 'warning', upstream: slug, message });
      },
    });
}

/** Each kind of transport is loaded with the first server that needs it. */
async function openHttpTransport(
  endpoint: HttpEndpoint,
  { maxAnswerBytes, credentials: ofUsers }: UpstreamConfig,
  { clientInfo }: TransportSurroundings,
  { onLimits, credentials }: TransportEvents,
): Promise<UpstreamTransport> {
  const connect = await socketsTo(endpoint);
  const open: Readonly<Record<HttpEndpoint['type'], () => Promise<UpstreamTransport>>> = {
    async sse() {
      const { SseTransport } = await import('./sse.js');
      return new SseTransport({ endpoint, connect, maxAnswerBytes, credentials });
    },
    async http() {
      const { HttpTransport } = await import('./http.js');
      return new HttpTransport({
        endpoint,
        userAgent: `${clientInfo.name}/${clientInfo.version}`,
        maxAnswerBytes,
        onLimits,
        credentials,
        areOfUsers: ofUsers !== undefined,
        connect,
      });
    },
  };
  return open[endpoint.type]();
}

/** Longest line that is passed on, in characters. */
const MAX_LENGTH = 2_000;
/** Lines passed on within one window; a server in a loop must not drown the log. */
const LINES_PER_WINDOW = 200;
const WINDOW_MS = 1_000;

/** Tells what a server printed, line by line, shortened and at a bounded rate; says how much was left out. */
export function reportLines(
  kind: 'upstream-stderr' | 'upstream-noise',
  upstream: string,
  observe: Observer,
): (line: string) => void {
  let windowEnds = 0;
  let told = 0;
  return (line) => {
    const now = performance.now();
    if (now >= windowEnds) {
      const leftOut = told - LINES_PER_WINDOW;
      if (leftOut > 0) observe({ kind, upstream, line: `(${leftOut} more lines were left out)` });
      windowEnds = now + WINDOW_MS;
      told = 0;
    }
    told += 1;
    if (told > LINES_PER_WINDOW) return;
    observe({ kind, upstream, line: line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)} [...]` : line });
  };
}
