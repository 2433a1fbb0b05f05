import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Observer } from '../observation.js';
import { countCalls } from './count-calls.js';
import type { Figures } from './figures.js';
import { READINGS, type Reading } from './readings.js';

/** Counts what is observed, and writes all figures for Prometheus. */
interface Metrics {
  readonly observe: Observer;
  readonly contentType: string;
  /** Sets what is read at each scrape. */
  follow(read: () => Figures): void;
  text(): Promise<string>;
}

interface MetricsOptions {
  readonly version: string;
  /** The clients and issuers that the configuration names, at this moment: others share one label. */
  readonly names: () => ReadonlySet<string>;
}

/** Labels come from the configuration, the catalog and the error table, so that no client can make new ones. */
export function openMetrics({ version, names }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const build = { name: 'mcp_aql_build_info', help: 'The version that runs: 1.', labelNames: ['version'], registers };
  new Gauge(build).set({ version }, 1);
  const countCall = countCalls(registers, names);
  const countOther = countOthers(registers);
  const readings = READINGS.map((reading) => createReading(reading, registers));
  let read: (() => Figures) | undefined;
  return {
    observe(observation) {
      if (observation.kind === 'call') countCall(observation);
      else countOther(observation);
    },
    contentType: registry.contentType,
    follow(source) {
      read = source;
    },
    text() {
      const figures = read?.();
      if (figures !== undefined) for (const apply of readings) apply(figures);
      return registry.metrics();
    },
  };
}

/** Counts what happens beside calls. */
function countOthers(registers: Registry[]): Observer {
  const confirmations = new Counter({
    name: 'mcp_aql_confirmations_total',
    help: 'Calls that needed an agreement.',
    labelNames: ['requires', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'mcp_aql_session_events_total',
    help: 'Sessions that began and ended.',
    labelNames: ['event'],
    registers,
  });
  const sessions = new Gauge({
    name: 'mcp_aql_sessions',
    help: 'Sessions, and clients of the protocol without sessions.',
    registers,
  });
  const defects = new Counter({
    name: 'mcp_aql_defects_total',
    help: 'Unexpected errors of the gateway itself; the log has each.',
    registers,
  });
  return (observation) => {
    if (observation.kind === 'session') {
      events.inc({ event: observation.event });
      sessions.inc(observation.event === 'opened' ? 1 : -1);
    } else if (observation.kind === 'confirmation') {
      const { requires, outcome } = observation;
      confirmations.inc({ requires, outcome });
    } else if (observation.kind === 'defect') defects.inc();
  };
}

/** Writes a reading's present values in the place of those before. */
function createReading({ kind, read, ...names }: Reading, registers: Registry[]): (figures: Figures) => void {
  const config = { name: names.name, help: names.help, labelNames: names.labels, registers };
  const metric = kind === 'gauge' ? new Gauge(config) : new Counter(config);
  return (figures) => {
    metric.reset();
    // A metric without labels would be 0 where nothing is known.
    metric.remove({});
    for (const [labels, value] of read(figures)) metric.inc(labels, value);
  };
}
