import { type DestinationStream, destination, type Level, pino } from 'pino';
import { escapeInvisible } from '../lib/text.js';
import { ERROR_TABLE } from '../protocol/error-table.js';
import type { Observation, Observer } from './observation.js';

export interface LogObserver {
  readonly observe: Observer;
  /** Writes what is still buffered; called before the process ends. */
  flush(): void;
}

interface LogOptions {
  readonly level: Level | 'silent';
  /** `auto` is `pretty` on a terminal and `json` elsewhere. */
  readonly format: 'auto' | 'json' | 'pretty';
}

/** How one kind of observation is logged. The message is built only when its level is enabled. */
interface Renderer<O> {
  readonly level: (observation: O) => Level;
  readonly message: (observation: O) => string;
}

type Renderers = { readonly [K in Observation['kind']]: Renderer<Extract<Observation, { kind: K }>> };

const STATE_LEVELS: Readonly<Record<string, Level>> = {
  waiting: 'warn',
  degraded: 'warn',
  failed: 'error',
  ready: 'info',
};

const SEVERITY_LEVELS = { info: 'debug', warning: 'warn', error: 'error' } as const;

const RENDERERS: Renderers = {
  call: {
    level: ({ code }) => (code === 'OK' ? 'debug' : ERROR_TABLE[code].logLevel),
    message: ({ operation, code, durationMs }) => `${operation}: ${code} in ${durationMs.toFixed(1)} ms`,
  },
  confirmation: {
    level: () => 'debug',
    message: ({ operation, requires, outcome }) => `${operation}: agreement (${requires}) ${outcome}`,
  },
  'upstream-state': {
    level: ({ state }) => STATE_LEVELS[state] ?? 'debug',
    message: ({ upstream, name = upstream, message }) => `${name}: ${message}`,
  },
  'upstream-stderr': { level: () => 'debug', message: ({ upstream, line }) => `${upstream} says: ${line}` },
  'upstream-noise': {
    level: () => 'warn',
    message: ({ upstream, line }) => `${upstream} wrote a line to stdout that is not MCP: ${line}`,
  },
  catalog: {
    level: ({ changed }) => (changed.length > 0 ? 'warn' : 'debug'),
    message: ({ operations, added, removed, changed }) =>
      `catalog: ${operations} operations (${added.length} added, ${removed.length} removed${
        changed.length > 0 ? `; these names now call something else: ${changed.join(', ')}` : ''
      })`,
  },
  diagnostic: {
    level: ({ severity }) => SEVERITY_LEVELS[severity],
    message: ({ upstream, message }) => `${upstream}: ${message}`,
  },
  session: { level: () => 'debug', message: ({ sessionId, event }) => `session ${sessionId} ${event}` },
  notice: { level: ({ level }) => level, message: ({ message }) => message },
  defect: { level: () => 'error', message: ({ where }) => `a defect in ${where}; please report it` },
};

/**
 * Logs observations to stderr, because MCP over stdio uses stdout. Writing is buffered, so a call never waits for its log
 * line.
 */
export async function createLogObserver(options: LogOptions): Promise<LogObserver> {
  const { format } = options;
  const asText = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  const sink = await openSink(asText);
  const layOut = asText ? layOutMessage : String;
  const log = pino({ level: options.level, base: null }, sink);
  return {
    observe(observation) {
      const renderer = rendererOf(observation);
      const level = renderer.level(observation);
      if (!log.isLevelEnabled(level)) return;
      log[level](toFields(observation), layOut(renderer.message(observation)));
    },
    flush() {
      if ('flushSync' in sink && typeof sink.flushSync === 'function') sink.flushSync();
    },
  };
}

function rendererOf({ kind }: Observation): Renderer<Observation> {
  return RENDERERS[kind] as Renderer<Observation>;
}

/** The level at which an observation is logged; of a failed call the error table's. */
export function levelOf(observation: Observation): Level {
  return rendererOf(observation).level(observation);
}

async function openSink(asText: boolean): Promise<DestinationStream> {
  // A log that cannot be written does not end what it tells of.
  if (!asText) return escaping(destination({ dest: 2, sync: false }).on('error', () => undefined));
  // Only terminals need the pretty format, so other processes do not load it.
  const { default: pretty } = await import('pino-pretty');
  // The message contains the other fields already; only a defect's stack gets more lines.
  return pretty({ destination: 2, sync: true, include: 'level,time,err', colorize: process.stderr.isTTY });
}

/** JSON escapes C0 controls alone; C1 controls and marks of direction would still act on a terminal that shows the log. */
function escaping(sink: DestinationStream & { flushSync(): void }): DestinationStream & { flushSync(): void } {
  return { write: (line) => sink.write(escapeInvisible(line)), flushSync: () => sink.flushSync() };
}

/**
 * The observation's own fields, without its message, which is logged anyway. A defect's cause becomes pino's `err`, the only
 * place where a stack appears.
 */
function toFields(observation: Observation): object {
  if (observation.kind === 'defect')
    return { kind: observation.kind, where: observation.where, err: observation.cause };
  // The line has a level of its own: of two keys of one name, readers of JSON take either, or none.
  const { message: _message, level: _level, ...fields } = { message: '', level: '', ...observation };
  return fields;
}

/**
 * A message for a terminal. Clients and upstreams control parts of it: these must neither control the terminal nor look like
 * other log lines.
 */
export function layOutMessage(message: string): string {
  return escapeInvisible(message).replaceAll('\n', '\n    ');
}
