import { destination, type Level, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Observation, Observer } from './observation.js';

export interface LogOptions {
  readonly level: Level | 'silent';
  /** `auto` is pretty on a terminal and JSON lines elsewhere. */
  readonly format: 'auto' | 'json' | 'pretty';
}

export interface LogObserver {
  readonly observe: Observer;
  /** Writes what is still buffered; for the moment before the process ends. */
  flush(): void;
}

interface LogLine {
  readonly level: Level;
  readonly message: string;
}

type Renderers = { readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => LogLine };

const STATE_LEVELS: Readonly<Record<string, Level>> = { waiting: 'warn', ready: 'info' };

const SEVERITY_LEVELS = { info: 'debug', warning: 'warn', error: 'error' } as const;

const RENDERERS: Renderers = {
  call: ({ operation, code, durationMs }) => ({
    level: code === 'OK' ? 'debug' : 'info',
    message: `${operation}: ${code} in ${durationMs.toFixed(1)} ms`,
  }),
  'upstream-state': ({ upstream, state, message }) => ({
    level: STATE_LEVELS[state] ?? 'debug',
    message: `${upstream}: ${message}`,
  }),
  'upstream-stderr': ({ upstream, line }) => ({ level: 'debug', message: `${upstream} says: ${line}` }),
  'upstream-noise': ({ upstream, line }) => ({
    level: 'warn',
    message: `${upstream} wrote something to stdout that is not MCP: ${line}`,
  }),
  catalog: ({ operations, added, removed, changed }) => ({
    level: changed.length > 0 ? 'warn' : 'debug',
    message: `catalog: ${operations} operations (${added.length} new, ${removed.length} gone${
      changed.length > 0 ? `; these names now call something else: ${changed.join(', ')}` : ''
    })`,
  }),
  finding: ({ severity, upstream, message }) => ({
    level: SEVERITY_LEVELS[severity],
    message: `${upstream}: ${message}`,
  }),
  session: ({ sessionId, event }) => ({ level: 'debug', message: `session ${sessionId} ${event}` }),
  notice: ({ level, message }) => ({ level, message }),
  defect: ({ where }) => ({ level: 'error', message: `a defect in ${where}; please report it` }),
};

/**
 * Tells observations to the operator on stderr: stdout belongs to the protocol on stdio. Writing is buffered, so a call
 * never waits for its log line.
 */
export function createLogObserver(options: LogOptions): LogObserver {
  const asText = options.format === 'pretty' || (options.format === 'auto' && process.stderr.isTTY);
  const sink = asText
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', colorize: process.stderr.isTTY })
    : destination({ dest: 2, sync: false });
  const log = pino({ level: options.level, base: null }, sink);
  return {
    observe(observation) {
      const { level, message } = render(observation);
      if (!log.isLevelEnabled(level)) return;
      log[level](toFields(observation), message);
    },
    flush() {
      if ('flushSync' in sink && typeof sink.flushSync === 'function') sink.flushSync();
    },
  };
}

function render<K extends Observation['kind']>(observation: Extract<Observation, { kind: K }>): LogLine {
  const renderer = RENDERERS[observation.kind as K] as (value: typeof observation) => LogLine;
  return renderer(observation);
}

/** The observation's own fields; a defect's cause becomes pino's `err`, the one place where a stack may be seen. */
function toFields(observation: Observation): object {
  if (observation.kind === 'defect')
    return { kind: observation.kind, where: observation.where, err: observation.cause };
  if (observation.kind === 'notice') return { kind: observation.kind };
  return observation;
}
